"""One reader of a thousand stalls: how long do the others' events take, without it and with it?

`PYTHONPATH=tests python -m bench.slow_reader [--readers 1000] [--rate 12]
[--seconds 25] [--rounds 3]`

The server has its defaults, except for lifted rates and smaller buffers (the default ones last for
some 3 500 events). Rounds without and with a stalled reader take turns, because the machine's speed
may change. Latency runs from sending an action to its event's arrival at each of the others;
readers and server share one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop

from support.crowd import PLIES, Latencies, Show
from support.serving import Serving

FLAGS = ("--outbox-bytes", "32768", "--buffer-bytes", "16384")


def closed_as_slow(serving: Serving) -> int:
    return sum(entry["event"] == "closed as slow" for entry in serving.logged)


async def measure(serving: Serving, readers: int, rate: float, seconds: float, rounds: int) -> None:
    plies = round(rate * seconds)
    found: dict[str, list[float]] = {"without": [], "with": []}
    rooms = -(-plies * (2 * rounds + 1) // PLIES) + 1
    async with AsyncExitStack() as stack:
        show = await Show.open(stack, serving.url, readers, rooms)
        print(f"{readers} readers of {rooms} rooms, {rate} events/s, {plies} events a round")
        await show.play(round(rate * 3), rate)
        for number in range(1, rounds + 1):
            found["without"] += (await show.play(plies, rate)).all
            stalled = show.stall()
            slow, begun = closed_as_slow(serving), time.perf_counter()
            noticed: float | None = None
            playing = asyncio.create_task(show.play(plies, rate))
            while not playing.done():
                await asyncio.wait([playing], timeout=0.5)
                if noticed is None and closed_as_slow(serving) > slow:
                    noticed = time.perf_counter() - begun
            print(
                f"round {number}: the stalled reader was "
                + ("not noticed: take more --seconds" if noticed is None
                   else f"closed after {noticed:.0f} s")
            )  # fmt: skip
            found["with"] += playing.result().all
            stalled.socket.close()
        lost = sum(watcher.lost for watcher in show.watchers)
    for name, latencies in found.items():
        all_ = Latencies(latencies)
        print(
            f"{name:8} {len(latencies):8} deliveries: median {all_.quantile(0.5):6.1f} ms, "
            f"p99 {all_.quantile(0.99):6.1f} ms, worst {all_.quantile(1):6.1f} ms"
        )
    print(f"other readers closed: {lost}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--readers", type=int, default=1_000)
    parser.add_argument("--rate", type=float, default=12)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Serving(Path(folder), *FLAGS) as serving:
        uvloop.run(measure(serving, args.readers, args.rate, args.seconds, args.rounds))


if __name__ == "__main__":
    main()

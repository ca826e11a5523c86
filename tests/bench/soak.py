"""Short rooms by the thousand: does memory stay flat once rooms are forgotten as fast as made?

Run it with `make soak`, or `PYTHONPATH=tests python -m bench.soak [ROOMS] [MINUTES] [WORKERS]`. A
real server with an embedded store archives rooms two seconds after their end and forgets them five
seconds later; pairs of clients play them over WebSockets. It prints a table of the memory over time
and the slopes of its second half, and exits with 1 if they are not flat or if anything was left
behind.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis

from bench.lean import UNLIMITED, Lean, fresh_nonce, resident, used
from pierule_protocol.messages import Act, Create, Join, Leave, Resign
from support.crew import workers_of
from support.serving import Serving

PUT_AWAY_AFTER, RETENTION = 2, 5
FLAGS = (*UNLIMITED, "--put-away-after", str(PUT_AWAY_AFTER), "--retention", str(RETENTION))
PAIRS = 12
FLAT = 0.3
"""The growth over the second half, as a share of the mean, that still counts as none: the store
holds the rooms of the last seconds and varies with the pace. If it kept all rooms, the value would
be over 5."""
LEFT = 2 << 20
"""Bytes that the store may hold more at the end than at the start, for itself."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: seconds and rooms so far, keys of the store, and bytes; those of a node include its
    workers."""

    seconds: float
    rooms: int
    keys: int
    store: int
    node: int


async def soak(
    serving: Serving, rooms: int, seconds: float, every: float, tell: Callable[[Sample], None]
) -> list[Sample]:
    """Play this many rooms, for at most this many seconds; return a sample every `every`
    seconds."""
    assert serving.process is not None
    pid, began = serving.process.pid, time.monotonic()
    samples: list[Sample] = []
    made = 0

    async def play() -> None:
        nonlocal made
        pair = await Lean.open(serving.url), await Lean.open(serving.url)
        while made < rooms and time.monotonic() - began < seconds:
            made += 1
            await short_room(*pair)
        for player in pair:
            await player.close()

    def sample() -> None:
        memory = sum(map(resident, (pid, *workers_of(pid))))
        with redis.Redis.from_url(serving.store_url) as store:
            keys = int(store.dbsize())
            seen = Sample(time.monotonic() - began, made, keys, used(store), memory)
        samples.append(seen)
        tell(seen)

    playing = asyncio.gather(*(play() for _ in range(PAIRS)))
    while not playing.done():
        await asyncio.to_thread(sample)
        await asyncio.wait({playing}, timeout=every)
    await playing
    return samples


async def short_room(first: Lean, second: Lean) -> None:
    """A room of six events, which both players join and leave."""
    made = await first.ask(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
    room = made.room
    await first.ask(Join, room=room)
    await second.ask(Join, room=room, seat=1, nonce=fresh_nonce())
    await first.ask(Act, room=room, turn=0, action="komi:12")
    await second.ask(Act, room=room, turn=1, action="black")
    await second.ask(Act, room=room, turn=2, action="c3")
    await first.ask(Resign, room=room, nonce=fresh_nonce())
    await first.ask(Leave, room=room)
    await second.ask(Leave, room=room)


def left_behind(url: str) -> list[str]:
    """Everything that a store still holds of rooms and their players."""
    found = []
    with redis.Redis.from_url(url) as store:
        for key in map(bytes.decode, store.scan_iter(count=1000)):
            match key.partition("}")[2]:
                case "format" | "mark" | "keys" | "salt" | "secrets":  # of the nodes
                    pass
                case "deadlines" | "finished" | "seen" | "unarchived":
                    found += [f"{key} {each!r}" for each in store.zrange(key, 0, -1) if each]
                case "clock":
                    found += [f"{key} {each!r}" for each in store.hkeys(key) if each]
                case _:
                    found.append(key)
    return found


def until_forgotten(url: str, seconds: float) -> list[str]:
    """Wait until nothing is left, at most this many seconds; return what is left."""
    end = time.monotonic() + seconds
    while (left := left_behind(url)) and time.monotonic() < end:
        time.sleep(0.2)
    return left


def growth(samples: list[Sample], of: Callable[[Sample], int]) -> tuple[float, float]:
    """The growth in the second half of the samples, by least squares: bytes for 1,000 rooms, and
    over that half as a share of the mean."""
    half = samples[len(samples) // 2 :]
    rooms, values = [each.rooms for each in half], [of(each) for each in half]
    mean_rooms, mean = sum(rooms) / len(half), sum(values) / len(half)
    spread = sum((each - mean_rooms) ** 2 for each in rooms) or 1
    pairs = zip(rooms, values, strict=True)
    slope = sum((room - mean_rooms) * (value - mean) for room, value in pairs) / spread
    return 1_000 * slope, slope * (rooms[-1] - rooms[0]) / mean


def show(sample: Sample) -> None:
    store, node = sample.store / 2**20, sample.node / 2**20
    print(
        f"{sample.seconds:8.0f} {sample.rooms:8} {sample.keys:8} {store:10.2f} {node:10.1f}",
        flush=True,
    )


def main(rooms: int = 100_000, minutes: float = 60, workers: int = 1) -> int:
    """Print the table; 0 if memory is flat."""
    with (
        tempfile.TemporaryDirectory(prefix="pierule-soak-") as folder,
        Serving(Path(folder), *FLAGS, "--workers", str(workers)) as serving,
    ):
        print(f"{'s':>8} {'rooms':>8} {'keys':>8} {'store MiB':>10} {'node MiB':>10}")
        samples = asyncio.run(soak(serving, rooms, 60 * minutes, 10, show))
        left = until_forgotten(serving.store_url, PUT_AWAY_AFTER + RETENTION + 60)
        with redis.Redis.from_url(serving.store_url) as store:
            emptied = used(store)
    last = samples[-1]
    print(f"\n{last.rooms} rooms in {last.seconds:.0f} s, {last.rooms / last.seconds:.0f} a second")
    flat = True
    parts: list[tuple[str, Callable[[Sample], int]]] = [
        ("store", lambda each: each.store),
        ("node", lambda each: each.node),
    ]
    for name, of in parts:
        slope, share = growth(samples, of)
        flat &= share < FLAT
        print(f"{name}, second half: {slope / 1024:+.1f} KiB for 1,000 rooms, {share:+.1%} in all")
    print(f"store, empty again: {(emptied - samples[0].store) / 1024:+.0f} KiB since the start")
    print(f"left behind: {left or 'nothing'}")
    return int(bool(left) or not flat or emptied - samples[0].store > LEFT)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

"""The benchmark in a minute: Pierule against plain `websockets.broadcast()`, and the trend.

`PYTHONPATH=tests python -m bench.quick [--rounds 3] [--seconds 1.5]`

Each run adds a line to `history.jsonl`, which is kept in the repository, and prints the last ones.
Timings differ from machine to machine; the ratios of paired rounds do much less.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench import workloads
from bench.__main__ import positive, run
from bench.figures import Case, Quantity, Result, Spread, actions, cases, deliveries, server
from bench.machine import HERE, Missing
from bench.report import row, shown
from bench.targets import OURS
from bench.workloads import Bench, Options

HISTORY = HERE / "history.jsonl"
PEER = "broadcast"
SHOWN = 10
FAN_OUT, ROOMS = "fan-out 1000", "rooms, 64 in flight"


class Entry(msgspec.Struct, frozen=True):
    """A run: ratios to plain `broadcast()`, and the share of its core that our server got in the
    fan-out, which shows whether something else was running."""

    date: str
    commit: str
    processor: str
    fan_out: Spread
    rooms: Spread
    core: float


def both(bench: Bench) -> None:
    """Fan-out to 1,000 spectators and actions in 500 rooms, 64 in flight."""
    workloads.fan_out(bench)
    workloads.rooms(bench, (64,))


def entry(result: Result) -> Entry:
    found = cases(result.measured)
    return Entry(
        result.date, result.commit, result.machine["processor"],
        _ratio(found[FAN_OUT], deliveries), _ratio(found[ROOMS], actions),
        round(found[FAN_OUT].spread(OURS, server).median, 2),
    )  # fmt: skip


def _ratio(case: Case, quantity: Quantity) -> Spread:
    ratio = case.ratio(OURS, PEER, quantity)
    assert ratio is not None
    return Spread(*(round(each, 3) for each in (ratio.median, ratio.low, ratio.high)))


def add(path: Path, new: Entry) -> list[Entry]:
    """All entries of the history, with the new one at its end."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(new) + b"\n")
    return [msgspec.json.decode(line, type=Entry) for line in path.read_bytes().splitlines()]


def trend(entries: list[Entry]) -> Iterator[str]:
    """A Markdown table of the last runs."""
    yield row(["date", "commit", f"{FAN_OUT}, ratio", f"{ROOMS}, ratio", "core that we had"])
    yield row(["---", "---", "---:", "---:", "---:"])
    for one in entries[-SHOWN:]:
        ratios = [shown(each, ".2f") for each in (one.fan_out, one.rooms)]
        yield row([one.date, f"`{one.commit}`", *ratios, f"{one.core:.0%}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=positive(int), default=3)
    parser.add_argument("--seconds", type=positive(float), default=1.5, help="of a round")
    args = parser.parse_args()
    options = Options(rounds=args.rounds, seconds=args.seconds, sizes=(1_000,), peers=(PEER,))
    try:
        result = run(options, [both])
    except Missing as missing:
        sys.exit(f"The benchmark needs {missing}.")
    if result.failures:
        sys.exit("\n".join(result.failures))
    print("Ratios to plain `websockets.broadcast()` in the same run:\n")
    print("\n".join(trend(add(HISTORY, entry(result)))))


if __name__ == "__main__":
    main()

"""The benchmark: Pierule and its peers, on a core each for server and load.

`PYTHONPATH=tests python -m bench [--workloads fan-out,rooms] [--peers loop,colyseus] [--rounds 3]
[--seconds 2] [--sizes 100,1000,4000] [--store-core server|load] [--out FOLDER | --keep]`

Writes `bench.md`, `bench.svg` and `bench.json` into the folder. Needs a C compiler, and Node for
the peers that are written for it; their packages are installed into ignored folders.
"""

from __future__ import annotations

import argparse
import inspect
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from bench import growth, kept, workers, workloads
from bench.figures import Result
from bench.machine import HERE, Ended, Machine, Missing
from bench.plot import plot
from bench.report import report
from bench.rounds import say
from bench.workloads import Bench, Options

MOST = 10_000
N = TypeVar("N", int, float)

Workload: TypeAlias = Callable[[Bench], None]

WORKLOADS: dict[str, Workload] = {
    "fan-out": workloads.fan_out,
    "gentle": workloads.gentle,
    "rooms": workloads.rooms,
    "alone": workloads.alone,
    "memory": workloads.memory,
    "storm": workloads.storm,
    "length": growth.length,
    "number": growth.number,
    "nodes": growth.nodes,
    "workers": workers.workers,
}


def commit() -> str:
    """The measured commit, with a `+` if the work tree has changed since."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=HERE, capture_output=True, text=True
    )
    return told.stdout.strip() or "unknown"


def run(options: Options, chosen: list[Workload]) -> Result:
    """Run the workloads, even after one that failed. Raises `Missing` if the machine lacks what
    they need."""
    begun = time.monotonic()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pierule-bench-") as folder:
        bench = Bench(Machine(Path(folder)), options)
        bench.prepare()
        about = bench.machine.about()
        for workload in chosen:
            say(f"{workload.__name__}: {inspect.getdoc(workload)}")
            try:
                workload(bench)
            except Ended as ended:
                failures.append(f"{workload.__name__}: {ended}")
                say(f"  failed: {ended}")
    return Result(
        time.strftime("%Y-%m-%d"), commit(), time.monotonic() - begun, about,
        bench.titles, bench.settings, bench.measured, bench.facts, failures,
    )  # fmt: skip


def write(result: Result, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.md").write_text(report(result))
    (folder / "bench.svg").write_text(plot(result))
    (folder / "bench.json").write_bytes(msgspec.json.format(msgspec.json.encode(result)))


def arguments(given: list[str]) -> argparse.Namespace:
    defaults = Options()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workloads", type=_among(list(WORKLOADS)), default=list(WORKLOADS),
                        help=f"some of {','.join(WORKLOADS)}")  # fmt: skip
    peers = list(defaults.peers)
    parser.add_argument("--peers", type=_among(peers), default=peers,
                        help=f"some of {','.join(peers)}")  # fmt: skip
    parser.add_argument("--rounds", type=positive(int), default=defaults.rounds)
    parser.add_argument(
        "--seconds", type=positive(float), default=defaults.seconds, help="of a round"
    )
    parser.add_argument("--sizes", type=sizes, default=defaults.sizes, help="of the fan-out")
    parser.add_argument("--store-core", choices=("server", "load"), default=defaults.store_core,
                        help="where Pierule's store runs")  # fmt: skip
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, default=HERE / "out")
    where.add_argument("--keep", dest="out", action="store_const", const=kept.FOLDER,
                       help="in the repository: in a folder and in the README")  # fmt: skip
    return parser.parse_args(given)


def _among(names: list[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        chosen = [each for each in text.split(",") if each]
        if unknown := set(chosen) - set(names):
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not among {', '.join(names)}")
        return chosen

    return read


def positive(number: Callable[[str], N]) -> Callable[[str], N]:
    """A number above 0, for `argparse`."""

    def positive_number(text: str) -> N:
        value = number(text)
        if not 0 < value < MOST:
            raise argparse.ArgumentTypeError(f"{text} is not between 0 and {MOST}")
        return value

    return positive_number


def sizes(text: str) -> tuple[int, ...]:
    return tuple(map(positive(int), text.split(",")))


def main() -> None:
    args = arguments(sys.argv[1:])
    options = Options(
        rounds=args.rounds, seconds=args.seconds, sizes=args.sizes, peers=tuple(args.peers),
        store_core=args.store_core,
    )  # fmt: skip
    try:
        result = run(options, [WORKLOADS[name] for name in args.workloads])
    except Missing as missing:
        sys.exit(f"The benchmark needs {missing}.")
    write(result, args.out)
    if args.out == kept.FOLDER:
        kept.keep(report(result))
    print(report(result))
    print(f"Written to {args.out}: bench.md, bench.svg, bench.json")
    sys.exit(bool(result.failures))


if __name__ == "__main__":
    main()

"""Two trees side by side: the cost of an action, and of an idle node, before and after a change.

`PYTHONPATH=tests python -m bench.pairs BASE [--rounds 24] [--seconds 0.5]`
`PYTHONPATH=tests python -m bench.pairs BASE --crowd [--rounds 5]` for storms and memory

BASE is a commit; its files are copied to a folder, and its node runs with the packages installed
here. Node and store of both trees run all the time, and short rounds take turns. The report has the
processor's time and the median of the ratios of neighbours, so that other work on the machine
disturbs little.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import time
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.__main__ import positive
from bench.crowd import FIGURES, MEMORY, STORM, storms
from bench.figures import Measured, Quantity, Spread, server_cost, store_cost
from bench.load import loading
from bench.machine import HERE, Ended, Machine, Missing, processor_seconds
from bench.ours import Pierule
from bench.peer import Audience
from bench.report import row, shown
from bench.rounds import WARM_UP, Kind, interleave, say, started

TREE = HERE.parents[1]
SOURCES = ("protocol", "server", "clients/python")
PACE = 7_000
"""More actions a second than any tree can reach."""

IDLE = 6.0
"""Seconds for which each idle tree is measured."""

Pair = tuple[Pierule, Pierule]


class Tree(Pierule):
    """A node that runs the sources of a folder."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__()
        self.name = self.title = name
        path = os.pathsep.join(str(folder / each) for each in SOURCES)
        self.environment = {"PYTHONPATH": path}


def laid_out(commit: str, folder: Path) -> None:
    """The files of a commit, in a folder. Raises `Missing`."""
    packed = subprocess.run(
        ["git", "archive", commit, *SOURCES], cwd=TREE, capture_output=True, check=False
    )
    if packed.returncode:
        raise Missing(f"a commit of this repository: {packed.stderr.decode().strip()}")
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")


def cost(one: Measured) -> float:
    """Processor µs of node and store for each action."""
    return server_cost(one) + store_cost(one)


def ratio(rounds: list[Measured], pair: Pair, quantity: Quantity) -> Spread:
    """The ratio of after to before, round by round."""
    before, after = (
        [quantity(one) for one in rounds if one.contender == tree.name] for tree in pair
    )
    return Spread.of([new / old for old, new in zip(before, after, strict=True)])


def played(machine: Machine, pair: Pair, kind: Kind, rounds: int, tables: int) -> list[Measured]:
    """The rounds of both trees, in turn."""
    steps = int((rounds * kind.seconds + WARM_UP + 1) * PACE / tables) + 10
    return list(interleave(machine, pair, lambda _: Audience(tables, 2, steps), [kind], rounds))


def idle(machine: Machine, pair: Pair, tables: int) -> list[str]:
    """The share of a core that each tree uses while everybody sits in their rooms and nobody
    acts."""
    used: dict[str, list[float]] = {tree.name: [] for tree in pair}
    with ExitStack() as stack:
        for tree in pair:
            stack.enter_context(started(machine, tree))
            stack.enter_context(loading(machine, tree.plan(Audience(tables, 2, 1))))
        time.sleep(IDLE / 2)
        for tree in pair:
            before = processor_seconds(tree.pids), processor_seconds(tree.store_pids)
            time.sleep(IDLE)
            after = processor_seconds(tree.pids), processor_seconds(tree.store_pids)
            used[tree.name] = [(new - old) / IDLE for old, new in zip(before, after, strict=True)]
    return [row([name, *(f"{part:.1%}" for part in parts)]) for name, parts in used.items()]


def crowd(machine: Machine, pair: Pair, rounds: int, people: int) -> list[str]:
    """The cost of a storm and of idle people in both trees, by turns."""
    before, after = storms(machine, pair, rounds, people)
    lines = [row([f"a crowd of {people:,}", "before", "after", "after / before"])]
    lines.append(row(["---", "---:", "---:", "---:"]))
    for what, (digits, figure) in FIGURES.items():
        told = ([figure(came) for came in each] for each in (before, after))
        lines.append(_compared(what, digits, *told))
    for what, quantity in MEMORY.items():
        kept: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            for own, tree in zip(kept, pair, strict=True):
                own.append(quantity(machine, tree))
                say(f"  {what}, {tree.name}: {own[-1]:.1f}")
        lines.append(_compared(what, ".1f", *kept))
    return lines


def _compared(what: str, digits: str, before: list[float], after: list[float]) -> str:
    ratio = Spread.of([new / old for old, new in zip(before, after, strict=True)])
    return row([what, *(shown(Spread.of(each), digits) for each in (before, after)),
                shown(ratio, ".2f")])  # fmt: skip


def acted(machine: Machine, pair: Pair, args: argparse.Namespace) -> list[str]:
    """The cost of an action and of an idle node in both trees."""
    kind = Kind(f"rooms, {args.in_flight} in flight", args.seconds, args.in_flight)
    rounds = played(machine, pair, kind, args.rounds, args.tables)
    unused = idle(machine, pair, args.tables)
    lines = [row([kind.case, "µs CPU, node", "µs CPU, store", "together"])]
    lines.append(row(["---", "---:", "---:", "---:"]))
    quantities = server_cost, store_cost, cost
    for tree in pair:
        own = [one for one in rounds if one.contender == tree.name]
        cells = (shown(Spread.of([each(one) for one in own]), ".0f") for each in quantities)
        lines.append(row([tree.name, *cells]))
    ratios = (shown(ratio(rounds, pair, each), ".2f") for each in quantities)
    lines += [row(["after / before", *ratios]), "", row(["idle", "core, node", "core, store"])]
    return [*lines, row(["---", "---:", "---:"]), *unused]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "base", nargs="?", default="HEAD", help="the commit before; HEAD by default"
    )
    parser.add_argument("--crowd", action="store_true", help="storms and memory, not actions")
    parser.add_argument("--rounds", type=positive(int), help="24 by default, 5 of a crowd")
    parser.add_argument("--seconds", type=positive(float), default=0.5, help="of a round")
    parser.add_argument("--in-flight", type=positive(int), default=64)
    parser.add_argument("--tables", type=positive(int), default=200)
    parser.add_argument("--people", type=positive(int), default=STORM, help="of a storm")
    args = parser.parse_args()
    args.rounds = args.rounds or (5 if args.crowd else 24)
    with TemporaryDirectory(prefix="pierule-before-") as name, TemporaryDirectory() as built:
        try:
            machine = Machine(Path(built))
            laid_out(args.base, Path(name))
            pair = Tree("before", Path(name)), Tree("after", TREE)
            lines = (
                crowd(machine, pair, args.rounds, args.people)
                if args.crowd
                else acted(machine, pair, args)
            )
        except (Missing, Ended) as problem:
            sys.exit(f"The pairs could not be measured: {problem}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()

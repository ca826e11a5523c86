"""Contenders side by side: all are started and connected, then their rounds take turns.

A B C A B C: all share the good and bad times of the machine alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from bench.figures import Measured, deliveries, load
from bench.load import Load, Plan, loading
from bench.machine import Ended, Machine, processor_seconds
from bench.peer import Audience

WARM_UP = 0.5


class Contender(Protocol):
    """A server with clients that speak to it."""

    name: str
    title: str
    settings: str

    def start(self, machine: Machine, folder: Path) -> None: ...

    def stop(self) -> None: ...

    def check(self) -> None:
        """Fails if the settings in force are not those that are printed."""

    def plan(self, audience: Audience) -> Plan: ...

    @property
    def pids(self) -> list[int]: ...

    @property
    def store_pids(self) -> list[int]: ...


@dataclass(frozen=True)
class Kind:
    """A kind of round: its length, and how many steps are in flight, or how many a second."""

    case: str
    seconds: float
    tokens: int
    rate: float = 0


def say(text: str) -> None:
    """Print progress."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


@contextmanager
def started(machine: Machine, contender: Contender) -> Iterator[Path]:
    """The contender while it serves, and the folder of its data."""
    with TemporaryDirectory(prefix="pierule-bench-") as folder:
        try:
            contender.start(machine, Path(folder))
            yield Path(folder)
        finally:
            contender.stop()


def measure(
    machine: Machine, contender: Contender, load_: Load, kind: Kind, number: int
) -> Measured:
    """Run one round. Raises `Ended`, naming the contender."""
    contender.check()
    stores = contender.store_pids
    before = processor_seconds(contender.pids), processor_seconds(stores)
    try:
        found = load_.run(kind.seconds, kind.tokens, kind.rate)
    except Ended as ended:
        raise Ended(f"{contender.title}, {kind.case}: {ended}") from ended
    if not found.actions:
        raise Ended(f"{contender.title}, {kind.case}: all steps were played before this round")
    after = processor_seconds(contender.pids), processor_seconds(stores)
    return Measured(
        kind.case, contender.name, number, found, after[0] - before[0], after[1] - before[1],
        machine.load_core in machine.cores_of(stores),
    )  # fmt: skip


def interleave(
    machine: Machine,
    contenders: Sequence[Contender],
    audience: Callable[[Contender], Audience],
    kinds: list[Kind],
    rounds: int,
) -> Iterator[Measured]:
    """Start all contenders, run all rounds of all kinds with them, and stop them. Raises `Ended` if
    one of them or its load client fails."""
    with ExitStack() as stack:
        opened: list[tuple[Contender, Load]] = []
        for contender in contenders:
            begun = time.monotonic()
            stack.enter_context(started(machine, contender))
            plan = contender.plan(audience(contender))
            opened.append((contender, stack.enter_context(loading(machine, plan))))
            took = time.monotonic() - begun
            say(f"  {contender.name}: {len(plan.members)} connections, {took:.1f} s")
            opened[-1][1].run(WARM_UP, kinds[0].tokens, kinds[0].rate)
        for number in range(rounds):
            for kind in kinds:
                for contender, load_ in opened:
                    one = measure(machine, contender, load_, kind, number)
                    yield one
                    say(
                        f"  {kind.case}, round {number + 1}, {contender.name}: "
                        f"{one.round.actions} actions, {deliveries(one):,.0f} deliveries/s, "
                        f"p50 {one.round.p50 / 1000:.2f} ms, load client {load(one):.0%}"
                    )

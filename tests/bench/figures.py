"""What was measured, and what follows from it: rates, costs, medians with spread, ratios, targets.

Ratios are those of rounds that were paired: round by round within one run, then their median.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeAlias

import msgspec

SATURATED = 0.85
"""The part of a core from which on the load client itself may have been the limit."""


class Round(msgspec.Struct, frozen=True):
    """What one run of the load client found; latencies in µs, from a step's sending to its last
    receiver. `late`: steps that were due while all tokens were under way, and were left out; `dry`:
    all games were over before the time was."""

    seconds: float
    actions: int
    deliveries: int
    processor: float
    late: int
    dry: bool
    p50: int
    p99: int
    worst: int


class Measured(msgspec.Struct, frozen=True):
    """One round of a case (such as `fan-out 1000`) with one contender. `server` and `store` are
    the seconds of a processor that they used meanwhile."""

    case: str
    contender: str
    number: int
    round: Round
    server: float
    store: float
    store_with_load: bool = False


class Fact(msgspec.Struct, frozen=True):
    """A single figure."""

    group: str
    name: str
    value: float
    unit: str


class Result(msgspec.Struct, frozen=True):
    """All of a run."""

    date: str
    commit: str
    seconds: float
    machine: dict[str, str]
    titles: dict[str, str]
    settings: dict[str, str]
    measured: list[Measured]
    facts: list[Fact]
    failures: list[str] = []


class Spread(msgspec.Struct, frozen=True):
    """Median, least and largest of some rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        return cls(median(values), min(values), max(values))


Quantity: TypeAlias = Callable[[Measured], float]


def deliveries(one: Measured) -> float:
    """A second."""
    return one.round.deliveries / one.round.seconds


def actions(one: Measured) -> float:
    """A second."""
    return one.round.actions / one.round.seconds


def delivery_cost(one: Measured) -> float:
    """µs of the server's processor for each delivery, its store's included."""
    return (one.server + one.store) * 1e6 / one.round.deliveries


def server_cost(one: Measured) -> float:
    """µs of the server's processor for each action."""
    return one.server * 1e6 / one.round.actions


def store_cost(one: Measured) -> float:
    """µs of the store's processor for each action."""
    return one.store * 1e6 / one.round.actions


def p50(one: Measured) -> float:
    """ms."""
    return one.round.p50 / 1_000


def p99(one: Measured) -> float:
    """ms."""
    return one.round.p99 / 1_000


def server(one: Measured) -> float:
    """The part of its core that the server used, with the store if that was there, too."""
    beside = 0 if one.store_with_load else one.store
    return (one.server + beside) / one.round.seconds


def load(one: Measured) -> float:
    """The part of its core that the load client used, with the store if that was there, too."""
    beside = one.store if one.store_with_load else 0
    return (one.round.processor + beside) / one.round.seconds


class Case:
    """The rounds of one case, by contender."""

    def __init__(self, name: str, measured: list[Measured]) -> None:
        self.name = name
        self._rounds: dict[str, list[Measured]] = {}
        for one in measured:
            if one.case == name:
                self._rounds.setdefault(one.contender, []).append(one)

    @property
    def contenders(self) -> list[str]:
        return list(self._rounds)

    def rounds(self, contender: str) -> list[Measured]:
        """All rounds with a contender."""
        return self._rounds[contender]

    def spread(self, contender: str, quantity: Quantity) -> Spread:
        return Spread.of([quantity(one) for one in self._rounds[contender]])

    def ratio(self, one: str, other: str, quantity: Quantity) -> Spread | None:
        """Of one contender to another, in paired rounds; None if there is no pair."""
        if one not in self._rounds or other not in self._rounds:
            return None
        by_number = {each.number: each for each in self._rounds[other]}
        pairs = [(each, by_number.get(each.number)) for each in self._rounds[one]]
        ratios = [quantity(left) / quantity(right) for left, right in pairs if right]
        return Spread.of(ratios) if ratios else None

    def saturated(self, contender: str) -> bool:
        """Whether the load client, rather than the server, may have been measured."""
        return self.spread(contender, load).median >= SATURATED

    def dry(self, contender: str) -> bool:
        """Whether there were not enough games for the time."""
        return any(one.round.dry for one in self._rounds[contender])

    def late(self, contender: str) -> bool:
        """Whether steps that were due could not be sent: their latency is not in the figures."""
        return any(one.round.late for one in self._rounds[contender])


def cases(measured: list[Measured]) -> dict[str, Case]:
    """All cases, in the order in which they were measured."""
    return {name: Case(name, measured) for name in dict.fromkeys(one.case for one in measured)}

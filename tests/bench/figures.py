"""Measurements, and what follows from them: rates, costs, medians with spread, ratios, targets.

Ratios are those of paired rounds: round by round within one run, then their median.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeAlias

import msgspec

SATURATED = 0.85
"""The share of a core above which the load client itself may have been the limit."""


class Round(msgspec.Struct, frozen=True):
    """The results of one run of the load client; latencies in µs, from sending a step to its last
    receiver. `late`: steps that were due while all tokens were in use, and were left out; `dry`:
    all games ended before the time was over."""

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
    """One round of a case (such as `fan-out 1000`) with one contender. `server` and `store` are the
    processor seconds that they used."""

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
    """Everything about a run."""

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
    """Median, minimum and maximum of some rounds."""

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
    """Processor µs of the server, including its store, for each delivery."""
    return (one.server + one.store) * 1e6 / one.round.deliveries


def server_cost(one: Measured) -> float:
    """Processor µs of the server for each action."""
    return one.server * 1e6 / one.round.actions


def store_cost(one: Measured) -> float:
    """Processor µs of the store for each action."""
    return one.store * 1e6 / one.round.actions


def cost(one: Measured) -> float:
    """Processor µs of server and store for each action."""
    return server_cost(one) + store_cost(one)


def p50(one: Measured) -> float:
    """ms."""
    return one.round.p50 / 1_000


def p99(one: Measured) -> float:
    """ms."""
    return one.round.p99 / 1_000


def server(one: Measured) -> float:
    """The share of its core that the server used, including a store on the same core."""
    beside = 0 if one.store_with_load else one.store
    return (one.server + beside) / one.round.seconds


def load(one: Measured) -> float:
    """The share of its core that the load client used, including a store on the same core."""
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
        """The ratio of one contender to another, in paired rounds; None if there is no pair."""
        if one not in self._rounds or other not in self._rounds:
            return None
        by_number = {each.number: each for each in self._rounds[other]}
        pairs = [(each, by_number.get(each.number)) for each in self._rounds[one]]
        ratios = [quantity(left) / quantity(right) for left, right in pairs if right]
        return Spread.of(ratios) if ratios else None

    def saturated(self, contender: str) -> bool:
        """Whether the load client, rather than the server, may have been the limit."""
        return self.spread(contender, load).median >= SATURATED

    def dry(self, contender: str) -> bool:
        """Whether there were too few games for the time."""
        return any(one.round.dry for one in self._rounds[contender])

    def late(self, contender: str) -> bool:
        """Whether some due steps could not be sent: their latency is not in the figures."""
        return any(one.round.late for one in self._rounds[contender])


def cases(measured: list[Measured]) -> dict[str, Case]:
    """All cases, in the order of the measurements."""
    return {name: Case(name, measured) for name in dict.fromkeys(one.case for one in measured)}

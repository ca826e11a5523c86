"""Pierule's targets, and whether it met them. All but one are ratios within one run."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bench.figures import (
    Quantity,
    Result,
    Spread,
    actions,
    cases,
    cost,
    deliveries,
    p50,
    p99,
    server_cost,
)

OURS = "pierule"
FEW, MANY = "10 rooms", "1000 rooms"
ONE, APART, TOGETHER = "one worker", "two workers, rooms apart", "two workers, rooms together"
EARLY, LATE = "plies 10 to 60", "plies 240 to 290"
FLAT = 1.25
"""The tolerance for costs that must not grow, because of measuring errors."""


class Verdict(msgspec.Struct, frozen=True):
    """A target with its measured figure."""

    target: str
    wanted: float
    at_least: bool
    found: Spread

    @property
    def met(self) -> bool:
        median = self.found.median
        return median >= self.wanted if self.at_least else median <= self.wanted

    @property
    def text(self) -> str:
        if self.met:
            return "met"
        return f"missed by {abs(self.found.median - self.wanted) / self.wanted:.0%}"


RATIOS: tuple[tuple[str, str, Quantity, str, str, float, bool], ...] = (
    ("fan-out 100", "deliveries", deliveries, OURS, "colyseus", 1.15, True),
    ("fan-out 1000", "deliveries", deliveries, OURS, "colyseus", 1.3, True),
    ("fan-out 4000", "deliveries", deliveries, OURS, "colyseus", 1.15, True),
    ("fan-out 100", "deliveries", deliveries, OURS, "loop", 0.65, True),
    ("fan-out 1000", "deliveries", deliveries, OURS, "loop", 0.65, True),
    ("fan-out 4000", "deliveries", deliveries, OURS, "loop", 0.65, True),
    ("fan-out 1000", "deliveries", deliveries, OURS, "joined", 0.6, True),
    ("rooms, 64 in flight", "durable actions with rules", actions, OURS, "colyseus", 0.4, True),
    ("rooms, 64 in flight", "durable actions with rules", actions, OURS, "boardgame", 2, True),
    ("gentle 1000", "p99 to the last", p99, OURS, "loop", 1.3, False),
    ("workers, 64 in flight", "CPU an action with the store", cost, TOGETHER, ONE, 1.15, False),
    ("number of rooms, 10 in flight", "CPU an action", server_cost, MANY, FEW, FLAT, False),
)
"""Case, what, the quantity, of whom, to whom, the ratio, whether it is the least or the most."""

ALONE = 3.0
IDLE_KB = 12.0


def verdicts(result: Result) -> Iterator[Verdict]:
    """The verdicts on all targets with measured figures."""
    found = cases(result.measured)
    for name, what, quantity, one, other, wanted, at_least in RATIOS:
        ratio = found[name].ratio(one, other, quantity) if name in found else None
        if ratio is not None:
            of = "" if one == OURS else f" of {result.titles[one]}"
            title = f"{name}: {what}{of}, ratio to {result.titles[other]}"
            yield Verdict(title, wanted, at_least, ratio)
    floor = sum(fact.value for fact in result.facts if fact.group == "floor") / 1_000
    if floor and OURS in found["alone"].contenders:
        taken = found["alone"].spread(OURS, p50)
        ratio = Spread(taken.median / floor, taken.low / floor, taken.high / floor)
        yield Verdict("one player alone: p50, ratio to fsync + round trip", ALONE, False, ratio)
    single = {(fact.group, fact.name): fact.value for fact in result.facts}
    if (idle := single.get(("idle spectator", OURS))) is not None:
        yield Verdict("memory of an idle spectator in kB", IDLE_KB, False, Spread.of([idle]))
    if (late := single.get(("length", LATE))) is not None:
        ratio = Spread.of([late / single["length", EARLY]])
        yield Verdict(f"CPU an action: {LATE}, ratio to {EARLY}", FLAT, False, ratio)

"""What is checked: the models within bounds, and what is broken on purpose, which must be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from model import clock, log
from model.checker import Model

Bounds: TypeAlias = log.Bounds | clock.Bounds

SMALL: list[Bounds] = [
    log.Bounds(turns=1, cuts=0),
    clock.Bounds(ticks=8, outages=2, acts=0, asks=1),
]
"""For the unit tests: some seconds."""

WHOLE: list[Bounds] = [
    log.Bounds(turns=1, cuts=1, losses=1),
    log.Bounds(turns=1, cuts=0, deaths=1),
    log.Bounds(turns=1, cuts=0, failovers=2),
    log.Bounds(turns=2, cuts=0, deaths=1, losses=1, failovers=0, waits=False),
    log.Bounds(turns=1, cuts=0, deaths=1, waits=False),
    clock.Bounds(ticks=8, outages=1),
    clock.Bounds(ticks=9, outages=2),
    clock.Bounds(ticks=8, outages=0, jumps=1),
]


@dataclass(frozen=True)
class Break:
    """A model that breaks a law on purpose; `law` is how what is found begins. `quick`: it is found
    among few states."""

    how: str
    law: str
    bounds: Bounds
    quick: bool = True


_ONE = log.Bounds(turns=1, cuts=0)
_OUTAGE = clock.Bounds(ticks=8, outages=1)

BREAKS = [
    Break("no compare", "law 7", _ONE),
    Break("acknowledge first", "law 4", _ONE),
    Break("no wait", "law 4", _ONE),
    Break("no confirm", "law 4", _ONE),
    Break("believe what is known", "law 4", _ONE),
    Break("play at any turn", "law 7", _ONE),
    Break("ignore the chain", "law", _ONE),
    Break("no place check", "law 6", _ONE),
    Break("renew nothing", "law 6", log.Bounds(turns=1, cuts=0, waits=False)),
    Break("count epochs", "law 6", log.Bounds(turns=1, cuts=0, failovers=2, waits=False)),
    Break("resume by number", "law 6", log.Bounds(turns=1, waits=False), quick=False),
    Break("no witnesses", "law 6", log.Bounds(turns=1, cuts=0, deaths=1, waits=False), quick=False),
    Break("notice no outage", "SPEC 9.6", _OUTAGE),
    Break("ignore outages", "SPEC 9.6", _OUTAGE),
    Break("give nothing back", "SPEC 9.6", _OUTAGE),
    Break("credit again", "SPEC 9.6", _OUTAGE),
    Break("lose an outage", "SPEC 9.6", clock.Bounds(ticks=8, outages=2, acts=0, asks=1)),
    Break("accept what is late", "SPEC 9.3", _OUTAGE),
    Break("time out early", "SPEC 9.6", _OUTAGE),
    Break("stamp the clock", "SPEC 3.2", clock.Bounds(ticks=8, outages=0, jumps=1)),
]


def model_of(bounds: Bounds, broken: str = "") -> Model[Any]:
    """The model that these bounds are of."""
    if isinstance(bounds, log.Bounds):
        return log.LogModel(bounds, broken)
    return clock.ClockModel(bounds, broken)

"""A room's control as a short text for people, and back. Pure.

5+3           5 minutes, and 3 seconds more after each turn (Fischer)
10m+3x30s     10 minutes, then 3 periods of 30 seconds (Japanese byo-yomi)
30s/action    30 seconds for each turn
3d            3 days for each turn
"""

from __future__ import annotations

import re

from msgspec import inspect

from pierule.errors import PieruleError
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Correspondence, Fischer, Turnwise

FORMS = "5+3, 10m+3x30s, 30s/action or 3d"
"""An example of each kind."""

_SECONDS = {"h": 3600, "m": 60, "s": 1}
_TIME = r"(\d{1,9})([hms]?)"
_FISCHER = re.compile(rf"{_TIME}\+{_TIME}", re.ASCII)
_BYOYOMI = re.compile(rf"{_TIME}\+(\d{{1,9}})x{_TIME}", re.ASCII)
_TURNWISE = re.compile(rf"{_TIME}/action", re.ASCII)
_CORRESPONDENCE = re.compile(r"(\d{1,9})d", re.ASCII)

_NAMES = {
    "main": "main time",
    "increment": "increment",
    "periods": "number of periods",
    "period": "period",
    "time": "time for an action",
    "days": "number of days",
}


class BadClock(PieruleError, ValueError):
    """A text is not a clock; the message says what is wrong with it."""


def parse_clock(text: str) -> ClockOptions:
    """The control that a text describes. Raises BadClock.

    Numbers may have a unit: `h`, `m` or `s`. Without a unit, main time is in minutes, and
    everything else in seconds.
    """
    options: ClockOptions
    if match := _FISCHER.fullmatch(text):
        main, main_unit, increment, unit = match.groups()
        options = Fischer(main=_time(main, main_unit or "m"), increment=_time(increment, unit))
        if options.main == options.increment == 0:
            raise BadClock(f"{text!r} gives the players no time; write it as in {FORMS}")
    elif match := _BYOYOMI.fullmatch(text):
        main, main_unit, periods, period, unit = match.groups()
        options = Byoyomi(
            main=_time(main, main_unit or "m"), periods=int(periods), period=_time(period, unit)
        )
    elif match := _TURNWISE.fullmatch(text):
        options = Turnwise(time=_time(*match.groups()))
    elif match := _CORRESPONDENCE.fullmatch(text):
        options = Correspondence(days=int(match[1]))
    else:
        raise BadClock(f"{text!r} is not a clock; write it as in {FORMS}")
    _check(options, text)
    return options


def show_clock(options: ClockOptions) -> str:
    """The text of a control. `parse_clock` gives the control back."""
    match options:
        case Fischer(main=main, increment=increment):
            return f"{main // 60 if main % 60 == 0 else f'{main}s'}+{increment}"
        case Byoyomi(main=main, periods=periods, period=period):
            return f"{_unit(main)}+{periods}x{_unit(period)}"
        case Turnwise(time=time):
            return f"{_unit(time)}/action"
        case Correspondence(days=days):
            return f"{days}d"


def _time(number: str, unit: str) -> int:
    return int(number) * _SECONDS[unit or "s"]


def _unit(seconds: int) -> str:
    return f"{seconds // 60}m" if seconds and seconds % 60 == 0 else f"{seconds}s"


def _check(options: ClockOptions, text: str) -> None:
    """Check the bounds of the protocol's types. Raises BadClock."""
    kind = inspect.type_info(type(options))
    assert isinstance(kind, inspect.StructType)
    for field in kind.fields:
        value, bounds = getattr(options, field.name), field.type
        assert isinstance(bounds, inspect.IntType)
        assert bounds.ge is not None
        assert bounds.le is not None
        if not bounds.ge <= value <= bounds.le:
            unit = "" if field.name in ("periods", "days") else " s"
            raise BadClock(
                f"{text!r}: the {_NAMES[field.name]} is {value}{unit}, "
                f"but it must be {bounds.ge} to {bounds.le}{unit}"
            )

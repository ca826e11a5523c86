"""Clocks in text: what is left, when the text will change, and when to warn. Pure."""

from __future__ import annotations

from pierule_games.clock import Left
from pierule_protocol.log.controls import Byoyomi, ClockOptions
from pierule_protocol.log.events import Acted, AnyRecord

SHORT = 10_000
"""Milliseconds from which on tenths of a second are shown, and a player is warned."""


def face(left: Left | None, control: ClockOptions | None) -> str:
    """What a clock shows: `4:05`, `9.3`, `1:00:00`, `2d 07h`; in byo-yomi with the periods, as
    `0:12 x3` while one of three runs. Nothing without a clock."""
    if left is None:
        return ""
    shown = duration(left.shown)
    if not isinstance(control, Byoyomi):
        return shown
    return f"{shown} +{left.periods}" if left.main else f"{shown} x{left.periods}"


def duration(milliseconds: int) -> str:
    """A time that is left, rounded up: it shows nothing only when there is nothing."""
    tenths = -(-milliseconds // 100)
    if 0 < tenths < SHORT // 100:
        return f"{tenths // 10}.{tenths % 10}"
    seconds = -(-milliseconds // 1000)
    minutes, hours, days = seconds // 60, seconds // 3_600, seconds // 86_400
    if days:
        return f"{days}d {hours % 24:02}h"
    if hours:
        return f"{hours}:{minutes % 60:02}:{seconds % 60:02}"
    return f"{minutes}:{seconds % 60:02}"


def age(milliseconds: int) -> str:
    """How long ago, in one unit; clocks may differ, so never in the future."""
    seconds = max(0, milliseconds) // 1000
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def until_next_second(left: Left | None) -> float:
    """Seconds until a clock that runs shows the next second; one, if none runs."""
    rest = left.shown % 1000 if left else 0
    return (rest or 1000) / 1000 + 0.005


def given_for_lag(record: AnyRecord | None) -> str:
    """What a player got for lag with an action (SPEC 9.5); nothing below 50 ms."""
    tenths = (record.given + 50) // 100 if isinstance(record, Acted) else 0
    return f"+{tenths // 10}.{tenths % 10} s for lag" if tenths else ""


class LowWarning:
    """Whether to warn: once in a turn, when the last seconds begin that there are."""

    def __init__(self) -> None:
        self._turn = -1
        self._warned = True

    def due(self, turn: int, left: Left) -> bool:
        """Whether it is now, seen from time to time. A turn that began short is no news."""
        short = left.periods <= 1 and left.main + left.period <= SHORT
        if turn != self._turn:
            self._turn, self._warned = turn, short
            return False
        if self._warned or not short:
            return False
        self._warned = True
        return True

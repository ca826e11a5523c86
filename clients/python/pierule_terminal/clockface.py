"""Clocks as text: what is left, when the text changes, and when to warn. Pure."""

from __future__ import annotations

from pierule_games.clock import Left
from pierule_protocol.log.controls import Byoyomi, ClockOptions
from pierule_protocol.log.events import Acted, AnyRecord

SHORT = 10_000
"""With fewer milliseconds left, a clock shows tenths of a second, and the player is warned."""


def face(left: Left | None, control: ClockOptions | None) -> str:
    """What a clock shows: `4:05`, `9.3`, `1:00:00`, `2d 07h`. In byo-yomi, it includes the periods:
    `4:05 +3` during main time, `0:12 x3` while the first of three runs. Empty without a clock."""
    if left is None:
        return ""
    shown = duration(left.shown)
    if not isinstance(control, Byoyomi):
        return shown
    return f"{shown} +{left.periods}" if left.main else f"{shown} x{left.periods}"


def duration(milliseconds: int) -> str:
    """A remaining time, rounded up, so it shows zero only when no time is left."""
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
    """How long ago something was, in a single unit. Clocks may differ, so a time in the future
    counts as now."""
    seconds = max(0, milliseconds) // 1000
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def until_next_second(left: Left | None) -> float:
    """Seconds until a running clock shows the next second; about 1 if none runs."""
    rest = left.shown % 1000 if left else 0
    return (rest or 1000) / 1000 + 0.005


def given_for_lag(record: AnyRecord | None) -> str:
    """The time that a player got back for lag with an action (SPEC 9.5); empty below 50 ms."""
    tenths = (record.given + 50) // 100 if isinstance(record, Acted) else 0
    return f"+{tenths // 10}.{tenths % 10} s for lag" if tenths else ""


class LowWarning:
    """Whether to warn a player: once in a turn, when the last seconds of their time begin."""

    def __init__(self) -> None:
        self._turn = -1
        self._warned = True

    def due(self, turn: int, left: Left) -> bool:
        """Whether to warn now. Call it from time to time. It does not warn in a turn that began
        with so little time."""
        short = left.periods <= 1 and left.main + left.period <= SHORT
        if turn != self._turn:
            self._turn, self._warned = turn, short
            return False
        if self._warned or not short:
            return False
        self._warned = True
        return True

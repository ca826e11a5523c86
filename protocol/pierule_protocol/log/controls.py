"""The time controls that a client can ask for, and times that follow from them (SPEC 9, 25)."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from pierule_games.clock import Control

SECOND = 1_000
DAY = 86_400 * SECOND

OPEN_TIME = DAY
"""Milliseconds after which an open room in which nobody waits is aborted."""

PUBLIC_OPEN_TIME = 600 * SECOND
"""The same for a public room without a correspondence clock."""

ABANDONED_TIME = 30 * DAY
"""Milliseconds without an action after which a game without a clock is aborted. This is not a
setting, because every node must fold a log in the same way."""

REMATCH_TIME = 2 * SECOND
"""Milliseconds after which any node makes the room of an agreed rematch. Before that, it is left to
the node that began it. This is not a setting either."""

SHORT_GAME = 600 * SECOND
"""A game whose estimated length in milliseconds is less than this is short."""

FIRST_TURN = 3
"""The least main time, in seconds, with which a Fischer clock without main time begins."""

Main: TypeAlias = Annotated[int, Meta(ge=0, le=10_800)]
Increment: TypeAlias = Annotated[int, Meta(ge=0, le=180)]
Periods: TypeAlias = Annotated[int, Meta(ge=1, le=25)]
Period: TypeAlias = Annotated[int, Meta(ge=1, le=600)]
PerAction: TypeAlias = Annotated[int, Meta(ge=1, le=3_600)]
Days: TypeAlias = Annotated[int, Meta(ge=1, le=14)]


class _Options(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """A kind of control. Times are whole seconds, or days if the name says so."""


class Fischer(_Options, frozen=True, kw_only=True, tag="fischer"):
    """Main time, and an increment for each turn. At least one of them is not 0."""

    main: Main
    increment: Increment = 0


class Byoyomi(_Options, frozen=True, kw_only=True, tag="byoyomi"):
    """Main time, then periods that begin anew with each turn (Japanese byo-yomi)."""

    main: Main
    periods: Periods
    period: Period


class Turnwise(_Options, frozen=True, kw_only=True, tag="turnwise"):
    """The same time for each turn; unused time is lost."""

    time: PerAction


class Correspondence(_Options, frozen=True, kw_only=True, tag="correspondence"):
    """Days for each turn."""

    days: Days


ClockOptions: TypeAlias = Fischer | Byoyomi | Turnwise | Correspondence
"""A room's control, as logs and states carry it. Readers ignore fields that they do not know."""


class _AskedFischer(Fischer, frozen=True, tag="fischer", forbid_unknown_fields=True): ...


class _AskedByoyomi(Byoyomi, frozen=True, tag="byoyomi", forbid_unknown_fields=True): ...


class _AskedTurnwise(Turnwise, frozen=True, tag="turnwise", forbid_unknown_fields=True): ...


class _AskedCorrespondence(
    Correspondence, frozen=True, tag="correspondence", forbid_unknown_fields=True
): ...


ClockRequest: TypeAlias = _AskedFischer | _AskedByoyomi | _AskedTurnwise | _AskedCorrespondence
"""A control as a client requests it. The server refuses unknown fields (law 9)."""


def absence_bound(options: ClockOptions | None) -> int | None:
    """How many milliseconds a player must be gone before the opponent may claim the game (SPEC 25);
    None in correspondence games, where nobody needs to be there. This is not a setting, because
    every node must fold a log in the same way."""
    match options:
        case None:
            return 300 * SECOND
        case Correspondence():
            return None
        case Turnwise(time=time):
            return min(max(time, 30), 120) * SECOND
    return (30 if control(options).estimate < SHORT_GAME else 120) * SECOND


def requested(options: ClockOptions) -> ClockRequest:
    """A control in the form in which a client requests it."""
    asked: ClockRequest = msgspec.convert(msgspec.to_builtins(options), ClockRequest)
    return asked


def control(options: ClockOptions) -> Control:
    """The control in the form that the clock arithmetic uses."""
    match options:
        case Fischer(main=main, increment=increment):
            # Without main time, the first turn would have no time, so it begins with an increment.
            first = main or max(increment, FIRST_TURN)
            return Control(main=first * SECOND, increment=increment * SECOND)
        case Byoyomi(main=main, periods=periods, period=period):
            return Control(main=main * SECOND, periods=periods, period=period * SECOND)
        case Turnwise(time=time):
            return Control(periods=1, period=time * SECOND)
        case Correspondence(days=days):
            return Control(periods=1, period=days * DAY)

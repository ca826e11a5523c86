"""Which house bots there are, by level (SPEC 23.20, 23.21).

A house bot that is free waits in a pool of its level. One that plays waits nowhere; so that its
level is known all the same, it is in a second pool for as long as it is connected, in which nobody
is paired.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from pierule_protocol.codes import Code
from pierule_protocol.messages import FreeBots, Seek
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.pools import RUN, STAND_IN, PoolKey

FOR_PEOPLE = "a game that must be rated is between people"

RUNS = "+"
"""The nonce with which a connection keeps its bot in the second pool; no client can choose it."""


def free_at(level: str | None) -> PoolKey:
    """Where free bots of a level wait."""
    return replace(STAND_IN, bot_level=level)


def run_at(level: str) -> PoolKey:
    """Where connected bots of a level are."""
    return replace(RUN, bot_level=level)


def is_free(pool: PoolKey) -> bool:
    """Whether this is where free bots wait."""
    return pool.game == STAND_IN.game


def is_of_bots(pool: PoolKey) -> bool:
    """Whether this is for bots, or for users who want one: the lobby does not show such pools."""
    return pool.game in (STAND_IN.game, RUN.game) or pool.bot_level is not None


def plays(bot: PoolKey, pool: PoolKey) -> bool:
    """Whether a bot that waits there is one that the users of a pool want."""
    return pool.bot_level in (None, bot.bot_level)


def free_bots(waiting: Mapping[PoolKey, int]) -> int:
    """How many bots are free, of any level."""
    return sum(number for pool, number in waiting.items() if is_free(pool))


def levels(waiting: Mapping[PoolKey, int]) -> list[FreeBots]:
    """The levels that somebody runs, by name, and how many bots of each are free."""
    known = sorted(pool.bot_level for pool in waiting if pool.game == RUN.game and pool.bot_level)
    return [FreeBots(bot_level=each, free=waiting.get(free_at(each), 0)) for each in known]


def check_wishes(request: Seek) -> None:
    """Raises Refused if a seek for a bot wants what only people have: a game that must count (SPEC
    30.1), or a range of ratings (SPEC 23.22)."""
    if request.rated == "yes":
        raise Refused(Code.BAD_FIELD, FOR_PEOPLE, field="bot_level")
    if request.range is not None:
        raise Refused(Code.BAD_FIELD, "a range does not concern house bots", field="range")


def check_level(level: str, known: Collection[str]) -> None:
    """Raises Refused if nobody runs this level."""
    if level not in known:
        runs = f"; there are {', '.join(known)}" if known else ""
        raise Refused(Code.BAD_FIELD, f"nobody runs a bot of this level{runs}", field="bot_level")

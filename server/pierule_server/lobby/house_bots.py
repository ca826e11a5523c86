"""The pools of house bots, by level (SPEC 23.20, 23.21).

A free house bot waits in a pool of its level. A bot that plays does not wait, but its level should
still be known. So each bot is also in a second pool while it is connected. Nobody is paired there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from pierule_protocol.codes import Code
from pierule_protocol.messages import FreeBots, Seek
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.pools import RUN, STAND_IN, PoolKey

FOR_PEOPLE = 'with rated "yes", the opponent must be a person, not a house bot'

RUNS = "+"
"""The nonce that keeps a connection's bot in the second pool. No client can choose this nonce."""


def free_at(level: str | None) -> PoolKey:
    """The pool in which free bots of a level wait."""
    return replace(STAND_IN, bot_level=level)


def run_at(level: str) -> PoolKey:
    """The pool of all connected bots of a level."""
    return replace(RUN, bot_level=level)


def is_free(pool: PoolKey) -> bool:
    """Whether free bots wait in this pool."""
    return pool.game == STAND_IN.game


def is_of_bots(pool: PoolKey) -> bool:
    """Whether this pool is for bots, or for users who want a bot. The lobby does not show it."""
    return pool.game in (STAND_IN.game, RUN.game) or pool.bot_level is not None


def plays(bot: PoolKey, pool: PoolKey) -> bool:
    """Whether the users who wait in `pool` want a bot that waits in the pool `bot`."""
    return pool.bot_level in (None, bot.bot_level)


def free_bots(waiting: Mapping[PoolKey, int]) -> int:
    """The number of free bots of all levels."""
    return sum(number for pool, number in waiting.items() if is_free(pool))


def levels(waiting: Mapping[PoolKey, int]) -> list[FreeBots]:
    """The levels of connected bots, sorted, each with the number of its free bots."""
    known = sorted(pool.bot_level for pool in waiting if pool.game == RUN.game and pool.bot_level)
    return [FreeBots(bot_level=each, free=waiting.get(free_at(each), 0)) for each in known]


def check_wishes(request: Seek) -> None:
    """Check a seek for a house bot. Raises Refused if it asks for what only people have: a rated
    game (SPEC 30.1), or a range of ratings (SPEC 23.22)."""
    if request.rated == "yes":
        raise Refused(Code.BAD_FIELD, FOR_PEOPLE, field="bot_level")
    if request.range is not None:
        raise Refused(
            Code.BAD_FIELD, "house bots have no range; seek without a range", field="range"
        )


def check_level(level: str, known: Collection[str]) -> None:
    """Check the level of a seek. Raises Refused if nobody runs it."""
    if level not in known:
        runs = f"; there are {', '.join(known)}" if known else ""
        raise Refused(Code.BAD_FIELD, f"nobody runs a bot of this level{runs}", field="bot_level")

"""Reads the ratings of players from the archive (SPEC 30). No game and no seek waits long for them:
while the archive is away, players have no known rating."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Collection
from typing import Protocol

import structlog

from pierule_archive.batch import ArchiveAway
from pierule_games import GAMES
from pierule_protocol import world
from pierule_protocol.house_bots import level_of
from pierule_protocol.log.events import Standing
from pierule_ratings import MODELS, VERSION, Rating, widened

logger = structlog.get_logger()

MODEL = MODELS[VERSION]

UNRATED = Standing(int(MODEL.rating), int(MODEL.deviation))
"""The standing of a player who can be rated, before their first rated game."""

PATIENCE = 1.0
"""Seconds to wait for the archive."""

RESPITE = 5.0
"""Seconds for which the node does not ask an archive that did not answer in time."""

FRESH = 5.0
"""Seconds for which the node uses an answer of the archive without asking again."""

MOST = 5_000
"""The most standings to remember, each of one player in one game."""

QUIET = 60.0
"""Seconds between two warnings that the archive does not answer."""

_NEVER = (-math.inf, None)


class Ratings(Protocol):
    """The source of ratings: the archive."""

    async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
        """The ratings of these players. Raises ArchiveAway."""
        ...


class Standings:
    """The standings of players, for one node. `now()` gives the time for which to compute them, in
    ms since 1970. With `rate_bots`, games against house bots count (SPEC 30.9)."""

    def __init__(self, kept: Ratings, now: Callable[[], int], *, rate_bots: bool = False) -> None:
        self._kept = kept
        self._now = now
        self._rate_bots = rate_bots
        self._known: dict[tuple[str, str], tuple[float, Standing | None]] = {}
        self._again = 0.0
        self._warned = -QUIET

    async def of(self, game: str, users: Collection[str]) -> dict[str, Standing]:
        """The standings of these users in a game. Ask only for users who can be rated (SPEC 30.1).
        The answer lacks users without a rated game, and users about whom the archive does not
        answer in time."""
        found = await self._look_up(game, users)
        return {user: standing for user, standing in found.items() if standing is not None}

    def of_bot(self, game: str, user: str) -> Standing | None:
        """The fixed standing of a house bot in a game; None for other bots, and if games against
        house bots do not count. A bot with a standing makes the game count for the opponent."""
        level = level_of(user)
        if not self._rate_bots or level is None or level not in GAMES[game].anchors:
            return None
        return Standing(GAMES[game].anchors[level], int(MODEL.least))

    async def of_one(self, game: str, user: str) -> Standing | None:
        """The standing of a user who can be rated: `UNRATED` if they have no rated game yet; None
        if the archive does not answer."""
        found = await self._look_up(game, [user])
        return (found[user] or UNRATED) if user in found else None

    async def _look_up(self, game: str, users: Collection[str]) -> dict[str, Standing | None]:
        """The last answers of the archive about these users, asked again if they are old. Users
        about whom it never answered are left out."""
        stale = world.monotonic() - FRESH
        asked = [user for user in users if self._known.get((game, user), _NEVER)[0] <= stale]
        if asked:
            await self._ask(game, asked)
        known = {user: self._known.get((game, user)) for user in users}
        return {user: said[1] for user, said in known.items() if said is not None}

    async def _ask(self, game: str, users: Collection[str]) -> None:
        if world.monotonic() < self._again:
            return
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._kept.ratings_of(game, users)
        except (ArchiveAway, TimeoutError) as error:
            self._missed(str(error) or "it does not answer")
            return
        at, now = world.monotonic(), self._now()
        for user in users:
            self._known.pop((game, user), None)  # the oldest come first
            self._known[game, user] = at, _standing(found.get(user), now)
        while len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def _missed(self, why: str) -> None:
        now = world.monotonic()
        self._again = now + RESPITE
        if now >= self._warned + QUIET:
            self._warned = now
            logger.warning(
                "the archive does not tell the ratings of players; going on without them", why=why
            )


def _standing(rating: Rating | None, now: int) -> Standing | None:
    """The standing in whole points; None if there is no rating. The deviation is rounded up, so a
    rating looks provisional whenever it is."""
    if rating is None:
        return None
    wide = widened(MODEL, rating, now)
    return Standing(round(wide.value), math.ceil(wide.deviation))

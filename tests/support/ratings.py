"""Ratings that tests set: see `pierule_server.rooms.standings`."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from pierule_archive.batch import ArchiveAway
from pierule_ratings import Rating


class KnownRatings:
    """An archive with these ratings, of every game, unless it is `away`."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.away = False

    async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
        if self.away:
            raise ArchiveAway("no route to it")
        rated = self.known.keys() & set(players)
        return {user: Rating(Decimal(self.known[user]), Decimal(60)) for user in rated}

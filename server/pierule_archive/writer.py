"""A writer to an archive that may be away. It opens the database as soon as that is there, and
tells trouble with the database from trouble with a game."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import select, union
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from pierule_archive.archive import Archive
from pierule_archive.batch import ArchiveAway, Batch, KeptGame, Unkeepable
from pierule_archive.database import UnusableArchive, damage, opened, parsed
from pierule_archive.keys import Signer
from pierule_archive.rating import rating_of
from pierule_archive.record import COLUMNS, reading_record
from pierule_archive.schema import amendments, games, ratings
from pierule_ratings import Rating


class Writer:
    """Writes to the archive at a URL. Its methods block; call them from one thread."""

    def __init__(self, url: str, signer: Signer | None = None) -> None:
        """Raises ValueError for a wrong URL. Without a signer nothing is signed."""
        self._url = parsed(url)
        self._signer = signer
        self._archive: Archive | None = None

    def open(self) -> None:
        """Create or upgrade the tables. Raises ArchiveAway: `lasting` for a file that cannot be
        used, and for a database of a newer version."""
        if self._archive is None:
            try:
                self._archive = Archive(
                    opened(self._url.render_as_string(hide_password=False)), self._signer
                )
            except UnusableArchive as error:
                raise ArchiveAway(str(error), lasting=True) from error
            except SQLAlchemyError as error:
                where = f"the archive {self._url.render_as_string()} cannot be used: {_why(error)}"
                raise ArchiveAway(where, lasting=self._url.drivername == "sqlite") from error

    def write(self, batch: Batch) -> int:
        """Write what is not there yet. Returns how many games were new. A repeated call changes
        nothing. Raises ArchiveAway and Unkeepable."""
        self.open()
        assert self._archive is not None
        try:
            added = self._archive.add(batch.games)
            for void in batch.voids:
                self._archive.void(void.room, void.at, void.text)
            for player in batch.forgotten:
                self._archive.forget(player)
        except (DataError, IntegrityError) as error:
            raise Unkeepable(_why(error)) from error
        except SQLAlchemyError as error:
            if isinstance(error, StatementError) and not isinstance(error, DBAPIError):
                raise Unkeepable(_why(error)) from error  # a value that no column can hold
            raise ArchiveAway(_why(error)) from error
        return added

    def games_of(self, player: str, first: int, most: int) -> list[KeptGame]:
        """The games of a player, also private ones, from feed number `first` on. Raises
        ArchiveAway."""
        return [
            KeptGame(feed=row.feed, room=row.room, access=row.access, void=row.void,
                     record=reading_record(row))
            for row in self._rows(_games_of(player, first, most))
        ]  # fmt: skip

    def ratings_of(self, game: str, several: Collection[str]) -> dict[str, Rating]:
        """The ratings of these players in a game, after their last rated games. Players without
        rated games are left out. Raises ArchiveAway."""
        query = select(ratings).where(ratings.c.game == game, ratings.c.player.in_(several))
        return {row.player: rating_of(row) for row in self._rows(query)}

    def damage(self, over: Callable[[], bool]) -> str | None:
        """See `database.damage`. Call it from any thread."""
        return damage(self._url, over)

    def _rows(self, query: Any) -> Any:
        self.open()
        assert self._archive is not None
        try:
            with self._archive.engine.connect() as connection:
                return connection.execute(query).all()
        except SQLAlchemyError as error:
            raise ArchiveAway(_why(error)) from error

    def close(self) -> None:
        """Close all connections."""
        if self._archive is not None:
            self._archive.engine.dispose()
            self._archive = None


def _games_of(player: str, first: int, most: int) -> Any:
    """The query for `Writer.games_of`. It uses an index for each seat, so that the database reads
    only what it returns."""
    feeds = [
        select(
            select(games.c.feed)
            .where(seat == player, games.c.feed >= first)
            .order_by(games.c.feed)
            .limit(most)
            .subquery()
        )
        for seat in (games.c.player0, games.c.player1)
    ]
    return (
        select(*COLUMNS, games.c.access, amendments.c.text.label("void"))
        .outerjoin(amendments, amendments.c.game == games.c.feed)
        .where(games.c.feed.in_(union(*feeds)))
        .order_by(games.c.feed)
        .limit(most)
    )


def _why(error: SQLAlchemyError) -> str:
    """What the database said, without the statement and its values, in one line."""
    said = error.orig if isinstance(error, StatementError) and error.orig else error
    return " ".join(str(said).split()) or type(said).__name__

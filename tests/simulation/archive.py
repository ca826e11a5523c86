"""The archive of a simulation: the real tables in an SQLite in memory, shared by all nodes, and a
check of its contents at the end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from sqlalchemy import Engine, create_engine, select, union_all
from sqlalchemy.pool import StaticPool

from chaos.database import Row, finished, flaws
from pierule_archive.archive import Archive
from pierule_archive.batch import ArchiveAway, Batch
from pierule_archive.database import _prepare, _upgrade
from pierule_archive.game import unpack
from pierule_archive.rating import rate_more, rating_of, result_of
from pierule_archive.schema import amendments, games, ratings
from pierule_archive.writer import Writer
from pierule_protocol.log.events import Entry
from pierule_ratings import MODELS, VERSION, Pool
from pierule_server.store.buckets import log_key
from pierule_server.store.tables.reading import entry_of
from simulation.model.keyspace import Keyspace
from simulation.model.values import Stream, written

GAPS = "the archive's numbers have gaps"
NOT_OVER = "which is not over"
OTHER = "which its log does not have"
"""How two flaws end. Where a store forgets the end of a game that is archived, they are none."""
CAUGHT_UP = 30.0
"""Seconds of calm until the archive must have every finished game."""


class Database:
    """The database. It can be `away`, or `mute`: then it does what it is asked, without
    answering."""

    def __init__(self) -> None:
        self.away = self.mute = False
        self.writes = 0
        self.engine = _anew()
        self._followed: list[Row] = []

    async def follow(self) -> None:
        """Read what is new and rate it, as a process with the API would, until cancelled."""
        known = 0
        while True:
            await asyncio.sleep(2.0)
            if not self.away and known != self.writes:
                known = self.writes
                self.read()
                rate_more(self.engine)

    def read(self) -> None:
        """Read what is new."""
        self._followed += self.rows(self._followed[-1].feed if self._followed else 0)

    async def caught_up(self, rooms: set[str]) -> None:
        """Wait until all these rooms are there, and read, up to the bound."""
        for _ in range(int(CAUGHT_UP)):
            if rooms <= {row.room for row in self._followed}:
                return
            await asyncio.sleep(1.0)

    def flaws(self, over: Mapping[str, bytes], space: Keyspace) -> list[str]:
        """The flaws of the archive, if these games must be there (see `finished`). A game that has
        ended since then, by what the store has, may be there, too. The reader reads once more."""
        self.read()
        rows = self.rows()
        late = {row.room: log_in(space, row.room) for row in rows if row.room not in over}
        found = flaws({**over, **finished(late)}, rows, self._followed)
        found += self._others(space)
        if GAPS in found and self._numbers() == list(range(1, 1 + len(self._numbers()))):
            found.remove(GAPS)  # what operators did to results has numbers, too
        while rate_more(self.engine):
            pass
        with self.engine.connect() as connection:
            voided = set(connection.scalars(select(amendments.c.game)))
            counted = select(games).where(games.c.rated, games.c.superseded_by.is_(None))
            counting = connection.execute(counted.order_by(games.c.feed)).all()
            kept = connection.execute(select(ratings)).all()
        for game in sorted({row.game for row in counting} | {row.game for row in kept}):
            results = [result_of(row) for row in counting if row.game == game]
            pool = Pool.of(MODELS[VERSION], results, voided)
            if pool.ratings != {row.player: rating_of(row) for row in kept if row.game == game}:
                found.append(f"the ratings of {game} are not those of its games")
        return found

    def _others(self, space: Keyspace) -> Iterator[str]:
        """The games that did not come about as the store's logs say."""
        current = select(games.c.room, games.c.log).where(games.c.superseded_by.is_(None))
        with self.engine.connect() as connection:
            for row in connection.execute(current.order_by(games.c.feed)):
                *_, end = unpack(row.log)
                log = log_in(space, row.room)
                if len(log) >= end.seq and log[end.seq - 1].place != end.place:
                    yield f"the archive has a game of {row.room}, {OTHER}"

    def _numbers(self) -> list[int]:
        """All feed numbers, in order."""
        query = union_all(select(games.c.feed), select(amendments.c.feed))
        with self.engine.connect() as connection:
            return sorted(connection.scalars(query))

    def rows(self, after: int = 0) -> list[Row]:
        """The games behind a feed number."""
        columns = games.c.feed, games.c.room, games.c.created_hash, games.c.superseded_by
        query = select(*columns).where(games.c.feed > after).order_by(games.c.feed)
        with self.engine.connect() as connection:
            return [
                Row(row.feed, row.room, row.created_hash, row.superseded_by is not None)
                for row in connection.execute(query)
            ]


def log_in(space: Keyspace, room: str) -> list[Entry]:
    """The log of a room, as a store has it; nothing if it has none."""
    kept = space.values.get(log_key(room).encode())
    if not isinstance(kept, Stream):
        return []
    places = map(written, kept.ids)
    return [entry_of(room, *each) for each in zip(places, kept.entries, strict=True)]


class SimulatedWriter(Writer):
    """A node's way to it."""

    def __init__(self, database: Database) -> None:
        super().__init__("sqlite:////nowhere")
        self._database = database

    def open(self) -> None:
        if self._database.away:
            raise ArchiveAway("it is away")
        self._archive = Archive(self._database.engine)

    def damage(self, over: Callable[[], bool]) -> None:
        """It is in memory."""

    def write(self, batch: Batch) -> int:
        added = super().write(batch)
        self._database.writes += 1
        if self._database.mute:
            raise ArchiveAway("it does not answer")
        return added

    def close(self) -> None:
        self._archive = None


def _anew() -> Engine:
    """The one engine of this process, with an archive that has no games: to make the tables takes
    long, and so it does to compile each query."""
    engine, empty = _made()
    engine.dispose()
    with engine.connect() as connection:
        kept = connection.connection.dbapi_connection
        assert isinstance(kept, sqlite3.Connection)
        kept.deserialize(empty)
    return engine


@cache
def _made() -> tuple[Engine, bytes]:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(":memory:", check_same_thread=False)

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    _prepare(engine, read_only=False)
    _upgrade(engine)
    with engine.connect() as connection:
        kept = connection.connection.dbapi_connection
        assert isinstance(kept, sqlite3.Connection)
        return engine, kept.serialize()

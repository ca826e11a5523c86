"""Importing games into an archive: each with its own number, or if it has none, in the order of
(end time, key).

Numbered lines must continue the archive, so the import stops at the first line that cannot be kept.
Earlier lines are in the archive, and the next run continues there. Records without numbers that
cannot be kept are reported and left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, insert, select, update

from pierule_archive.archive import Archive, amend, keep, lock, unlock
from pierule_archive.database import writing
from pierule_archive.game import Game, game_of, pack, unpack
from pierule_archive.record import AMENDMENTS, COLUMNS, amendment_of
from pierule_archive.schema import amendments, games, players, withheld
from pierule_archive.tools.lines import Player
from pierule_archive.tools.progress import Progress
from pierule_archive.tools.proving import keep_digest, keep_key
from pierule_archive.tools.sources import (
    Flaw,
    Found,
    Source,
    Sources,
    game_in,
    merged,
    number_of,
    parsed,
    raw,
)
from pierule_protocol.log.digest import BadDigest, read_digest
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import Amendment, Proof, RoomRecord

BATCH = 128
"""The most lines in a transaction. Nodes wait while it runs."""

T = TypeVar("T")


@dataclass(slots=True)
class Import:
    """A run of an import. `deleted` are users whose names must not come back. It calls `tell` for
    every record that it leaves out."""

    engine: Engine
    deleted: frozenset[str]
    progress: Progress
    tell: Callable[[str], None]
    added: int = 0
    refused: int = 0
    _last: int = field(init=False, default=0)

    def run(self, sources: Sources) -> None:
        """Import the sources. Raises Flaw."""
        self._last = Archive(self.engine).last
        self.progress.expect(max(0, sources.through - self._last))
        lines = merged(sources.numbered)
        first = self._skip_known(lines)
        self._forget()
        for source in sources.players:
            self._name(source)
        for batch in _batches(self._read(chain(first, lines))):
            self._enter(batch)
        self._prove(sources)
        self._add_records(sources.records)

    def _skip_known(self, lines: Iterator[Found]) -> list[Found]:
        """Compare lines with the archive, and return the first line that it lacks. Raises Flaw for
        a line that differs."""
        known: list[Found] = []
        for found in lines:
            if number_of(found) > self._last:
                self._compare(known)
                return [found]
            known.append(found)
            if len(known) == BATCH:
                self._compare(known)
                known = []
        self._compare(known)
        return []

    def _compare(self, known: list[Found]) -> None:
        if not known:
            return
        between = number_of(known[0]), number_of(known[-1])
        with self.engine.connect() as connection:
            kept = connection.execute(select(*COLUMNS).where(games.c.feed.between(*between)))
            rows = {row.feed: row for row in kept}
            noted = AMENDMENTS.where(amendments.c.feed.between(*between))
            voids = {row.feed: row for row in connection.execute(noted)}
        for found in known:
            match found.line:
                case RoomRecord(feed=number, room=room, events=events):
                    row = rows.get(number) if isinstance(number, int) else None
                    same = row is not None and row.room == room and list(unpack(row.log)) == [
                        msgspec.structs.replace(event.entry, names={}) for event in events
                    ]  # fmt: skip
                case Amendment(feed=number) as line:
                    void = voids.get(number) if isinstance(number, int) else None
                    same = void is not None and amendment_of(void) == line
                case _:
                    same = True
            if not same:
                raise Flaw(
                    found.where,
                    f"number {number} differs in this archive; import into an empty archive",
                )

    def _forget(self) -> None:
        for some in _parts(sorted(self.deleted)):
            with writing(self.engine) as connection:
                gone = update(players).where(players.c.id.in_(some))
                connection.execute(gone, {"name": None})

    def _name(self, source: Source) -> None:
        """Keep the players of a file. A deleted name stays deleted."""
        source.check()
        for some in _parts(source.players()):
            with writing(self.engine) as connection:
                listed = select(players).where(players.c.id.in_([each.id for each in some]))
                known = {row.id: row for row in connection.execute(listed)}
                for player in some:
                    name = None if player.id in self.deleted else player.name
                    _keep_player(connection, player, name, known.get(player.id))

    def _prove(self, sources: Sources) -> None:
        """Keep the keys, and the digests up to the archive's last number. Raises Flaw."""
        last = Archive(self.engine).last
        with writing(self.engine) as connection:
            for key in sources.keys:
                keep_key(connection, key)
        for source in sources.digests:
            source.check()
            for some in _parts(raw(source.path)):
                with writing(self.engine) as connection:
                    for where, data in some:
                        _keep_digest(connection, last, where, data)

    def _read(self, lines: Iterable[Found]) -> Iterator[tuple[Found, Game | None]]:
        for found in self.progress.counting(lines):
            yield found, game_in(found)

    def _enter(self, batch: list[tuple[Found, Game | None]]) -> None:
        """Keep lines up to the first that cannot be kept, for which it raises Flaw."""
        flaw = None
        with writing(self.engine) as connection:
            last = lock(connection)
            for found, game in batch:
                try:
                    _keep_line(connection, last, found, game)
                except Flaw as error:
                    flaw = error
                    break
                last += 1
                self.added += 1
            unlock(connection, last)
        if flaw is not None:
            raise flaw

    def _add_records(self, sources: list[Source]) -> None:
        """Keep records without numbers, in the order of (end time, key)."""
        with closing(sqlite3.connect("")) as spool:  # a temporary database
            spool.execute("CREATE TABLE spool (ended, room, created_hash, log, names)")
            for source in sources:
                for game in self._games(source):
                    names = {k: v for k, v in game.names.items() if k not in self.deleted}
                    row = game.ended, game.room, game.created_hash, pack(game.entries)
                    spool.execute(
                        "INSERT INTO spool VALUES (?, ?, ?, ?, ?)",
                        (*row, msgspec.json.encode(names)),
                    )
            ordered = spool.execute(
                "SELECT room, log, names FROM spool ORDER BY ended, room, created_hash, rowid"
            )
            for rows in _parts(ordered):
                self.added += Archive(self.engine).add(_unspooled(*row) for row in rows)

    def _games(self, source: Source) -> Iterator[Game]:
        """The games of a file. Reports each flaw with `tell`."""
        lines = self.progress.counting(raw(source.path))
        while True:
            try:
                where, data = next(lines, ("", b""))
                if not data:
                    return
                yield _only_game(parsed(where, data, listed=False))
            except Flaw as flaw:
                self.refused += 1
                self.tell(str(flaw))


def _only_game(found: Found) -> Game:
    game = game_in(found)
    if game is None:
        raise Flaw(found.where, "is not a record of a game")
    return game


def _unspooled(room: str, log: bytes, names: bytes) -> Game:
    game = game_of(room, unpack(log))
    game.names.update(msgspec.json.decode(names, type=dict[str, str]))
    return game


def _keep_line(connection: Connection, last: int, found: Found, game: Game | None) -> None:
    """Keep a line with its number, which must be the next one. Raises Flaw before it writes
    anything."""
    number = number_of(found)
    if number != last + 1:
        raise Flaw(found.where, f"number {number} comes after {last}; lines are missing in between")
    match found.line:
        case RoomRecord() as line if game is not None:
            if not keep(connection, [(game, _proof(line))], number):
                raise Flaw(found.where, f"the game of room {game.room} already has another number")
        case Amendment() as line:
            whose = _amended(connection, found, line)
            amend(connection, number, whose, line.kind, line.at, line.text, _proof(line))
        case _:
            connection.execute(insert(withheld), {"feed": number})


def _keep_digest(connection: Connection, last: int, where: str, data: bytes) -> None:
    try:
        digest = read_digest(data)
    except BadDigest as error:
        raise Flaw(where, f"is not a digest: {error}") from None
    if digest.last <= last and not keep_digest(connection, digest, data.decode().strip()):
        raise Flaw(where, f"digest {digest.number} differs in this archive")


def _proof(line: RoomRecord | Amendment) -> dict[str, Any]:
    """The columns that prove a line."""
    if not isinstance(line.proof, Proof):
        return {}
    return {"signed_by": line.proof.key, "signature": bytes.fromhex(line.proof.signature)}


def _amended(connection: Connection, found: Found, line: Amendment) -> int:
    """The number of the game that a line amends. Raises Flaw."""
    of_room = select(games.c.feed, games.c.log).where(games.c.room == line.room)
    for row in connection.execute(of_room):
        if log_hash(unpack(row.log)) == line.log:
            noted = select(amendments.c.feed).where(amendments.c.game == row.feed)
            if connection.scalar(noted) is None:
                return int(row.feed)
            raise Flaw(found.where, f"the game of room {line.room} already has an amendment")
    raise Flaw(found.where, f"amends a game of room {line.room} that this archive does not have")


def _keep_player(
    connection: Connection, player: Player, name: str | None, known: object | None
) -> None:
    row = {"name": name, "bot": player.bot, "seen": player.seen}
    if known is None:
        connection.execute(insert(players), {"id": player.id, **row})
        return
    named = update(players).where(players.c.id == player.id, players.c.name.is_not(None))
    connection.execute(named.where(players.c.seen < player.seen), row)
    if name is None:
        connection.execute(named, {"name": None})


def _batches(
    lines: Iterator[tuple[Found, Game | None]],
) -> Iterator[list[tuple[Found, Game | None]]]:
    """The lines in batches. The lines before a flaw come before it is raised."""
    batch: list[tuple[Found, Game | None]] = []
    try:
        for line in lines:
            batch.append(line)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except Flaw:
        yield batch
        raise
    yield batch


def _parts(several: Iterable[T]) -> Iterator[list[T]]:
    """The items in batches."""
    for _, part in groupby(enumerate(several), lambda each: each[0] // BATCH):
        yield [each for _, each in part]

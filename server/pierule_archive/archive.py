"""How nodes write the archive: each game and each amendment once, numbered in the order of the
commits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from sqlalchemy import Connection, Engine, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pierule_archive.database import writing
from pierule_archive.game import Game, pack
from pierule_archive.keys import Signer
from pierule_archive.proofs import Columns, game_proof, settle, void_proof
from pierule_archive.schema import amendments, feed, games, players

_COLUMNS = frozenset(games.c.keys()).intersection(each.name for each in fields(Game))


class UnknownGame(Exception):
    """No game of this room has been archived."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive to write to. Every method blocks. Without a signer, nothing is signed."""

    engine: Engine
    signer: Signer | None = None

    def add(self, several: Iterable[Game]) -> int:
        """Keep games, all in one transaction. Returns how many were new.

        A game that is already there stays as it is. A game with a higher epoch replaces it: the
        store had lost its end, and it ended again.
        """
        signer = self.signer
        proven = [(game, game_proof(signer, game) if signer else {}) for game in several]
        with writing(self.engine) as connection:
            number = lock(connection)
            added = keep(connection, proven, number + 1)
            unlock(connection, number + added, self.signer)
        return added

    def void(self, room: str, at: int, text: str) -> bool:
        """Note that operators have voided the result of the latest game of a room. Returns False if
        that was already noted. Raises UnknownGame."""
        with writing(self.engine) as connection:
            number = lock(connection)
            found = select(games.c.feed).where(
                games.c.room == room, games.c.superseded_by.is_(None)
            )
            game = connection.scalar(found.order_by(games.c.feed.desc()).limit(1))
            if game is None:
                raise UnknownGame(f"no game of room {room} is in the archive")
            if connection.scalar(select(amendments.c.feed).where(amendments.c.game == game)):
                return False
            proof = void_proof(self.signer, connection, game, at) if self.signer else None
            amend(connection, number + 1, game, "void", at, text, proof)
            unlock(connection, number + 1, self.signer)
        return True

    def forget(self, player: str) -> None:
        """Remove the name of a player whose account was deleted, forever, even from games that are
        added later."""
        with writing(self.engine) as connection:
            lock(connection)  # a game of theirs is added before or after this, not meanwhile
            named = update(players).where(players.c.id == player)
            if not connection.execute(named, {"name": None}).rowcount:
                row = {"id": player, "name": None, "bot": False, "seen": 0}
                connection.execute(insert(players), row)

    @property
    def last(self) -> int:
        """The last feed number; 0 in an empty archive."""
        with self.engine.connect() as connection:
            return connection.scalar(select(feed.c.last)) or 0


def keep(connection: Connection, several: Sequence[tuple[Game, Columns]], number: int) -> int:
    """Keep games, each with the columns that prove it, with feed numbers from `number` on. The
    transaction must have locked the feed. Returns how many were new."""
    known = _known(connection, several)
    rows, new, replaced = [], [], []
    for game, proof in several:
        name = game.room, game.created_hash
        feed_number, epoch = known.get(name, (0, -1))
        if epoch >= game.epoch:
            continue
        if feed_number:
            replaced.append({"former": feed_number, "superseded_by": number})
        known[name] = number, game.epoch
        rows.append(_row(game, number) | proof)
        new.append(game)
        number += 1
    if rows:
        connection.execute(insert(games), rows)
        _name_players(connection, new)
    if replaced:
        former = update(games).where(games.c.feed == bindparam("former"))
        connection.execute(former, replaced)
    return len(rows)


def _row(game: Game, number: int) -> Columns:
    row = {name: getattr(game, name) for name in _COLUMNS}
    return row | {
        "feed": number, "epoch": game.epoch, "log": pack(game.entries),
        "signed_by": None, "signature": None,
    }  # fmt: skip


def amend(
    connection: Connection, number: int, game: int, kind: str, at: int, text: str,
    proof: Columns | None = None,
) -> None:  # fmt: skip
    """Keep an amendment with a feed number. The transaction must have locked the feed."""
    row = {"feed": number, "game": game, "kind": kind, "at": at, "text": text}
    connection.execute(insert(amendments), row | (proof or {}))


def lock(connection: Connection) -> int:
    """Lock the feed until the transaction ends, and return the last feed number."""
    row = select(feed.c.last).with_for_update()  # SQLite has already locked everything
    last: int = connection.execute(row).scalar_one()
    return last


def unlock(connection: Connection, last: int, signer: Signer | None = None) -> None:
    """Write the last feed number. A signer makes the digests that are due."""
    connection.execute(update(feed), {"last": last})
    if signer:
        settle(connection, signer, last)


def _known(
    connection: Connection, several: Sequence[tuple[Game, Columns]]
) -> dict[tuple[str, bytes], tuple[int, int]]:
    """Feed number and epoch of the games that were already archived, by room and hash."""
    columns = games.c.room, games.c.created_hash, games.c.feed, games.c.epoch
    rooms = {game.room for game, _ in several}
    query = select(*columns).where(games.c.room.in_(rooms), games.c.superseded_by.is_(None))
    found = connection.execute(query)
    return {(row.room, bytes(row.created_hash)): (row.feed, row.epoch) for row in found}


def _name_players(connection: Connection, several: Iterable[Game]) -> None:
    """Keep the latest name of all players. A deleted name stays deleted."""
    rows = [
        {"id": player, "name": game.names.get(player), "bot": bot, "seen": game.ended}
        for game in several
        for player, bot in ((game.player0, game.bot0), (game.player1, game.bot1))
    ]
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(players)
    new = statement.excluded
    named = statement.on_conflict_do_update(
        index_elements=[players.c.id],
        set_={"name": new.name, "bot": new.bot, "seen": new.seen},
        where=(players.c.name.is_not(None) & new.name.is_not(None) & (players.c.seen <= new.seen)),
    )
    connection.execute(named, rows)

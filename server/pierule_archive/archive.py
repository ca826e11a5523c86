"""The archive as nodes write it: each game and each amendment once, numbered in the order of the
commits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from sqlalchemy import Connection, Engine, Row, insert, select, update

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
    """An archive that can be written; every method blocks. Without a signer nothing is signed."""

    engine: Engine
    signer: Signer | None = None

    def add(self, several: Iterable[Game]) -> int:
        """Keep games, all in one transaction; returns how many were new.

        A game that is there already is left alone. One of a higher epoch replaces it: the store
        had lost its end, and it ended anew.
        """
        added = 0
        with writing(self.engine) as connection:
            number = lock(connection)
            for game in several:
                proof = game_proof(self.signer, game) if self.signer else None
                added += keep(connection, game, number + added + 1, proof)
            unlock(connection, number + added, self.signer)
        return added

    def void(self, room: str, at: int, text: str) -> bool:
        """Note that operators have voided the result of the latest game of a room; False if that
        had been noted before. Raises UnknownGame."""
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
        """Remove the name of a player whose account was deleted, for good: also from games that
        are added later."""
        with writing(self.engine) as connection:
            lock(connection)  # Whoever adds a game of theirs now does it before or after this.
            named = update(players).where(players.c.id == player)
            if not connection.execute(named, {"name": None}).rowcount:
                row = {"id": player, "name": None, "bot": False, "seen": 0}
                connection.execute(insert(players), row)

    @property
    def last(self) -> int:
        """The last feed number; 0 in an empty archive."""
        with self.engine.connect() as connection:
            return connection.scalar(select(feed.c.last)) or 0


def keep(connection: Connection, game: Game, number: int, proof: Columns | None = None) -> bool:
    """Keep one game under a feed number, with the columns that prove it, in a transaction that has
    locked the feed; False if it was there already."""
    known = _known(connection, game)
    if known is not None and known.epoch >= game.epoch:
        return False
    row = {name: getattr(game, name) for name in _COLUMNS}
    row |= {"feed": number, "epoch": game.epoch, "log": pack(game.entries)} | (proof or {})
    connection.execute(insert(games), row)
    if known is not None:
        replaced = update(games).where(games.c.feed == known.feed)
        connection.execute(replaced, {"superseded_by": number})
    _name_players(connection, game)
    return True


def amend(
    connection: Connection, number: int, game: int, kind: str, at: int, text: str,
    proof: Columns | None = None,
) -> None:  # fmt: skip
    """Keep an amendment under a feed number, in such a transaction."""
    row = {"feed": number, "game": game, "kind": kind, "at": at, "text": text}
    connection.execute(insert(amendments), row | (proof or {}))


def lock(connection: Connection) -> int:
    """The last feed number; until the transaction ends nobody else takes one."""
    row = select(feed.c.last).with_for_update()  # SQLite has locked everything by now.
    last: int = connection.execute(row).scalar_one()
    return last


def unlock(connection: Connection, last: int, signer: Signer | None = None) -> None:
    """Write the last feed number down; a signer makes the digests that are due."""
    connection.execute(update(feed), {"last": last})
    if signer:
        settle(connection, signer, last)


def _known(connection: Connection, game: Game) -> Row[int, int] | None:
    """Feed number and epoch of the game as it was archived before."""
    named = (
        games.c.room == game.room,
        games.c.created_hash == game.created_hash,
        games.c.superseded_by.is_(None),
    )
    return connection.execute(select(games.c.feed, games.c.epoch).where(*named)).one_or_none()


def _name_players(connection: Connection, game: Game) -> None:
    """Keep the latest name of both players. A name that was forgotten stays forgotten."""
    for player, bot in ((game.player0, game.bot0), (game.player1, game.bot1)):
        name = game.names.get(player)
        row = {"name": name, "bot": bot, "seen": game.ended}
        known = connection.execute(select(players).where(players.c.id == player)).one_or_none()
        if known is None:
            connection.execute(insert(players), {"id": player, **row})
        elif known.name is not None and name is not None and known.seen <= game.ended:
            connection.execute(update(players).where(players.c.id == player), row)

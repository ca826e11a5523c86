"""Single things of the archive: a game, a player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, select

from pierule_archive.api.answers import Event, GameLine, Player, WholeGame
from pierule_archive.api.parameters import Search
from pierule_archive.api.selection import Selection, read_page, seen, summary, with_names
from pierule_archive.game import unpack
from pierule_archive.schema import games, players
from pierule_protocol.log.events import Entry
from pierule_protocol.log.fold import fold
from pierule_protocol.state.room import UnknownGame, room_digest

NAMESAKES = 10
"""The most players of a name that are looked at, the latest first."""

WINDOWS = 10
"""How many pages without a line are read before giving up for this time."""

_LATEST = Search(order="desc")


def game_query(name: str) -> Select[Any]:
    """The latest game of a room that everybody may see, or the game of a feed number."""
    number = name.isdecimal()
    named = games.c.feed == int(name) if number else games.c.room == name
    found = select(games).where(named, seen(games.c)).order_by(games.c.feed.desc()).limit(1)
    return with_names(found.subquery(), Selection(_LATEST))


def read_game(connection: Connection, name: str) -> WholeGame | None:
    """A game with its events."""
    row = connection.execute(game_query(name)).one_or_none()
    if row is None:
        return None
    entries = list(unpack(row.log))
    actions, digests = _replayed(row.room, entries)
    events = [
        Event(epoch=e.epoch, seq=e.seq, chain=e.chain, at=e.at, record=e.record, digest=digest)
        for e, digest in zip(entries, digests, strict=True)
    ]
    return WholeGame(**summary(row), actions=actions, events=events)


def _replayed(
    room_id: str, entries: list[Entry]
) -> tuple[list[str] | None, list[int] | list[None]]:
    """The actions that stood at the end, and the digest after each event; nothing of it if the
    rules are not installed here."""
    room, digests = None, []
    try:
        for entry in entries:
            room = fold(room, room_id, entry)
            digests.append(room_digest(room))
    except UnknownGame:
        return None, [None for _ in entries]
    return None if room is None else list(room.actions), digests


def namesakes_query(name: str) -> Select[Any]:
    """The ids of the players who have a name today, the latest first."""
    named = select(players.c.id).where(players.c.name == name)
    return named.order_by(players.c.seen.desc()).limit(NAMESAKES)


def player_id(connection: Connection, name: str) -> str | None:
    """The id of the player of this id or name; None if nobody may see a game of theirs."""
    return next((id_ for id_, _ in _found(connection, name)), None)


def read_player(connection: Connection, name: str) -> Player | None:
    """The player of this id, or the latest of this name."""
    found = list(_found(connection, name))
    if not found:
        return None
    id_, last = found[0]
    row = connection.execute(select(players).where(players.c.id == id_)).one()
    others = [other for other, _ in found[1:]]
    return Player(id=id_, name=row.name, bot=row.bot, last=last, namesakes=others)


def _found(connection: Connection, name: str) -> Iterator[tuple[str, int]]:
    """Players of this id or else this name, each with the end of the latest game that is served."""
    known = connection.scalar(select(players.c.id).where(players.c.id == name))
    named = [known] if known is not None else connection.scalars(namesakes_query(name)).all()
    for id_ in named:
        last = _last_game(connection, id_)
        if last is not None:
            yield id_, last.ended


def _last_game(connection: Connection, player: str) -> GameLine | None:
    after = None
    for _ in range(WINDOWS):
        page = read_page(connection, Selection(_LATEST, player), after, 1)
        for line in page.lines:
            assert isinstance(line, GameLine)
            return line
        if page.next is None:
            break
        after = page.next
    return None

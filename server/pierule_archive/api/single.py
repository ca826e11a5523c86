"""Single things of the archive: a game, a player."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, func, select

from pierule_archive.api.answers import GameEvent, GameLine, Player, WholeGame
from pierule_archive.api.changes import changes_of
from pierule_archive.api.parameters import Search
from pierule_archive.api.selection import Selection, read_page, seen, summary, with_names
from pierule_archive.game import unpack
from pierule_archive.record import proof_of, replayed
from pierule_archive.schema import games, players
from pierule_protocol.log.events import Entry, Unrated
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import UnknownGame

NAMED, NAMESAKES = 1_000, 10
"""How many players of a name a lookup reads, and how many of them it means: those seen last."""

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
    actions: list[str] | None = None
    unrated: Unrated | None = None
    events: Iterable[Entry | LogEntry]
    try:
        room, events = replayed(row)
        actions, unrated = room.actions, room.unrated
    except UnknownGame:
        events = unpack(row.log)
    told = [msgspec.convert(event, GameEvent, from_attributes=True) for event in events]
    known = summary(row._asdict(), changes_of(connection, [row.feed]))
    if known["amendment"] is not None:
        unrated = "voided"
    return WholeGame(
        **known, actions=actions, unrated=unrated, events=told, proof=proof_of(row)
    )  # fmt: skip


def namesakes_query(name: str) -> Select[Any]:
    """The ids of the players who have a name today, in upper or lower case: first those whose name
    is written like this, then the latest."""
    same = func.lower(players.c.name) == func.lower(name)
    found = select(players).where(same).limit(NAMED).subquery()
    order = (found.c.name == name).desc(), found.c.seen.desc()
    return select(found.c.id).order_by(*order).limit(NAMESAKES)


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
        last = latest_game(connection, id_)
        if last is not None:
            yield id_, last.ended


def latest_game(connection: Connection, player: str) -> GameLine | None:
    """The latest game of a player that everybody may see."""
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

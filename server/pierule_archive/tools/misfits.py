"""Why the archive may be unable to keep a game whose events are true."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import String, Text

from pierule_archive.game import Game
from pierule_archive.schema import games
from pierule_protocol.log.events import Created, Seated, decode_record


def misfit(game: Game) -> str | None:
    """Why the archive cannot keep a game; None if it can."""
    if any(_names(entry.record) for entry in game.entries):
        return f"room {game.room} has names inside its events"
    for name, value in asdict(game).items():
        column = games.c.get(name)
        if column is None or not isinstance(value, str):
            continue
        kind = column.type
        longest = kind.length if isinstance(kind, String) and not isinstance(kind, Text) else None
        if "\0" in value or (longest is not None and len(value) > longest):
            return f"its {name} is not a text of at most {longest} characters"
    return None


def _names(text: str) -> bool:
    """Whether a record contains a name, which belongs in `Entry.names`."""
    match decode_record(text):
        case Created(name=name, players=players):
            return bool(name or any(holder.name for holder in players or ()))
        case Seated(name=name):
            return bool(name)
    return False

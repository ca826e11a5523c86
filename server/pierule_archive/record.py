"""A game of the archive as one JSON line: what the API, dumps and backups write (SPEC 17.4)."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Row

from pierule_archive.game import unpack
from pierule_archive.schema import games
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, record_of
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import Room, room_digest, room_state

COLUMNS = (games.c.feed, games.c.room, games.c.log)
"""What a query has to ask for, so that its rows can be written."""


def replayed(row: Row[*tuple[Any, ...]]) -> tuple[Room, list[LogEntry]]:
    """The room at the end of a game, and its events without names. Raises ValueError or CorruptLog
    for a damaged log, and UnknownGame for rules that are not installed."""
    room: Room | None = None
    events = []
    for entry in unpack(row.log):
        room = fold(room, row.room, entry)
        events.append(LogEntry.of(entry, room_digest(room)))
    if room is None:
        raise ValueError("an empty log")
    return room, events


def game_record(row: Row[*tuple[Any, ...]]) -> RoomRecord:
    """The record of a game, without names. Raises what `replayed` does."""
    room, events = replayed(row)
    return msgspec.structs.replace(record_of(room_state(room), events), feed=row.feed)


def game_line(row: Row[*tuple[Any, ...]]) -> bytes:
    """The record in one line, with its end; equal games give equal bytes."""
    return msgspec.json.encode(game_record(row)) + b"\n"

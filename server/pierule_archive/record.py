"""A game of the archive as a line of JSON, as the API, dumps and backups write it (SPEC 17.4)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec
from sqlalchemy import Row, select

from pierule_archive.game import unpack
from pierule_archive.schema import amendments, games
from pierule_protocol.log.fold import fold
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import Amendment, Proof, RoomRecord, record_of
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import Room, room_digest, room_state
from pierule_protocol.steps import at_once

COLUMNS = (games.c.feed, games.c.room, games.c.log, games.c.signed_by, games.c.signature)
"""The columns that a query must select, so that its rows can be written."""

AMENDMENTS = select(amendments, games.c.room, games.c.log).join(
    games, amendments.c.game == games.c.feed
)
"""The query for amendments whose rows can be written."""


def replayed(row: Row[*tuple[Any, ...]]) -> tuple[Room, list[LogEntry]]:
    """The room at the end of a game, and its events without names. Raises ValueError or CorruptLog
    for a damaged log, and UnknownGame for rules that are not installed."""
    return at_once(_replaying(row))


def game_record(row: Row[*tuple[Any, ...]]) -> RoomRecord:
    """The record of a game, without names. Raises what `replayed` does."""
    return at_once(reading_record(row))


def reading_record(row: Row[*tuple[Any, ...]]) -> Generator[None, None, RoomRecord]:
    """`game_record`, in steps of an event."""
    room, events = yield from _replaying(row)
    record = record_of(room_state(room), events)
    return msgspec.structs.replace(record, feed=row.feed, proof=proof_of(row))


def _replaying(
    row: Row[*tuple[Any, ...]],
) -> Generator[None, None, tuple[Room, list[LogEntry]]]:
    room: Room | None = None
    events = []
    for entry in unpack(row.log):
        room = fold(room, row.room, entry)
        events.append(LogEntry.of(entry, room_digest(room)))
        yield
    if room is None:
        raise ValueError("an empty log")
    return room, events


def proof_of(row: Row[*tuple[Any, ...]]) -> Proof | msgspec.UnsetType:
    """The signature of a game or an amendment; unset if it was archived without one."""
    if row.signature is None:
        return msgspec.UNSET
    return Proof(key=row.signed_by, signature=row.signature.hex())


def game_line(row: Row[*tuple[Any, ...]]) -> bytes:
    """The record as a line, with its line break. Equal games give equal bytes."""
    return msgspec.json.encode(game_record(row)) + b"\n"


def amendment_of(row: Row[*tuple[Any, ...]]) -> Amendment:
    """An amendment. Raises ValueError for a damaged log of its game."""
    return Amendment(
        format="pierule.amendment", version=1, room=row.room, log=log_hash(unpack(row.log)),
        kind=row.kind, at=row.at, text=row.text, feed=row.feed, proof=proof_of(row),
    )  # fmt: skip


def amendment_line(row: Row[*tuple[Any, ...]]) -> bytes:
    """An amendment as a line, with its line break. Raises ValueError for a damaged log of its
    game."""
    return msgspec.json.encode(amendment_of(row)) + b"\n"

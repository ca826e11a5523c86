"""One room at hand on this node, those who follow it, and what folds of logs make of entries.

Whatever asks the store is the hub's matter.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from pierule_protocol.codec import Codec
from pierule_protocol.events import Entry, Place
from pierule_protocol.fold import Foreseen, fold
from pierule_protocol.messages import Event, LogEntry, Notice, ServerMessage, Snapshot
from pierule_protocol.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)
from pierule_server.room.presence import Audience
from pierule_server.room.talk import Talk
from pierule_server.wire.connection import Connection, frame

RECENT = 128
"""Events of a room kept ready for those who resume; older ones are made from the log again."""


class Live:
    """One room at hand: its fold, those who follow it here, and its latest events."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.followers: set[Connection] = set()
        self.audience = Audience()
        self.recent: deque[Event] = deque(maxlen=RECENT)
        self.foreseen: Foreseen | None = None
        self.catching_up = asyncio.Lock()
        self.snapshots: dict[str, bytes] = {}
        self.talk: Talk | None = None
        """What was said last, once somebody has come who wants to know."""

    def send(self, message: ServerMessage) -> None:
        """Send to every follower, serialising once for each codec."""
        frames: dict[Codec[Any], bytes] = {}
        for follower in self.followers:
            codec = follower.codec
            data = frames.get(codec)
            if data is None:
                data = frames[codec] = frame(codec, message)
            follower.push(data)

    def end(self) -> None:
        """The room is no more: nobody can follow it."""
        self.send(Notice(kind="room_gone", room=self.room.id))
        for follower in self.followers:
            follower.following.discard(self.room.id)
        self.followers.clear()

    def measure_lag(self) -> None:
        """Have the round trip to the player measured whose clock runs now: the ping goes out
        right behind the event that began the turn."""
        clock = self.room.clock
        if clock is None or clock.running is None:
            return
        holder = self.room.seats[clock.running]
        for follower in self.followers:
            if holder and follower.user and follower.user.id == holder.user:
                follower.measure_lag()

    def send_snapshot(self, follower: Connection) -> None:
        """Send the room as it is; the bytes are kept until the next event."""
        codec = follower.codec
        data = self.snapshots.get(codec.subprotocol)
        if data is None:
            data = self.snapshots[codec.subprotocol] = frame(
                codec, Snapshot(state=room_state(self.room))
            )
        follower.push(data)


def refold(room_id: str, entries: list[Entry]) -> Room:
    """The fold of a whole log (at least one entry). Raises CorruptLog."""
    room: Room | None = None
    for entry in entries:
        room = fold(room, room_id, entry)
    assert room is not None
    return room


def retold(room_id: str, entries: list[Entry]) -> tuple[Room, list[LogEntry]]:
    """The fold of a whole log (at least one entry), and the log with the digest after each entry.
    Raises CorruptLog."""
    room: Room | None = None
    kept = []
    for entry in entries:
        room = fold(room, room_id, entry)
        kept.append(
            LogEntry(
                epoch=entry.epoch,
                seq=entry.seq,
                chain=entry.chain,
                at=entry.at,
                record=entry.record,
                digest=room_digest(room),
            )
        )
    assert room is not None
    return room, kept


def fold_event(room: Room, entry: Entry, foreseen: Foreseen | None = None) -> Event:
    """Fold one entry and give the event that tells clients of it."""
    old = before(room)
    fold(room, room.id, entry, foreseen)
    return Event(
        room=room.id,
        epoch=entry.epoch,
        seq=entry.seq,
        chain=entry.chain,
        at=entry.at,
        record=entry.record,
        diff=diff(old, room),
        digest=room_digest(room),
    )


def place_of(event: Event) -> Place:
    return Place(event.epoch, event.seq, event.chain)

"""Rooms with clocks, written event by event at chosen times."""

from __future__ import annotations

import copy

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Seated,
    chain,
    encode_record,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Event, RoomState
from pierule_protocol.state.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)

BEGIN = 1_700_000_000_000
"""When the second player sat down, in the store's milliseconds. All times here count from it."""

OPENED = -60_000
"""When the room was made."""


class Timed:
    """A room of Loose: Anna has made it and sits at seat 0; Bert takes seat 1 at time 0."""

    def __init__(self, clock: ClockOptions | None, *, seated: bool = True, size: int = 5) -> None:
        record = Created("loose", size, "anna", "Anna", "made", 0, clock)
        self.room = fold(None, "room", _entry(None, record, OPENED))
        self.snapshot: RoomState = room_state(self.room)
        self.events: list[Event] = []
        if seated:
            self.add(0, Seated(1, "bert", "Bert", "sat"))

    def fork(self) -> Timed:
        """A copy, to go on differently from here."""
        return copy.deepcopy(self)

    def add(self, at: int, record: AnyRecord) -> Event:
        """Append a record. Raises CorruptLog."""
        entry = _entry(self.room, record, at)
        old = before(self.room)
        fold(self.room, "room", entry)
        event = Event(
            room="room",
            epoch=entry.epoch,
            seq=entry.seq,
            chain=entry.chain,
            at=entry.at,
            record=entry.record,
            diff=diff(old, self.room),
            digest=room_digest(self.room),
        )
        self.events.append(event)
        return event

    def act(self, at: int, action: str, lag: int = 0) -> Event:
        """Let the seat to act play an action, with the right compensation for its lag."""
        seat, clock = self.room.position.to_act, self.room.clock
        assert seat is not None
        given = clock.compensation(lag) if clock else 0
        return self.add(at, Acted(seat, action, lag, given))

    @property
    def deadline(self) -> int | None:
        deadline = self.room.deadline
        return None if deadline is None else deadline - BEGIN


def _entry(room: Room | None, record: AnyRecord, at: int) -> Entry:
    place = room.place if room else EMPTY
    text, epoch = encode_record(record), max(place.epoch, 1)
    link = chain(place.chain, epoch, place.seq + 1, text, BEGIN + at)
    return Entry(epoch, place.seq + 1, link, BEGIN + at, text.decode())

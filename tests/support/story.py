"""Rooms for tests of whatever reads events: a log that is written as one goes along."""

from __future__ import annotations

import copy

from pierule_protocol.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Resigned,
    Seated,
    chain,
    encode_record,
)
from pierule_protocol.messages import Event, RoomState
from pierule_protocol.room import Room, before, diff, fold, room_digest, room_state


class Story:
    """One room: `room` and `state` as they are now, and all `events` but the first (which made
    the room and has no diff). Ada (user `ada`) holds seat 0, Bob (`bob`) seat 1."""

    def __init__(self, game: str = "loose", size: int = 5, room: str = "kobadimu") -> None:
        record = Created(game=game, size=size, user="ada", name="Ada", nonce="n0", seat=0)
        self.room: Room = fold(None, room, _entry(None, record, 1))
        self.events: list[Event] = []
        self.states: list[RoomState] = [self.state]
        self.add(Seated(seat=1, user="bob", name="Bob", nonce="n1"))

    @property
    def state(self) -> RoomState:
        return room_state(self.room)

    def add(self, record: AnyRecord, epoch: int | None = None) -> Event:
        """Let something happen, and return the event of it."""
        entry = _entry(self.room, record, epoch or self.room.place.epoch)
        old = before(self.room)
        self.room = fold(self.room, self.room.id, entry)
        event = Event(
            room=self.room.id,
            epoch=entry.epoch,
            seq=entry.seq,
            chain=entry.chain,
            at=entry.at,
            record=entry.record,
            diff=diff(old, self.room),
            digest=room_digest(self.room),
        )
        self.events.append(event)
        self.states.append(self.state)
        return event

    def act(self, *actions: str) -> list[Event]:
        """Let the seats play actions."""
        events = []
        for action in actions:
            seat = self.room.position.to_act
            assert seat is not None
            events.append(self.add(Acted(seat=seat, action=action)))
        return events

    def resign(self, seat: int) -> Event:
        return self.add(Resigned(seat=0 if seat == 0 else 1, nonce="n2"))

    def fork(self) -> Story:
        """A copy, to let something else happen from here on."""
        return copy.deepcopy(self)


def _entry(room: Room | None, record: AnyRecord, epoch: int) -> Entry:
    place = room.place if room else EMPTY
    text, seq, at = encode_record(record), place.seq + 1, 1_700_000_000_000 + place.seq * 1000
    return Entry(epoch, seq, chain(place.chain, epoch, seq, text, at), at, text.decode())

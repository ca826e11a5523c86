"""Rooms for tests of code that reads events: a log written step by step."""

from __future__ import annotations

import copy

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Closed,
    Created,
    Entry,
    Flagged,
    Place,
    Renewed,
    Resigned,
    Seated,
    Standing,
    chain,
    encode_record,
    without_names,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, record_of
from pierule_protocol.messages import Event, LogEntry, RoomState
from pierule_protocol.state.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)

START = 1_700_000_000_000
"""When rooms are made here."""


class Story:
    """One room: the present `room` and `state`, and all `events` but the first (which made the room
    and has no diff), a second apart. Ada (user `ada`) holds seat 0, Bob (`bob`) seat 1.

    With a `standing` Ada is registered.

    `log` is the server's answer with the whole log, `record` the exported record.
    """

    def __init__(
        self,
        game: str = "loose",
        size: int = 5,
        room: str = "kobadimu",
        clock: ClockOptions | None = None,
        *,
        open: bool = False,  # noqa: A002 - the word of the protocol
        standing: Standing | None = None,
    ) -> None:
        record = Created(
            game, size, "ada", "Ada", "n0", 0, clock, rated="either",
            registered=standing is not None, standing=standing,
        )  # fmt: skip
        entry = _entry(None, record, 1, START)
        self.room: Room = fold(None, room, entry)
        self.events: list[Event] = []
        self.states: list[RoomState] = [self.state]
        self.log: list[LogEntry] = []
        self._keep(entry)
        if not open:
            self.add(Seated(seat=1, user="bob", name="Bob", nonce="n1"))

    @property
    def state(self) -> RoomState:
        return room_state(self.room)

    @property
    def record(self) -> RoomRecord:
        return record_of(self.state, list(self.log))

    def add(self, record: AnyRecord, after: int = 1000) -> Event:
        """Append a record `after` so many ms, and return its event."""
        place, at = self.room.place, self.room.at + after
        epoch = at // 1000 if isinstance(record, Renewed) else place.epoch
        entry = _entry(place, record, epoch, at)
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
        self._keep(entry)
        return event

    def act(self, *actions: str, after: int = 1000, lag: int = 0) -> list[Event]:
        """Let the seats play actions."""
        events = []
        for action in actions:
            seat, clock = self.room.position.to_act, self.room.clock
            assert seat is not None
            given = clock.compensation(lag) if clock else 0
            events.append(self.add(Acted(seat, action, lag, given), after=after))
        return events

    def flag(self, late: int = 1) -> Event:
        """Let the running clock run out; the flag falls `late` ms after the deadline."""
        clock = self.room.clock
        assert clock is not None
        assert clock.running is not None
        assert clock.deadline is not None
        return self.add(Flagged(clock.running), after=clock.deadline + late - self.room.at)

    def resign(self, seat: int) -> Event:
        return self.add(Resigned(seat=0 if seat == 0 else 1, nonce="n2"))

    def close(self, text: str) -> Event:
        return self.add(Closed(text))

    def fork(self) -> Story:
        """A copy, to go on differently from here."""
        return copy.deepcopy(self)

    def _keep(self, entry: Entry) -> None:
        self.log.append(LogEntry.of(entry, room_digest(self.room)))


def _entry(place: Place | None, record: AnyRecord, epoch: int, at: int) -> Entry:
    place = place or EMPTY
    record, names = without_names(record)
    text, seq = encode_record(record), place.seq + 1
    return Entry(epoch, seq, chain(place.chain, epoch, seq, text, at), at, text.decode(), names)

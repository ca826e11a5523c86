"""True journals and logs made by hand, for tests of the checker to falsify.

The log is made by the protocol's own fold, which the checker does not use.
"""

from __future__ import annotations

from typing import Any

import msgspec

from chaos.checker import Verdict, check
from chaos.journal import Journal, JournalEntry
from chaos.reading import READ, WRITTEN
from chaos.world import Happened
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Renewed,
    Seated,
    chain,
    encode_record,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import (
    Act,
    Event,
    Join,
    Limits,
    LogEntry,
    Ok,
    Ping,
    ProvenPlace,
    Request,
    Snapshot,
    Welcome,
)
from pierule_protocol.state.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)

ROOM = "babebibo"
BEGAN = 1_800_000_000.0
PORT = 9
LIMITS = Limits(frame_bytes=1, rooms_followed=1, errors=1, hello_seconds=1, ping_seconds=1)


class Person:
    """A client with a hand-written journal. Its user id is its name."""

    def __init__(self, forge: Forge, name: str) -> None:
        self.journal = Journal(name)
        self.name = name
        self._forge = forge
        self._connection = 0
        self._id = 0

    def note(self, what: Any, data: Any = b"") -> None:
        self.journal.lines.append(JournalEntry(self._forge.now, self._connection, what, data))

    def connect(self) -> None:
        self._connection += 1
        self.note("opened", PORT)
        welcome = Welcome(protocol="", server="", user=self.name, name=self.name, limits=LIMITS,
                          games=[], features=[], token="")  # fmt: skip
        self.ask(Ping(id=0), welcome=welcome)

    def send(self, request: Request) -> int:
        """Send a request with a new id."""
        self._id += 1
        self.note("sent", WRITTEN.encode(msgspec.structs.replace(request, id=self._id)))
        return self._id

    def ask(self, request: Request, **answer: Any) -> None:
        """Send a request and get its `ok`."""
        self.get(Ok(id=self.send(request), **answer))

    def get(self, message: Any) -> None:
        self.note("got", READ.encode(message))

    def join(self) -> None:
        """Follow the room from a snapshot on."""
        room = self._forge.folded
        self.ask(Join(id=0, room=ROOM), room=ROOM, place=ProvenPlace.of(room.place), resumed=False)
        self.get(Snapshot(state=room_state(room)))

    def act(self, turn: int, action: str, event: Event) -> None:
        """Request the action that became this event, and get its `ok`."""
        from_event = {"epoch": event.epoch, "seq": event.seq, "chain": event.chain}
        place = msgspec.convert(from_event, type=ProvenPlace)
        self.ask(Act(id=0, room=ROOM, turn=turn, action=action), place=place, turn=turn + 1)


class Forge:
    """A world of one room and three people: players `ada` and `bea`, and `eve`, who watches."""

    def __init__(self, clock: ClockOptions | None = None) -> None:
        self.now = BEGAN
        self.log: list[LogEntry] = []
        self.events: list[Event] = []
        self.folded: Room
        self.happened: list[Happened] = []
        self.people = [Person(self, name) for name in ("ada", "bea", "eve")]
        self.ada, self.bea, self.eve = self.people
        self.append(Created("loose", 5, "ada", "ada", "n", 0, clock))
        self.append(Seated(1, "bea", "bea", "n"))
        for person in self.people:
            person.connect()
            person.join()

    def append(self, record: AnyRecord, at: float | None = None) -> Event:
        """Append an entry; return its event."""
        room = self.folded if self.log else None
        place = room.place if room else EMPTY
        epoch = place.epoch + (isinstance(record, Renewed) or room is None)
        text = encode_record(record)
        when = round(1_000 * (self.now if at is None else at))
        link = chain(place.chain, epoch, place.seq + 1, text, when)
        entry = Entry(epoch, place.seq + 1, link, when, text.decode())
        old = before(room) if room else None
        self.folded = fold(room, ROOM, entry)
        digest = room_digest(self.folded)
        fields: dict[str, Any] = {
            "epoch": epoch, "seq": entry.seq, "chain": link, "at": when, "record": entry.record,
            "digest": digest,
        }  # fmt: skip
        self.log.append(LogEntry(**fields))
        changes = diff(old or before(self.folded), self.folded)
        event = Event(room=ROOM, diff=changes, **fields)
        self.events.append(event)
        return event

    def play(self, action: str, tell: bool = True) -> Event:
        """Play an action of the seat to act: requested, kept, told and acknowledged."""
        self.now += 1
        seat, turn = self.folded.position.to_act, self.folded.turn
        event = self.append_action(action)
        if tell and seat is not None:
            self.tell(event)
            self.people[seat].act(turn, action, event)
        return event

    def append_action(self, action: str) -> Event:
        """Append an action of the seat to act, and tell nobody."""
        seat = self.folded.position.to_act
        assert seat is not None
        return self.append(Acted(seat, action))

    def tell(self, event: Event) -> None:
        for person in self.people:
            person.get(event)

    def taken_back(self, entries: int) -> None:
        """Simulate a fail-over that loses the end of the log."""
        self.now += 1
        del self.log[-entries:]
        self.happened.append(Happened("store fail-over", "store", self.now, self.now + 1, [PORT]))
        self.now += 1
        room: Room | None = None
        for each in self.log:
            room = fold(room, ROOM, each.entry)
        assert room is not None
        self.folded = room

    def verdict(self, last_words: bool = True) -> Verdict:
        """The checker's verdict on everything."""
        calm = self.now + 100
        self.now += 101
        for person in self.people if last_words else []:
            person.ask(Ping(id=0), now=0)
        journals = [person.journal for person in self.people]
        return check(journals, {ROOM: self.log}, self.happened, calm)

    def broken(self) -> set[str]:
        """The promises that the checker finds broken."""
        return {violation.promise for violation in self.verdict().violations}

"""What happened according to an exported room. `verify` judges whether that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from chaos.truth import Played, Truth, Violation
from pierule_protocol.log.controls import absence_bound
from pierule_protocol.log.events import (
    Acted,
    AnyRecord,
    Created,
    Entry,
    Offered,
    Place,
    Seated,
    decode_record,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, read_record
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import CorruptLog, Room
from social.offers import Offers


@dataclass
class Match(Truth):
    """A room by its record: besides its events, when each seat was taken and the game began (ms),
    and what kinds of events happened."""

    created: Created | None = None
    taken: list[int] = field(default_factory=lambda: [0, 0])
    began: int | None = None
    acts: list[tuple[int, float]] = field(default_factory=list)
    """The numbers of actions, and when each was written (ms)."""
    over: float | None = None
    """When the end was written (ms)."""
    kinds: Counter[str] = field(default_factory=Counter)
    result: str = "none"
    unheard: list[str] = field(default_factory=list)
    """Agreements without an offer, and similar flaws."""

    def seat_of(self, user: str) -> int | None:
        """The seat that this user holds at the end."""
        return self.seats.index(user) if user in self.seats else None

    @property
    def bound(self) -> int | None:
        """How long to wait for an absent player, in ms."""
        return absence_bound(self.created.clock) if self.created else None


def read_match(
    data: bytes, written: Mapping[tuple[str, int, int], float] = MappingProxyType({})
) -> tuple[Match, list[Violation]]:
    """The match of a record file, and its flaws. `written` are the times in ms at which events were
    written, by room, epoch and number; of all others the record itself tells it."""
    record = read_record(data)
    match = Match(record.room, record.events)
    flaw = verify(record)
    if flaw is not None:
        return match, [Violation("every room verifies", record.room, str(flaw))]
    try:
        _retell(match, record, written)
    except CorruptLog as error:
        return match, [Violation("every room verifies", record.room, str(error))]
    wrong = [Violation("what is agreed on was offered", record.room, it) for it in match.unheard]
    if record.final.status != "over":
        wrong.append(Violation("no room is left", record.room, f"is {record.final.status}"))
    elif record.final.result is not None:
        match.result = record.final.result.reason
    return match, wrong


def _retell(
    match: Match, record: RoomRecord, written: Mapping[tuple[str, int, int], float]
) -> None:
    room: Room | None = None
    offers = Offers()
    for event in record.events:
        turn, was_over = (room.turn, room.status == "over") if room else (0, False)
        entry = Entry(event.epoch, event.seq, event.chain, event.at, event.record)
        room = fold(room, record.room, entry)
        happened = decode_record(event.record)
        at = written.get((record.room, event.epoch, event.seq), event.at)
        if isinstance(happened, Acted):
            match.acts.append((event.seq, at))
        if match.over is None and room.status == "over":
            match.over = at
        _take(match, happened, event, turn, room)
        wrong = offers.take(happened, over=was_over)
        match.unheard += [f"{event.seq}: {wrong}"] if wrong else []
        if room.status == "over" and not was_over:
            offers.end()


def _take(match: Match, happened: AnyRecord, event: LogEntry, turn: int, room: Room) -> None:
    key = event.epoch, event.seq
    match.kept[key], match.digests[key] = event, event.digest
    match.kinds[happened.__struct_config__.tag] += 1  # type: ignore[index]
    match.seats = [holder.user if holder else None for holder in room.seats]
    if match.began is None and None not in match.seats:
        match.began = event.at
    if match.ended is None and room.status == "over":
        match.ended = event.at
    match happened:
        case Created():
            match.created, match.delay = happened, happened.delay
            match.taken = [event.at, event.at]
        case Seated(seat=seat):
            match.taken[seat] = event.at
        case Offered(what=what):
            match.kinds[f"offered {what}"] += 1
        case Acted(seat=seat, action=action):
            place = Place(event.epoch, event.seq, event.chain)
            user = match.seats[seat] or ""
            match.played[turn] = Played(user, turn, action, place, event.at)

"""Whether a room's record agrees with its own events: replays rules, clocks, chain and result.

Pure, and independent of any server. It cannot tell who wrote the record: somebody who changes an
event and recomputes everything after it (chain, digests and end) gets another valid record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from pierule_protocol.log.events import EMPTY, Acted, Place, chain, decode_record
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, record_of
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import (
    CorruptLog,
    Room,
    room_digest,
    room_state,
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong in a record. `seq` is the event's number; None if the flaw is not in an
    event."""

    seq: int | None
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


def verify(record: RoomRecord) -> Flaw | None:
    """The first flaw of a record; None if it has none. Raises UnknownGame if the rules of this game
    and version are not installed."""
    return next(_flaws(record), None)


def _flaws(record: RoomRecord) -> Iterator[Flaw]:
    """The flaws in order. Only the first one is meaningful, and callers take no more."""
    room: Room | None = None
    for event in record.events:
        place = room.place if room else EMPTY
        yield from _misplaced(record, place, event)
        expected = chain(place.chain, event.epoch, event.seq, event.record.encode(), event.at)
        if event.chain != expected:
            yield _flaw(event, f"its chain is recorded as {event.chain}, but this event after "
                        f"those before it gives {expected}")  # fmt: skip
        try:
            room = fold(room, record.room, event.entry)
        except CorruptLog as error:
            yield _flaw(event, error.why)
            return
        digest = room_digest(room)
        if event.digest != digest:
            yield _flaw(event, _differs("the digest of the position", event.digest, digest))
    if room is None:
        yield Flaw(1, "event 1", "is missing: there are no events")
        return
    yield from _ends(record, room)


def _misplaced(record: RoomRecord, known: Place, event: LogEntry) -> Iterator[Flaw]:
    wanted = known.seq + 1
    if event.seq == wanted:
        return
    comes = f"after event {known.seq} comes event {event.seq}" if known.seq else (
        f"the record begins with event {event.seq}")  # fmt: skip
    if event.seq in range(1, wanted):
        yield _flaw(event, "is in the record twice")
    elif any(other.seq == wanted for other in record.events):
        yield Flaw(wanted, f"event {wanted}", f"is not in its place: {comes}")
    else:
        yield Flaw(wanted, f"event {wanted}", f"is missing: {comes}")


def _ends(record: RoomRecord, room: Room) -> Iterator[Flaw]:
    """Compare the rest of the record with what its events give."""
    last = room.place.seq
    if record.final.place.seq > last:
        yield Flaw(last + 1, f"event {last + 1}", f"is missing: the last event is {last}")
    found = record_of(room_state(room), record.events)
    for name in ("game", "size", "control"):
        said, made = getattr(record.options, name), getattr(found.options, name)
        if said != made:
            yield Flaw(None, "options", _differs(f"the {name}", said, made))
    for seat in (0, 1):
        said, taken = record.seats[seat], found.seats[seat]
        if said != taken:
            yield Flaw(None, "seats", _differs(f"seat {seat}", said, taken))
    after = f"after the last event ({last})"
    for name in ("place", "status", "result", "position", "clock", "unrated"):
        said, became = getattr(record.final, name), getattr(found.final, name)
        if said not in (became, msgspec.UNSET):
            yield Flaw(None, after, _differs(f"the {name}", said, became))


def _differs(what: str, recorded: Any, found: Any) -> str:
    return f"{what} is recorded as {_shown(recorded)}; the events give {_shown(found)}"


def _shown(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))


def _flaw(event: LogEntry, why: str) -> Flaw:
    return Flaw(event.seq, f"event {event.seq}{_kind(event)}", why)


def _kind(event: LogEntry) -> str:
    try:
        record = decode_record(event.record)
    except (msgspec.DecodeError, RecursionError):
        return ""
    kind = record.__struct_config__.tag
    return f" ({kind} {record.action[:_SHOWN]})" if isinstance(record, Acted) else f" ({kind})"


_SHOWN = 40
"""The most characters of an action in a flaw's text: a forged action may be long."""

"""True records of rooms, and tools to forge them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pierule_protocol.log.controls import Byoyomi, Correspondence, Fischer, Turnwise
from pierule_protocol.log.events import (
    Aborted,
    AnyRecord,
    Credited,
    Renewed,
    Resigned,
    chain,
    encode_record,
)
from pierule_protocol.log.record import (
    RoomRecord,
)
from pierule_protocol.log.verify import Flaw, verify
from pierule_protocol.messages import LogEntry
from support.story import START, Story

FIVE = ("komi:12", "black", "c3", "b2", "d4")


def played() -> Story:
    story = Story()
    story.act(*FIVE, "pass", "pass")
    return story


def running() -> Story:
    story = Story(clock=Fischer(main=60, increment=2))
    story.act(*FIVE, after=1_500, lag=40)
    return story


def resigned() -> Story:
    story = Story(clock=Byoyomi(main=1, periods=3, period=5))
    story.act(*FIVE, after=4_000, lag=2_000)
    story.add(Credited(START + 10_000, START + 12_000))
    story.add(Resigned(0, "n9"), after=9_000)
    return story


def flagged() -> Story:
    story = Story(clock=Turnwise(time=10))
    story.act(*FIVE)
    story.flag(80)
    return story


def aborted() -> Story:
    story = Story(clock=Correspondence(days=1))
    assert story.room.deadline is not None
    story.add(Aborted(), after=story.room.deadline + 1 - story.room.at)
    return story


def unmet() -> Story:
    story = Story(open=True)
    story.add(Aborted(), after=story.room.open_time + 1)
    return story


def renewed() -> Story:
    story = Story("taugo", 6)
    story.add(Renewed())
    story.act("c3")
    story.add(Renewed())
    return story


STORIES = [played, running, resigned, flagged, aborted, unmet, renewed]
RECORDS = {make.__name__: make().record for make in STORIES}


def change(record: RoomRecord, seq: int, /, **fields: Any) -> RoomRecord:
    """Change fields of one event."""
    events = list(record.events)
    events[seq - 1] = msgspec.structs.replace(events[seq - 1], **fields)
    return msgspec.structs.replace(record, events=events)


def rewrite(record: RoomRecord, seq: int, /, **fields: Any) -> RoomRecord:
    """Change fields in the record of one event."""
    said = {**json.loads(record.events[seq - 1].record), **fields}
    return change(record, seq, record=json.dumps(said, separators=(",", ":")))


def relink(record: RoomRecord, first: int = 1) -> RoomRecord:
    """Compute all chains from an event on again, and the chain of the final place."""
    events = list(record.events)
    link = events[first - 2].chain if first > 1 else 0
    for index in range(first - 1, len(events)):
        event = events[index]
        link = chain(link, event.epoch, event.seq, event.record.encode(), event.at)
        events[index] = msgspec.structs.replace(event, chain=link)
    place = events[-1].place
    final = msgspec.structs.replace(record.final, place=place)
    return msgspec.structs.replace(record, events=events, final=final)


def with_events(record: RoomRecord, events: list[LogEntry], *, linked: bool = False) -> RoomRecord:
    """Replace the events; if `linked`, number and chain them again."""
    if not linked:
        return msgspec.structs.replace(record, events=events)
    numbered = [msgspec.structs.replace(e, seq=seq) for seq, e in enumerate(events, 1)]
    return relink(msgspec.structs.replace(record, events=numbered))


def told(record: AnyRecord, like: LogEntry, **fields: Any) -> LogEntry:
    """An invented event that follows `like`."""
    text = encode_record(record).decode()
    return msgspec.structs.replace(like, record=text, seq=like.seq + 1, **fields)


def ends(record: RoomRecord, **fields: Any) -> RoomRecord:
    return msgspec.structs.replace(record, final=msgspec.structs.replace(record.final, **fields))


def found(record: RoomRecord) -> Flaw:
    flaw = verify(record)
    assert flaw is not None
    return flaw


def collide(record: RoomRecord, seq: int, /, **fields: Any) -> RoomRecord:
    """Change fields in the record of one event, and its nonce so that the chain stays the same. A
    CRC is linear: the effect of one letter does not depend on the others."""
    event = record.events[seq - 1]
    before = record.events[seq - 2].chain if seq > 1 else 0

    def forged(nonce: str) -> RoomRecord:
        return rewrite(record, seq, **fields, nonce=nonce)

    def link(nonce: str) -> int:
        text = forged(nonce).events[seq - 1].record.encode()
        return chain(before, event.epoch, event.seq, text, event.at)

    plain, letters = link("a" * 40), ["a" * at + "b" + "a" * (39 - at) for at in range(40)]
    basis: dict[int, tuple[int, int]] = {}  # by highest bit: a change, and the letters that make it
    for at, nonce in enumerate(letters):
        change, made = _reduced(plain ^ link(nonce), 1 << at, basis)
        if change:
            basis[change.bit_length()] = change, made
    rest, chosen = _reduced(plain ^ event.chain, 0, basis)
    assert rest == 0
    return forged("".join("ba"[not chosen >> at & 1] for at in range(40)))


def _reduced(change: int, made: int, basis: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """The rest of a change after subtracting those of the basis, and the letters that make it."""
    while change.bit_length() in basis:
        known, by = basis[change.bit_length()]
        change, made = change ^ known, made ^ by
    return change, made

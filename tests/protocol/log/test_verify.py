"""Records of rooms: true ones are found true, and whatever is changed in one is found."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from pierule_games import GAMES
from pierule_protocol.log.controls import Fischer, Turnwise
from pierule_protocol.log.events import (
    Aborted,
    AnyRecord,
    Created,
    Credited,
    Holder,
    Renewed,
    Resigned,
    Seated,
)
from pierule_protocol.log.record import (
    RECORD_BYTES,
    BadRecord,
    FinalState,
    RoomRecord,
    read_record,
    write_record,
)
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import Result
from pierule_protocol.state.position import position_text
from support.forging import (
    FIVE,
    RECORDS,
    STORIES,
    change,
    ends,
    found,
    relink,
    rewrite,
    told,
    with_events,
)
from support.games import games
from support.story import START, Story

EACH = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)


# --- what is true ---


@EACH
def test_records_of_real_rooms_verify(record: RoomRecord) -> None:
    assert verify(record) is None


def test_every_prefix_of_a_room_is_true() -> None:
    for make in STORIES:
        whole = make()
        for length in range(1, len(whole.log)):
            state = whole.states[length - 1]
            record = msgspec.structs.replace(
                whole.record,
                events=whole.log[:length],
                seats=state.seats,
                final=FinalState(
                    place=state.place,
                    status=state.status,
                    result=state.result,
                    position=position_text(state.position),
                    clock=state.clock,
                ),
            )
            assert verify(record) is None


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_true(game: str) -> None:
    played = next(one for one in games() if one.game == game)
    story = Story(game, played.size, clock=Fischer(main=300, increment=1))
    story.act(*played.actions, after=700, lag=30)
    assert story.room.status == "over"
    assert verify(story.record) is None
    assert verify(read_record(write_record(story.record))) is None


@EACH
def test_records_are_written_alike_and_read_back(record: RoomRecord) -> None:
    data = write_record(record)
    assert data == write_record(read_record(data))
    assert read_record(data) == record
    assert data.endswith(b"\n}\n")
    assert data.startswith(b'{\n "format": "pierule.room",\n "version": 1,\n "room": "kobadimu",\n')


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"format":"\xff"}',
        b"[" * 100_000,
        b'{"format":"pierule.room","version":2}',
        b'{"format":"pierule.room","version":1}',
        b" " * (RECORD_BYTES + 1),
    ],
)
def test_a_file_that_is_not_a_record_is_refused(data: bytes) -> None:
    with pytest.raises(BadRecord) as bad:
        read_record(data)
    assert str(bad.value)


def test_unknown_fields_of_a_record_are_refused() -> None:
    fields = msgspec.to_builtins(RECORDS["played"])
    with pytest.raises(BadRecord, match="weather"):
        read_record(json.dumps({**fields, "weather": "fine"}).encode())


# --- an action ---


def test_a_changed_action_is_found() -> None:
    forged = rewrite(RECORDS["played"], 5, action="d3")
    for record in (forged, relink(forged, 6)):
        flaw = found(record)
        assert (flaw.seq, flaw.where) == (5, "event 5 (acted d3)")
        assert flaw.why.startswith("its chain is recorded as ")


def test_a_changed_action_with_a_repaired_chain_is_found() -> None:
    flaw = found(relink(rewrite(RECORDS["played"], 5, action="d3")))
    assert str(flaw).startswith("event 5 (acted d3): the digest of the position is recorded as ")


def test_a_changed_action_with_repaired_chain_and_digests_is_found() -> None:
    other = Story()
    other.act("komi:12", "black", "d3", "b2", "d4", "pass", "pass")
    forged = with_events(RECORDS["played"], other.log)
    flaw = found(ends(forged, place=other.record.final.place))
    assert flaw.where == "after the last event (9)"
    assert flaw.why.startswith("the position is recorded as ")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"action": "z9"}, "is not a legal action: "),
        ({"action": "c3-c7"}, "is not a legal action: "),
        ({"seat": 0}, "is an action of a seat that is not to act"),
        ({"seat": 2}, "is not a record: "),
        ({"kind": "danced"}, "is not a record: "),
        ({"kind": "resigned", "nonce": "x"}, "the digest of the position is recorded as "),
        ({"kind": "created"}, "is not a record: "),
        ({"kind": "flagged"}, "is a time-out before the deadline"),
    ],
)
def test_an_impossible_event_is_found(fields: dict[str, Any], why: str) -> None:
    flaw = found(relink(rewrite(RECORDS["played"], 5, **fields)))
    assert flaw.seq == 5
    assert flaw.why.startswith(why)


# --- a time ---


def shifted(record: RoomRecord, seq: int, ms: int) -> RoomRecord:
    return change(record, seq, at=record.events[seq - 1].at + ms)


@EACH
def test_a_changed_time_is_found(record: RoomRecord) -> None:
    for seq in range(1, len(record.events) + 1):
        for ms in (-1, 1):
            assert found(shifted(record, seq, ms)).seq == seq


def test_times_that_run_backwards_are_found() -> None:
    record = RECORDS["played"]
    flaw = found(relink(shifted(record, 5, -1_001)))
    assert str(flaw) == "event 5 (acted c3): is 1 ms older than the one before"
    flaw = found(relink(shifted(record, 5, 1_010)))
    assert str(flaw) == "event 6 (acted b2): is 10 ms older than the one before"


def test_an_action_after_its_deadline_is_found() -> None:
    story = Story(clock=Turnwise(time=10))
    story.act(*FIVE)
    deadline = story.room.deadline
    assert deadline is not None
    story.act("pass", after=deadline - story.room.at)
    record = story.record
    assert verify(record) is None
    flaw = found(relink(shifted(record, 8, 12)))
    assert str(flaw) == "event 8 (acted pass): comes 12 ms after the deadline"


def test_a_flag_that_falls_too_early_is_found() -> None:
    flaw = found(relink(shifted(RECORDS["flagged"], 8, -80)))
    assert str(flaw) == "event 8 (flagged): is a time-out before the deadline"


def test_a_changed_time_that_affects_only_a_clock_is_found() -> None:
    flaw = found(relink(shifted(RECORDS["running"], 5, 1)))
    assert flaw.seq is None
    assert flaw.where == "after the last event (7)"
    assert flaw.why.startswith('the clock is recorded as {"hands":[{"main":')


# --- order, and what is missing or too much ---


def test_swapped_events_are_found() -> None:
    events = list(RECORDS["played"].events)
    events[4], events[5] = events[5], events[4]
    flaw = found(with_events(RECORDS["played"], events))
    assert str(flaw) == "event 5: is not in its place: after event 4 comes event 6"


def test_swapped_events_with_repaired_numbers_and_chain_are_found() -> None:
    events = list(RECORDS["played"].events)
    events[4], events[5] = events[5], events[4]
    flaw = found(with_events(RECORDS["played"], events, linked=True))
    assert str(flaw) == "event 5 (acted b2): is an action of a seat that is not to act"


@pytest.mark.parametrize(
    ("dropped", "text"),
    [
        (1, "event 1: is missing: the record begins with event 2"),
        (5, "event 5: is missing: after event 4 comes event 6"),
        (9, "event 9: is missing: the last event is 8"),
    ],
)
def test_a_dropped_event_is_found(dropped: int, text: str) -> None:
    events = list(RECORDS["played"].events)
    del events[dropped - 1]
    assert str(found(with_events(RECORDS["played"], events))) == text


def test_a_dropped_event_with_repaired_numbers_and_chain_is_found() -> None:
    for record in RECORDS.values():
        for seq in range(1, len(record.events) + 1):
            events = [event for event in record.events if event.seq != seq]
            if not events:
                continue
            forged = with_events(record, events, linked=True)
            if json.loads(record.events[seq - 1].record)["kind"] not in ("renewed", "credited"):
                assert found(forged).seq in (None, *range(seq, len(events) + 1))


def test_a_record_without_events_is_found() -> None:
    flaw = found(with_events(RECORDS["played"], []))
    assert str(flaw) == "event 1: is missing: there are no events"


def test_a_repeated_event_is_found() -> None:
    events = list(RECORDS["played"].events)
    flaw = found(with_events(RECORDS["played"], [*events[:5], events[4], *events[5:]]))
    assert str(flaw) == "event 5 (acted c3): is in the record twice"


def test_an_event_added_at_the_end_is_found() -> None:
    record = RECORDS["running"]
    last = record.events[-1]
    extra = told(Resigned(0, "x"), last)
    flaw = found(with_events(record, [*record.events, extra]))
    assert (flaw.seq, flaw.where) == (8, "event 8 (resigned)")
    flaw = found(with_events(record, [*record.events, extra], linked=True))
    assert flaw.where == "after the last event (8)"
    assert flaw.why == 'the status is recorded as "running"; the events give "over"'
    flaw = found(with_events(record, [*record.events, extra, extra], linked=True))
    assert str(flaw) == "event 9 (resigned): comes after the end of the game"


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (Created("loose", 5, "eve", "Eve", "x"), "makes the room a second time"),
        (Seated(0, "eve", "Eve", "x"), "takes a seat that is already taken"),
        (Aborted(), "is a time-out before the deadline"),
        (Credited(START, START + 10**9), "credits time that was not lost"),
        (Renewed(), "cannot be of epoch 1"),
    ],
)
def test_an_inserted_event_is_found(record: AnyRecord, why: str) -> None:
    events = list(RECORDS["running"].events)
    events.insert(4, told(record, events[3]))
    flaw = found(with_events(RECORDS["running"], events, linked=True))
    assert (flaw.seq, flaw.why) == (5, why)


@EACH
def test_a_changed_epoch_is_found(record: RoomRecord) -> None:
    epoch = 1
    for event in record.events:
        # One that is renewed may begin any later epoch.
        other = epoch if '"renewed"' in event.record else epoch + 1
        forged, epoch = change(record, event.seq, epoch=other), event.epoch
        assert found(forged).seq == event.seq
        flaw = found(relink(forged))
        assert (flaw.seq, flaw.why) == (event.seq, f"cannot be of epoch {other}")


# --- lag ---


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"lag": 41}, "compensates 40 ms of 41 ms lag instead of 41 ms"),
        ({"given": 39}, "compensates 39 ms of 40 ms lag instead of 40 ms"),
        (
            {"lag": 10_000, "given": 10_000},
            "compensates 10000 ms of 10000 ms lag instead of 2090 ms",
        ),
        ({"lag": -5, "given": -5}, "has a lag below 0"),
    ],
)
def test_a_changed_compensation_is_found(fields: dict[str, int], why: str) -> None:
    forged = rewrite(RECORDS["running"], 5, **fields)
    assert found(forged).why.startswith("its chain")
    flaw = found(relink(forged))
    assert (flaw.seq, flaw.why) == (5, why)


# --- what the record says beside its events ---


def test_a_changed_digest_is_found() -> None:
    for event in RECORDS["played"].events:
        flaw = found(change(RECORDS["played"], event.seq, digest=event.digest ^ 1))
        assert flaw.seq == event.seq
        assert flaw.why.startswith("the digest of the position is recorded as ")


def test_changed_seats_are_found() -> None:
    record = RECORDS["played"]
    ada, bob = record.seats
    for seats, where in [
        ((ada, None), "seat 1"),
        ((Holder("ada", "Eve"), bob), "seat 0"),
        ((ada, Holder("eve", "Bob")), "seat 1"),
        ((bob, ada), "seat 0"),
    ]:
        flaw = found(msgspec.structs.replace(record, seats=seats))
        assert (flaw.seq, flaw.where) == (None, "seats")
        assert flaw.why.startswith(f"{where} is recorded as ")


@pytest.mark.parametrize(
    "options", [{"game": "taugo"}, {"size": 7}, {"control": None},
                {"control": Fischer(main=60, increment=3)}, {"control": Turnwise(time=60)}],
)  # fmt: skip
def test_changed_options_are_found(options: dict[str, Any]) -> None:
    record = RECORDS["running"]
    flaw = found(
        msgspec.structs.replace(record, options=msgspec.structs.replace(record.options, **options))
    )
    assert (flaw.seq, flaw.where) == (None, "options")
    assert flaw.why.startswith(f"the {next(iter(options))} is recorded as ")


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("played", {"result": Result(1, "played")}, "the result"),
        ("played", {"result": Result(0, "resigned")}, "the result"),
        ("played", {"result": None}, "the result"),
        ("played", {"status": "running", "result": None}, "the status"),
        ("running", {"result": Result(0, "resigned")}, "the result"),
        ("aborted", {"result": Result(0, "flagged")}, "the result"),
        ("flagged", {"clock": None}, "the clock"),
        ("played", {"position": "loose 5 over - 1 0 12 2 3-14 0 ....."}, "the position"),
    ],
)
def test_a_changed_end_is_found(name: str, fields: dict[str, Any], why: str) -> None:
    record = RECORDS[name]
    flaw = found(ends(record, **fields))
    assert flaw.seq is None
    assert flaw.where == f"after the last event ({len(record.events)})"
    assert flaw.why.startswith(f"{why} is recorded as ")

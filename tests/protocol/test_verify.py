"""Records of rooms: true ones are found true, and whatever is changed in one is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.controls import Byoyomi, Correspondence, Fischer, Turnwise
from pierule_protocol.events import (
    Aborted,
    AnyRecord,
    Created,
    Credited,
    Renewed,
    Resigned,
    Seated,
    chain,
    encode_record,
)
from pierule_protocol.messages import Holder, LogEntry, Result
from pierule_protocol.position import digest, position_text
from pierule_protocol.record import (
    RECORD_BYTES,
    BadRecord,
    FinalState,
    RoomRecord,
    read_record,
    write_record,
)
from pierule_protocol.verify import Flaw, verify
from pierule_rules import GAMES
from support.story import START, Story

VECTORS = Path(__file__).parents[1] / "vectors" / "games.jsonl"
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
    assert story.room.deadline is not None
    story.add(Aborted(), after=story.room.deadline + 1 - story.room.at)
    return story


def renewed() -> Story:
    story = Story("taugo", 6)
    story.add(Renewed(), epoch=2)
    story.act("c3")
    story.add(Renewed(), epoch=3)
    return story


STORIES = [played, running, resigned, flagged, aborted, unmet, renewed]
RECORDS = {make.__name__: make().record for make in STORIES}
EACH = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)


# --- what is true ---


@EACH
def test_what_has_happened_is_true(record: RoomRecord) -> None:
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
    lines = map(json.loads, VECTORS.read_text().splitlines())
    vector = next(line for line in lines if line["game"] == game)
    story = Story(game, vector["size"], clock=Fischer(main=300, increment=1))
    story.act(*vector["actions"], after=700, lag=30)
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
def test_what_is_no_record(data: bytes) -> None:
    with pytest.raises(BadRecord) as bad:
        read_record(data)
    assert str(bad.value)


def test_what_nobody_knows_is_no_part_of_a_record() -> None:
    fields = msgspec.to_builtins(RECORDS["played"])
    with pytest.raises(BadRecord, match="weather"):
        read_record(json.dumps({**fields, "weather": "fine"}).encode())


# --- what is not: the forger's tools ---


def change(record: RoomRecord, seq: int, /, **fields: Any) -> RoomRecord:
    """Other fields in one event."""
    events = list(record.events)
    events[seq - 1] = msgspec.structs.replace(events[seq - 1], **fields)
    return msgspec.structs.replace(record, events=events)


def rewrite(record: RoomRecord, seq: int, /, **fields: Any) -> RoomRecord:
    """Other fields in what one event says."""
    said = {**json.loads(record.events[seq - 1].record), **fields}
    return change(record, seq, record=json.dumps(said, separators=(",", ":")))


def relink(record: RoomRecord, first: int = 1) -> RoomRecord:
    """All chains from an event on computed again, the last one's also at the end."""
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
    """Other events; if `linked`, numbered and chained anew."""
    if not linked:
        return msgspec.structs.replace(record, events=events)
    numbered = [msgspec.structs.replace(e, seq=seq) for seq, e in enumerate(events, 1)]
    return relink(msgspec.structs.replace(record, events=numbered))


def told(record: AnyRecord, like: LogEntry, **fields: Any) -> LogEntry:
    """An event that never was, to stand after `like`."""
    text = encode_record(record).decode()
    return msgspec.structs.replace(like, record=text, seq=like.seq + 1, **fields)


def ends(record: RoomRecord, **fields: Any) -> RoomRecord:
    return msgspec.structs.replace(record, final=msgspec.structs.replace(record.final, **fields))


def found(record: RoomRecord) -> Flaw:
    flaw = verify(record)
    assert flaw is not None
    return flaw


# --- an action ---


def test_another_action() -> None:
    forged = rewrite(RECORDS["played"], 5, action="d3")
    for record in (forged, relink(forged, 6)):
        flaw = found(record)
        assert (flaw.seq, flaw.where) == (5, "event 5 (acted d3)")
        assert flaw.why.startswith("its chain is recorded as ")


def test_another_action_with_the_chain_made_good() -> None:
    flaw = found(relink(rewrite(RECORDS["played"], 5, action="d3")))
    assert str(flaw).startswith("event 5 (acted d3): the digest of the position is recorded as ")


def test_another_action_with_chain_and_digests_made_good() -> None:
    other = Story()
    other.act("komi:12", "black", "d3", "b2", "d4", "pass", "pass")
    forged = with_events(RECORDS["played"], other.log)
    flaw = found(ends(forged, place=other.record.final.place))
    assert flaw.where == "after event 9, the last one"
    assert flaw.why.startswith("the position is recorded as ")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"action": "z9"}, "is no legal action: "),
        ({"action": "c3-c7"}, "is no legal action: "),
        ({"seat": 0}, "is by a seat that is not to act"),
        ({"seat": 2}, "is no record: "),
        ({"kind": "danced"}, "is no record: "),
        ({"kind": "resigned", "nonce": "x"}, "the digest of the position is recorded as "),
        ({"kind": "created"}, "is no record: "),
        ({"kind": "flagged"}, "times a seat out before its deadline"),
    ],
)
def test_an_event_that_cannot_be(fields: dict[str, Any], why: str) -> None:
    flaw = found(relink(rewrite(RECORDS["played"], 5, **fields)))
    assert flaw.seq == 5
    assert flaw.why.startswith(why)


# --- a time ---


def shifted(record: RoomRecord, seq: int, ms: int) -> RoomRecord:
    return change(record, seq, at=record.events[seq - 1].at + ms)


@EACH
def test_another_time(record: RoomRecord) -> None:
    for seq in range(1, len(record.events) + 1):
        for ms in (-1, 1):
            assert found(shifted(record, seq, ms)).seq == seq


def test_times_that_run_backwards() -> None:
    record = RECORDS["played"]
    flaw = found(relink(shifted(record, 5, -1_001)))
    assert str(flaw) == "event 5 (acted c3): is 1 ms older than the one before"
    flaw = found(relink(shifted(record, 5, 1_010)))
    assert str(flaw) == "event 6 (acted b2): is 10 ms older than the one before"


def test_an_action_after_its_deadline() -> None:
    story = Story(clock=Turnwise(time=10))
    story.act(*FIVE)
    deadline = story.room.deadline
    assert deadline is not None
    story.act("pass", after=deadline - story.room.at)
    record = story.record
    assert verify(record) is None
    flaw = found(relink(shifted(record, 8, 12)))
    assert str(flaw) == "event 8 (acted pass): comes 12 ms after the deadline"


def test_a_flag_that_falls_too_early() -> None:
    flaw = found(relink(shifted(RECORDS["flagged"], 8, -80)))
    assert str(flaw) == "event 8 (flagged): times a seat out before its deadline"


def test_a_time_that_changes_only_a_clock() -> None:
    flaw = found(relink(shifted(RECORDS["running"], 5, 1)))
    assert flaw.seq is None
    assert flaw.where == "after event 7, the last one"
    assert flaw.why.startswith('the clock is recorded as {"hands":[{"main":')


# --- order, and what is missing or too much ---


def test_swapped_events() -> None:
    events = list(RECORDS["played"].events)
    events[4], events[5] = events[5], events[4]
    flaw = found(with_events(RECORDS["played"], events))
    assert str(flaw) == "event 5: is not in its place: after event 4 comes event 6"


def test_swapped_events_with_numbers_and_chain_made_good() -> None:
    events = list(RECORDS["played"].events)
    events[4], events[5] = events[5], events[4]
    flaw = found(with_events(RECORDS["played"], events, linked=True))
    assert str(flaw) == "event 5 (acted b2): is by a seat that is not to act"


@pytest.mark.parametrize(
    ("dropped", "text"),
    [
        (1, "event 1: is missing: the record begins with event 2"),
        (5, "event 5: is missing: after event 4 comes event 6"),
        (9, "event 9: is missing: the last one is event 8"),
    ],
)
def test_a_dropped_event(dropped: int, text: str) -> None:
    events = list(RECORDS["played"].events)
    del events[dropped - 1]
    assert str(found(with_events(RECORDS["played"], events))) == text


def test_a_dropped_event_with_numbers_and_chain_made_good() -> None:
    for record in RECORDS.values():
        for seq in range(1, len(record.events) + 1):
            events = [event for event in record.events if event.seq != seq]
            if not events:
                continue
            forged = with_events(record, events, linked=True)
            if json.loads(record.events[seq - 1].record)["kind"] not in ("renewed", "credited"):
                assert found(forged).seq in (None, *range(seq, len(events) + 1))


def test_no_events_at_all() -> None:
    flaw = found(with_events(RECORDS["played"], []))
    assert str(flaw) == "event 1: is missing: there are no events"


def test_an_event_that_stands_there_twice() -> None:
    events = list(RECORDS["played"].events)
    flaw = found(with_events(RECORDS["played"], [*events[:5], events[4], *events[5:]]))
    assert str(flaw) == "event 5 (acted c3): stands in the record twice"


def test_an_added_event() -> None:
    record = RECORDS["running"]
    last = record.events[-1]
    extra = told(Resigned(0, "x"), last)
    flaw = found(with_events(record, [*record.events, extra]))
    assert (flaw.seq, flaw.where) == (8, "event 8 (resigned)")
    flaw = found(with_events(record, [*record.events, extra], linked=True))
    assert flaw.where == "after event 8, the last one"
    assert flaw.why == 'the status is recorded as "running"; the events give "over"'
    flaw = found(with_events(record, [*record.events, extra, extra], linked=True))
    assert str(flaw) == "event 9 (resigned): comes after the game's end"


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (Created("loose", 5, "eve", "Eve", "x"), "makes the room again"),
        (Seated(0, "eve", "Eve", "x"), "takes a seat that is taken"),
        (Aborted(), "times a seat out before its deadline"),
        (Credited(START, START + 10**9), "credits time that was not lost"),
        (Renewed(), "cannot be of epoch 1"),
    ],
)
def test_an_event_put_in_between(record: AnyRecord, why: str) -> None:
    events = list(RECORDS["running"].events)
    events.insert(4, told(record, events[3]))
    flaw = found(with_events(RECORDS["running"], events, linked=True))
    assert (flaw.seq, flaw.why) == (5, why)


@EACH
def test_another_epoch(record: RoomRecord) -> None:
    for event in record.events:
        forged = change(record, event.seq, epoch=event.epoch + 1)
        assert found(forged).seq == event.seq
        flaw = found(relink(forged))
        assert (flaw.seq, flaw.why) == (event.seq, f"cannot be of epoch {event.epoch + 1}")


# --- lag ---


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"lag": 41}, "compensates 40 ms of 41 ms lag; 41 ms were due"),
        ({"given": 39}, "compensates 39 ms of 40 ms lag; 40 ms were due"),
        (
            {"lag": 10_000, "given": 10_000},
            "compensates 10000 ms of 10000 ms lag; 2090 ms were due",
        ),
        ({"lag": -5, "given": -5}, "has a lag below 0"),
    ],
)
def test_another_compensation(fields: dict[str, int], why: str) -> None:
    forged = rewrite(RECORDS["running"], 5, **fields)
    assert found(forged).why.startswith("its chain")
    flaw = found(relink(forged))
    assert (flaw.seq, flaw.why) == (5, why)


# --- what the record says beside its events ---


def test_another_digest() -> None:
    for event in RECORDS["played"].events:
        flaw = found(change(RECORDS["played"], event.seq, digest=event.digest ^ 1))
        assert flaw.seq == event.seq
        assert flaw.why.startswith("the digest of the position is recorded as ")


def test_other_seats() -> None:
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
def test_other_options(options: dict[str, Any]) -> None:
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
def test_another_end(name: str, fields: dict[str, Any], why: str) -> None:
    record = RECORDS[name]
    flaw = found(ends(record, **fields))
    assert flaw.seq is None
    assert flaw.where == f"after event {len(record.events)}, the last one"
    assert flaw.why.startswith(f"{why} is recorded as ")


# --- anything at all ---


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in JSON that is no container, with the way to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, (*path, index))
    else:
        yield path, value


JSON = {name: json.loads(write_record(record)) for name, record in RECORDS.items()}
SCALARS = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), st.integers(-5, 5),
    st.integers(-(10**40), 10**40), st.sampled_from(["open", "over", "fischer", "played", 0.5]),
)  # fmt: skip


@given(st.data(), st.sampled_from(sorted(JSON)))
def test_no_change_of_any_value_goes_unnoticed(data: st.DataObject, name: str) -> None:
    fields = json.loads(json.dumps(JSON[name]))
    path, old = data.draw(
        st.sampled_from([each for each in leaves(fields) if each[0] != ("room",)])
    )
    new = data.draw(_others(old).filter(lambda new: new != old or type(new) is not type(old)))
    at = fields
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    try:
        record = read_record(json.dumps(fields).encode())
    except BadRecord:
        return
    flaw = found(record)
    if path[0] == "events":
        assert flaw.seq == path[1] + 1 or path[2] == "seq"


def _others(old: Any) -> st.SearchStrategy[Any]:
    if isinstance(old, int):
        return SCALARS | st.integers(-3, 3).map(lambda more: old + more)
    if isinstance(old, str) and old:
        places = st.integers(0, len(old) - 1)
        return SCALARS | st.builds(
            lambda at, letter: old[:at] + letter + old[at + 1 :], places, st.characters()
        )
    return SCALARS


@given(st.data(), st.sampled_from(sorted(RECORDS)))
def test_no_other_choice_or_order_of_events_goes_unnoticed(data: st.DataObject, name: str) -> None:
    record = RECORDS[name]
    events = data.draw(st.lists(st.sampled_from(record.events), max_size=len(record.events) + 1))
    if events != record.events:
        wrong = next(
            (i for i, (a, b) in enumerate(zip(events, record.events, strict=False)) if a != b),
            min(len(events), len(record.events)),
        )
        flaw = found(with_events(record, events))
        assert flaw.seq is not None
        assert flaw.seq <= wrong + 1


@given(st.text() | st.builds(json.dumps, st.dictionaries(st.text(), st.integers())))
def test_whatever_an_event_says_the_answer_is_a_flaw(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    forged = relink(change(RECORDS["running"], 5, record=text))
    flaw = found(forged)
    assert (flaw.seq, flaw.where) == (5, "event 5")
    assert flaw.why.startswith("is no record: ")


def test_the_digest_is_that_of_the_final_position() -> None:
    for record in RECORDS.values():
        assert digest(record.final.position) == record.events[-1].digest

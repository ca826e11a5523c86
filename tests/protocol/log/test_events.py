"""Records, the chain over them, and how an event stands to what is known (law 6)."""

from __future__ import annotations

from typing import get_args
from zlib import crc32

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import (
    EMPTY,
    Aborted,
    Acted,
    AnyRecord,
    Claimed,
    Closed,
    Created,
    Credited,
    Declined,
    Drawn,
    Entry,
    Flagged,
    Holder,
    Offered,
    Paused,
    Place,
    Rematched,
    Rematching,
    Renewed,
    Resigned,
    Resumed,
    Seated,
    Step,
    TakenBack,
    Withdrawn,
    chain,
    chain_record,
    decode_record,
    encode_record,
    step,
)
from support.logs import crc_by_bits, write
from support.shapes import messages

RECORD_TYPES: tuple[type[AnyRecord], ...] = get_args(AnyRecord)

WRITTEN = [
    (
        Created("loose", 5, "u", "Ürs", "n", 1),
        '{"kind":"created","game":"loose","size":5,"user":"u","name":"Ürs","nonce":"n","seat":1}',
    ),
    (
        Created("loose", 5, "u", "N", "n"),
        '{"kind":"created","game":"loose","size":5,"user":"u","name":"N","nonce":"n"}',
    ),
    (
        Seated(1, "u", "N", "n"),
        '{"kind":"seated","seat":1,"user":"u","name":"N","nonce":"n"}',
    ),
    (Acted(0, "c3-c7"), '{"kind":"acted","seat":0,"action":"c3-c7"}'),
    (
        Created("loose", 5, "u", "N", "n", clock=Fischer(main=300, increment=5)),
        (
            '{"kind":"created","game":"loose","size":5,"user":"u","name":"N","nonce":"n",'
            '"clock":{"kind":"fischer","main":300,"increment":5}}'
        ),
    ),
    (
        Acted(0, "c3-c7", 40, 30),
        '{"kind":"acted","seat":0,"action":"c3-c7","lag":40,"given":30}',
    ),
    (Flagged(1), '{"kind":"flagged","seat":1}'),
    (Aborted(), '{"kind":"aborted"}'),
    (Closed("why"), '{"kind":"closed","text":"why"}'),
    (Closed("why", "limit"), '{"kind":"closed","text":"why","by":"limit"}'),
    (Credited(1, 2), '{"kind":"credited","lost_from":1,"lost_to":2}'),
    (Resigned(0, "n"), '{"kind":"resigned","seat":0,"nonce":"n"}'),
    (Renewed(), '{"kind":"renewed"}'),
    (Aborted(1, "n"), '{"kind":"aborted","seat":1,"nonce":"n"}'),
    (Offered(0, "draw", "n"), '{"kind":"offered","seat":0,"what":"draw","nonce":"n"}'),
    (Declined(0, "draw", "n"), '{"kind":"declined","seat":0,"what":"draw","nonce":"n"}'),
    (Withdrawn(0, "draw", "n"), '{"kind":"withdrawn","seat":0,"what":"draw","nonce":"n"}'),
    (TakenBack(0, "n"), '{"kind":"taken_back","seat":0,"nonce":"n"}'),
    (
        Claimed(1, "win", 1_700_000_000_000, 30_000, "n"),
        '{"kind":"claimed","seat":1,"outcome":"win","gone":1700000000000,"bound":30000,"nonce":"n"}',
    ),
    (Drawn(0, "n"), '{"kind":"drawn","seat":0,"nonce":"n"}'),
    (Paused(0, "n"), '{"kind":"paused","seat":0,"nonce":"n"}'),
    (Resumed(0, "n"), '{"kind":"resumed","seat":0,"nonce":"n"}'),
    (Resumed(), '{"kind":"resumed"}'),
    (Rematching(0, "n"), '{"kind":"rematching","seat":0,"nonce":"n"}'),
    (Rematched(0, "n", "kobadimu"), '{"kind":"rematched","seat":0,"nonce":"n","room":"kobadimu"}'),
    (
        Created(
            "loose",
            5,
            "u",
            "N",
            "n",
            access="private",
            invitation="ab",
            delay=2,
            players=(Holder("u", "N"), Holder("v", "M")),
            rematch_of="kobadimu",
        ),
        (
            '{"kind":"created","game":"loose","size":5,"user":"u","name":"N","nonce":"n",'
            '"access":"private","invitation":"ab","delay":2,"players":[{"user":"u","name":"N"},'
            '{"user":"v","name":"M"}],"rematch_of":"kobadimu"}'
        ),
    ),
]


@pytest.mark.parametrize(("record", "text"), WRITTEN)
def test_the_text_of_records_is_stable_over_releases(record: AnyRecord, text: str) -> None:
    """Logs outlive releases: what was written must be read by every later one."""
    assert encode_record(record).decode() == text
    assert decode_record(text) == record


def test_every_kind_of_record_is_pinned() -> None:
    assert {type(record) for record, _ in WRITTEN} == set(RECORD_TYPES)


@given(st.one_of(*map(messages, RECORD_TYPES)))
def test_records_round_trip(record: AnyRecord) -> None:
    assert decode_record(encode_record(record).decode()) == record


def test_fields_of_later_releases_are_ignored() -> None:
    text = '{"kind":"acted","clock":{"left":[1,2]},"seat":0,"action":"a1"}'
    assert decode_record(text) == Acted(0, "a1")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "nope", '{"kind":"unheard"}', '{"kind":"acted","seat":2}']
)
def test_an_invalid_record_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_record(text)


# --- the chain ---------------------------------------------------------------------------------

FIRST, SECOND = '{"kind":"created"}', '{"kind":"acted","action":"é"}'


def test_the_chain_matches_literal_numbers() -> None:
    """Literal numbers, and where they come from: one CRC over all that the log says."""
    first = chain(0, 1, 1, FIRST.encode(), 1_700_000_001_000)
    second = chain(first, 1, 2, SECOND.encode(), 1_700_000_002_000)
    assert (first, second) == (421908776, 1191932638)
    said = f"1 1 {FIRST} 1700000001000" + f"1 2 {SECOND} 1700000002000"
    assert second == crc_by_bits(said.encode())


@given(
    st.lists(st.tuples(st.binary(max_size=40), st.integers(0, 2**42), st.integers(1, 2**53))),
)
def test_the_chain_is_one_crc_over_all_events(events: list[tuple[bytes, int, int]]) -> None:
    link, said = 0, b""
    for seq, (record, at, epoch) in enumerate(events, 1):
        link = chain(link, epoch, seq, record, at)
        said += b"%d %d " % (epoch, seq) + record + b" %d" % at
    assert link == crc_by_bits(said)


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 9), st.integers(1, 99), st.binary(), st.integers(0)
)
def test_the_chain_can_be_computed_in_two_parts(
    previous: int, epoch: int, seq: int, record: bytes, at: int
) -> None:
    """The node carries it over the record, the store over the time that it stamps."""
    half = chain_record(previous, epoch, seq, record)
    assert crc32(b"%d" % at, half) == chain(previous, epoch, seq, record, at)


# --- steps -------------------------------------------------------------------------------------

KNOWN = Place(5, 8, 0xC0FFEE)


def entry_at(epoch: int, seq: int, link: str) -> Entry:
    """An entry whose chain is `same` as the known one, `follows` from it, or is `other`."""
    follows = chain(KNOWN.chain, epoch, seq, b"{}", 77)
    number = {"same": KNOWN.chain, "follows": follows, "other": 0xBAD}[link]
    return Entry(epoch, seq, number, 77, "{}")


# Rows: an earlier, the same, a later epoch. Columns: seq - 2, - 1, the same, + 1, + 2, + 3.
D, N, H, F = Step.DUPLICATE, Step.NEXT, Step.HOLE, Step.FORK
TABLE = {
    "same": {-1: [D, D, D, D, D, D], 0: [D, D, D, F, H, H], 1: [F, F, F, F, H, H]},
    "follows": {-1: [D, D, D, D, D, D], 0: [D, D, F, N, H, H], 1: [F, F, F, N, H, H]},
    "other": {-1: [D, D, D, D, D, D], 0: [D, D, F, F, H, H], 1: [F, F, F, F, H, H]},
}


@pytest.mark.parametrize(
    ("link", "epoch", "seq", "expected"),
    [
        (link, KNOWN.epoch + epoch, KNOWN.seq - 2 + column, expected)
        for link, rows in TABLE.items()
        for epoch, row in rows.items()
        for column, expected in enumerate(row)
    ],
)
def test_an_entry_is_the_next_a_duplicate_a_hole_or_a_fork(
    link: str, epoch: int, seq: int, expected: Step
) -> None:
    assert step(KNOWN, entry_at(epoch, seq, link)) is expected


@pytest.mark.parametrize("field", ["epoch", "seq", "chain", "at", "record"])
def test_an_entry_with_any_wrong_field_does_not_follow(field: str) -> None:
    first, second = write(EMPTY, Renewed(), Acted(0, "a1"))
    assert step(EMPTY, first) is Step.NEXT
    assert step(first.place, second) is Step.NEXT
    value = getattr(second, field)
    other = value + 1 if isinstance(value, int) else value + " "
    changed = msgspec.structs.replace(second, **{field: other})
    assert step(first.place, changed) in (Step.FORK, Step.HOLE)


def test_the_first_entry_follows_nothing() -> None:
    assert step(EMPTY, entry_at(1, 2, "other")) is Step.HOLE
    assert step(EMPTY, entry_at(1, 1, "other")) is Step.FORK


@given(
    st.integers(0, 3), st.integers(0, 5), st.integers(0, 2), st.integers(0, 3), st.integers(0, 6)
)
def test_only_the_next_entry_is_accepted(
    epoch: int, seq: int, link: int, later: int, at_seq: int
) -> None:
    """Whatever the places: NEXT means the very next number, no earlier life, a true chain."""
    known = Place(epoch, seq, link)
    for number in (link, chain(link, later, at_seq, b"{}", 1)):
        entry = Entry(later, at_seq, number, 1, "{}")
        follows = at_seq == seq + 1 and later >= epoch and number != link
        assert (step(known, entry) is Step.NEXT) == follows


def test_places_are_ordered_by_epoch_then_seq() -> None:
    assert Place(1, 9, 9) < Place(2, 1, 0) < Place(2, 2, 0)
    assert Place(1, 1, 0) > EMPTY
    assert entry_at(5, 9, "other").place == Place(5, 9, 0xBAD)

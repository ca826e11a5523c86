"""Statements are unambiguous, and signatures are on all that they should be on."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.events import Closed
from pierule_protocol.log.proof import (
    Unsignable,
    is_signed,
    key_id,
    log_hash,
    netstrings,
    record_statement,
)
from pierule_protocol.log.verify import verify
from support.forging import collide, ends, played, resigned, rewrite, running
from support.signing import KEY, OTHER, public_of, sign
from support.story import Story
from support.vectors.proofs import record as archived


@given(st.lists(st.text()), st.lists(st.text()))
def test_netstrings_of_different_texts_differ(one: list[str], other: list[str]) -> None:
    assert (netstrings(*one) == netstrings(*other)) == (one == other)


def test_a_log_of_the_same_crc_has_another_hash() -> None:
    """The forged record is true to its own events, and has the chain of the true one."""
    true = resigned().record
    last = len(true.events)
    forged = collide(true, last, seat=1)
    result = msgspec.structs.replace(true.final.result, winner=0)  # type: ignore[type-var]
    position = true.final.position
    forged = ends(forged, result=result, position=position)
    assert verify(forged) is None
    assert [event.chain for event in forged.events] == [event.chain for event in true.events]
    assert forged.final.place == true.final.place
    assert log_hash(forged.events) != log_hash(true.events)
    assert record_statement(forged) != record_statement(true)


def test_the_hash_covers_each_line_separately() -> None:
    """No event can take a part of the next one into itself."""
    first, second = played().record.events[:2]
    joined = msgspec.structs.replace(
        first, record=f"{first.record} {first.at}{second.epoch} {second.seq} {second.record}",
        at=second.at,
    )  # fmt: skip
    assert log_hash([joined]) != log_hash([first, second])


def test_the_text_of_operators_is_not_signed() -> None:
    def closed(text: str) -> Story:
        story = Story()
        story.act("komi:12")
        story.add(Closed(text=text))
        return story

    one, other = closed("cheating").record, closed("").record
    assert record_statement(one) == record_statement(other)
    named = rewrite(one, 3, action='say "closed"')
    assert log_hash(named.events) != log_hash(one.events)


def test_escapes_in_a_record_do_not_change_the_statement() -> None:
    first = Story().record.events[0]
    signed = [
        log_hash([msgspec.structs.replace(first, record=f'{{"kind":"{kind}","text":"x"}}')])
        for kind in ("closed", "cl\\u006fsed", "acted")
    ]
    assert signed[0] == signed[1] != signed[2]


def test_every_field_is_signed() -> None:
    true = played().record
    seats = true.seats[1], true.seats[0]
    result = true.final.result
    assert result is not None
    several = [
        true,
        msgspec.structs.replace(true, room="bumatodigefoha"),
        msgspec.structs.replace(true, seats=seats),
        ends(true, result=msgspec.structs.replace(result, winner=None)),
        ends(true, result=msgspec.structs.replace(result, winner="draw")),
        ends(true, result=msgspec.structs.replace(result, reason="agreed")),
        rewrite(true, 1, rules=2),
        rewrite(true, 5, action="d3"),
        msgspec.structs.replace(true, events=true.events[:-1]),
    ]
    said = sorted(record_statement(each) for each in several)
    assert all(one != other for one, other in pairwise(said))


def test_a_game_that_is_not_over_cannot_be_signed() -> None:
    with pytest.raises(Unsignable, match="not a finished game"):
        record_statement(running().record)
    with pytest.raises(Unsignable, match="first event"):
        record_statement(rewrite(played().record, 1, kind="danced"))
    with pytest.raises(Unsignable, match="first event"):
        record_statement(msgspec.structs.replace(played().record, events=[]))


def test_a_signature_is_of_one_key_and_one_statement() -> None:
    statement = record_statement(archived(played()))
    public, signature = public_of(KEY), sign(KEY, statement)
    assert is_signed(public, statement, signature)
    assert not is_signed(public_of(OTHER), statement, signature)
    assert not is_signed(public, statement + b" ", signature)
    assert not is_signed(public, statement, signature[:-1])
    assert key_id(public) != key_id(public_of(OTHER))

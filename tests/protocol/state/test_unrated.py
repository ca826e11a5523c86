"""Which games count for ratings: a function of the log, and the first reason is told."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pierule_protocol.log.events import (
    EMPTY,
    Created,
    Holder,
    Seated,
    Standing,
    Unrated,
    encode_record,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Result
from pierule_protocol.state.room import before, diff, own_card, room_state
from pierule_protocol.state.unrated import SHORTEST, WORDS, why_unrated
from support.logs import folded, write

ADA, BERT = (Holder(name, "", registered=True) for name in ("ada", "bert"))
GUEST, BOT = Holder("carl", ""), Holder("bot", "", bot=True, registered=True)
ANCHOR = Holder("house", "", bot=True, standing=Standing(1500, 30))
WON = Result(0, "played")


@pytest.mark.parametrize(
    ("rated", "access", "seats", "result", "plies", "why"),
    [
        (None, "private", (ADA, ADA), None, 0, "before"),
        ("no", "private", (ADA, ADA), None, 0, "wish"),
        ("either", "private", (ADA, ADA), None, 0, "private"),
        ("either", "unlisted", (ADA, ADA), None, 0, "same_player"),
        ("either", "public", (GUEST, BOT), None, 0, "bot"),
        ("either", "public", (ADA, BOT), WON, 9, "bot"),
        ("either", "public", (ANCHOR, BOT), None, 0, "bot"),
        ("either", "public", (ANCHOR, replace(ANCHOR, user="other")), None, 0, "bot"),
        ("either", "public", (ANCHOR, ANCHOR), None, 0, "same_player"),
        ("either", "public", (ANCHOR, GUEST), None, 0, "guest"),
        ("no", "public", (ADA, ANCHOR), None, 0, "wish"),
        ("either", "public", (GUEST, None), None, 0, "guest"),
        ("yes", "public", (ADA, GUEST), WON, 9, "guest"),
        ("either", "public", (ADA, BERT), Result(None, "closed"), 9, "closed"),
        ("either", "public", (ADA, BERT), Result(None, "voided"), 9, "voided"),
        ("either", "public", (ADA, BERT), Result(None, "aborted"), 0, "aborted"),
        ("either", "public", (ADA, BERT), Result(None, "left"), 9, "aborted"),
        ("either", "public", (ADA, BERT), Result(1, "resigned"), SHORTEST - 1, "short"),
        ("either", "public", (ADA, BERT), Result("draw", "agreed"), SHORTEST - 1, "short"),
        ("either", "public", (None, None), None, 0, None),
        ("yes", "public", (ADA, None), None, 0, None),
        ("either", "unlisted", (ADA, BERT), None, 0, None),
        ("either", "public", (ADA, BERT), Result(1, "left"), SHORTEST, None),
        ("either", "public", (ADA, BERT), Result("draw", "agreed"), SHORTEST, None),
        ("yes", "public", (ADA, BERT), WON, SHORTEST, None),
        ("either", "public", (ANCHOR, None), None, 0, None),
        ("either", "public", (ANCHOR, BERT), WON, SHORTEST, None),
    ],
)
def test_the_first_reason_against_rating_is_given(
    rated: Any, access: Any, seats: Any, result: Any, plies: int, why: Unrated | None
) -> None:
    assert why_unrated(rated, access, seats, result, plies) == why


def test_every_reason_against_rating_has_a_text() -> None:
    assert set(WORDS) == set(get_args(Unrated))


def test_absent_rating_fields_are_not_written() -> None:
    """Records of earlier servers are the same bytes as they were."""
    for record in (Created("g", 5, "u", "", "n"), Seated(0, "u", "", "n")):
        assert (record.registered, getattr(record, "rated", None)) == (False, None)
        assert b"standing" not in encode_record(record)


@pytest.mark.parametrize(
    ("standing", "interval"),
    [
        (Standing(1500, 250), (1000, 2000)),
        (Standing(-20, 111), (-242, 202)),
        (Standing(1583, 110), None),
    ],
)
def test_a_provisional_rating_is_an_interval(standing: Standing, interval: Any) -> None:
    assert standing.interval == interval


holders = st.none() | st.sampled_from([ADA, BERT, GUEST, BOT, replace(BOT, user="other")])


@given(
    st.sampled_from(["yes", "either"]), st.sampled_from(["public", "unlisted"]),
    st.tuples(holders, holders), st.sampled_from([None, WON, Result("draw", "agreed")]),
    st.integers(0, 99),
)  # fmt: skip
def test_a_game_with_a_bot_that_is_no_anchor_does_not_count(
    rated: Any, access: Any, seats: Any, result: Any, plies: int
) -> None:
    if any(each is not None and each.bot for each in seats):
        assert why_unrated(rated, access, seats, result, plies) in ("bot", "same_player")


standings = st.none() | st.builds(Standing, st.integers(-999, 9_999), st.integers(30, 250))


@given(standings, standings)
def test_the_fold_gives_the_ratings_in_the_log(one: Standing | None, two: Standing | None) -> None:
    """To whoever follows, to listings, and to rematches, which write both at once."""
    made = Created("loose", 5, "ada", "", "n0", 0, rated="either", registered=True, standing=one)
    seated = Seated(1, "bert", "", "n1", registered=True, standing=two)
    room, [entry] = folded(write(EMPTY, made)), write(write(EMPTY, made)[0].place, seated)
    old = before(room)
    assert own_card(room).standings == (one, None)
    fold(room, "room", entry)
    told = diff(old, room).seats
    assert told == room_state(room).seats
    assert told == (replace(ADA, standing=one), replace(BERT, standing=two))
    assert own_card(room).standings == (one, two)
    again = folded(write(EMPTY, replace(made, seat=None, players=told)))
    assert room_state(again).seats == told

"""What players agree on, as the fold tells it: what is restored, what stands still, and what no
log may hold (SPEC 19)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_games.clock import PAUSE_TIME
from pierule_games.loose.rules import Loose
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import Correspondence, Fischer
from pierule_protocol.log.events import (
    Aborted,
    Acted,
    AnyRecord,
    Declined,
    Drawn,
    Offered,
    Paused,
    Rematched,
    Rematching,
    Resigned,
    Resumed,
    TakenBack,
    Withdrawn,
)
from pierule_protocol.messages import Result
from pierule_protocol.state.offers import MOST, Offers
from pierule_protocol.state.room import STRIDE, CorruptLog
from support.games import game
from support.story import Story
from support.timed import Timed

ACTIONS = game("loose", 5).actions
FISCHER = Fischer(main=600, increment=2)


def timed(turns: int) -> Timed:
    """After so many actions, one each second."""
    room = Timed(FISCHER)
    for number, action in enumerate(ACTIONS[:turns], 1):
        room.act(1_000 * number, action)
    return room


def test_a_takeback_matches_the_example_of_the_spec() -> None:
    """SPEC 19.8, with seat 1's turn from 1,000 on."""
    room = Timed(Fischer(main=60, increment=2))
    room.act(1_000, "komi:12")
    room.act(4_000, "black")
    room.act(7_000, "c3")
    assert room.room.clock is not None
    assert room.room.clock.hands[1].main == 56_000
    room.add(8_000, Offered(1, "takeback", "a"))
    event = room.add(9_000, TakenBack(0, "b"))
    clock = room.room.clock
    assert clock is not None
    assert (clock.running, clock.hands[1].main) == (1, 60_000)
    assert room.room.at - clock.started == 3_000
    assert (event.diff.ply, event.diff.turn) == (2, 4)
    assert room.room.actions == ["komi:12", "black"]


def test_a_takeback_replays_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """And leads where the actions lead, also beyond a position that was kept."""
    whole = game("loose", 13)
    room, played = Timed(None, size=13), 0
    for number, action in enumerate(whole.actions[: 2 * STRIDE + 2], 1):
        room.act(number, action)
    play = Loose.play

    def counted(position: Loose, action: str) -> Loose | Refusal:
        nonlocal played
        played += 1
        return play(position, action)

    monkeypatch.setattr(Loose, "play", counted)
    for number in range(5):
        before, played = len(room.room.actions), 0
        room.add(1_000, Offered(0, "takeback", f"a{number}"))
        room.add(1_000, TakenBack(1, f"b{number}"))
        ply = len(room.room.actions)
        assert ply < before
        assert room.room.position == whole.positions[ply]
        assert played < STRIDE
    assert ply < 2 * STRIDE
    for action in whole.actions[ply : 2 * STRIDE + 2]:
        room.act(2_000, action)
    assert room.room.kept == whole.positions[: 2 * STRIDE + 1 : STRIDE]


@given(
    st.lists(st.integers(0, 20_000), min_size=2, max_size=12),
    st.integers(0, 1),
    st.integers(0, 9_000),
)
def test_a_takeback_gains_no_time(gaps: list[int], by: Any, pondered: int) -> None:
    """Whatever was played at whatever pace: both have what they had in that position, no more."""
    room, at = Timed(FISCHER), 0
    lefts = []
    for gap, action in zip(gaps, ACTIONS, strict=False):
        clock = room.room.clock
        assert clock is not None
        lefts.append((room.room.position.to_act, [clock.left(s, room.room.at) for s in (0, 1)]))
        at += gap
        room.act(at, action, lag=40)
    if all(seat != by for seat, _ in lefts):
        return
    ply = max(ply for ply, (seat, _) in enumerate(lefts) if seat == by)
    room.add(at, Offered(by, "takeback", "a"))
    room.add(at + pondered, TakenBack(1 - by, "b"))
    clock = room.room.clock
    assert clock is not None
    assert len(room.room.actions) == ply
    assert clock.running == by
    assert [clock.left(s, room.room.at) for s in (0, 1)] == lefts[ply][1]


@given(st.integers(0, 60_000), st.integers(0, PAUSE_TIME - 1), st.booleans())
def test_a_pause_costs_no_time(before: int, pause: int, by_itself: bool) -> None:
    room = Timed(FISCHER)
    room.add(before, Offered(1, "pause", "a"))
    room.add(before, Paused(0, "b"))
    assert room.deadline == before + PAUSE_TIME
    paused = room.room.clock
    assert paused is not None
    seen = [paused.left(0, room.room.at + later) for later in (0, pause)]
    assert seen[0] == seen[1]
    if by_itself:
        end = before + PAUSE_TIME + 1
        room.add(end, Resumed())
    else:
        end = before + pause
        room.add(end, Offered(0, "resume", "c"))
        room.add(end, Resumed(1, "d"))
    after = room.room.clock
    assert after is not None
    assert after.left(0, room.room.at) == seen[0]
    assert room.deadline == end - before + 600_000 + 3 * paused.control.quota_gain


def test_an_outage_in_a_pause_is_not_credited() -> None:
    clock = timed(0).room.clock
    assert clock is not None
    paused = clock.pause(clock.started + 5_000)
    lost = paused.credit(clock.started + 4_000, clock.started + 9_000)
    assert lost.started == clock.started + 1_000
    assert lost.deadline == paused.deadline


DRAW: list[AnyRecord] = [Offered(0, "draw", "a"), Drawn(1, "b")]
OVER: list[AnyRecord] = [Resigned(0, "r")]
REMATCHING: list[AnyRecord] = [*OVER, Offered(0, "rematch", "a"), Rematching(1, "b")]
FORGED: list[tuple[str, list[AnyRecord]]] = [
    ("loose", DRAW[:1]),
    ("taugo", [Offered(0, "resume", "a")]),
    ("taugo", [Offered(0, "rematch", "a")]),
    ("taugo", [Offered(0, "takeback", "a")]),  # it has played nothing
    ("taugo", [Drawn(1, "b")]),
    ("taugo", [DRAW[0], Drawn(0, "b")]),
    ("taugo", [DRAW[0], Paused(1, "b")]),
    ("taugo", [DRAW[0], Offered(0, "pause", "b")]),
    ("taugo", [DRAW[0], Withdrawn(0, "draw", "b"), Offered(0, "draw", "c")]),
    ("taugo", [DRAW[0], Declined(1, "draw", "b"), Drawn(1, "c")]),
    ("taugo", [DRAW[0], Declined(0, "draw", "b")]),
    ("taugo", [DRAW[0], Withdrawn(1, "draw", "b")]),
    ("taugo", [DRAW[0], Acted(0, "c3"), Drawn(1, "c")]),
    ("taugo", [*DRAW, Offered(0, "takeback", "c")]),
    ("taugo", [Acted(0, "c3"), Aborted(0, "b")]),
    ("taugo", [Offered(0, "pause", "a"), Paused(1, "b"), Acted(0, "c3")]),
    ("taugo", [Offered(0, "pause", "a"), Paused(1, "b"), Offered(0, "draw", "c")]),
    ("taugo", [Resumed()]),
    ("taugo", [*OVER, Rematched(1, "b", "kobadimu")]),
    ("taugo", [*REMATCHING, Rematched(0, "b", "kobadimu")]),
    ("taugo", [*REMATCHING, Offered(0, "rematch", "c")]),
    ("taugo", [*REMATCHING, Rematched(1, "b", "x"), Rematched(1, "b", "y")]),
]


@pytest.mark.parametrize(("name", "records"), FORGED)
def test_an_impossible_agreement_is_a_corrupt_log(name: str, records: list[AnyRecord]) -> None:
    story = Story(name, 5 if name == "loose" else 6, clock=FISCHER)
    for record in records[:-1]:
        story.add(record)
    with pytest.raises(CorruptLog):
        story.add(records[-1])


def test_a_pause_is_corrupt_in_a_room_that_allows_none() -> None:
    for clock in (None, Correspondence(days=1)):
        story = Story("taugo", 6, clock=clock)
        assert not story.room.knows("pause")
        with pytest.raises(CorruptLog):
            story.add(Offered(0, "pause", "a"))


def test_a_draw_and_an_abort_end_the_room() -> None:
    story = Story("taugo", 6, clock=FISCHER)
    aborted = story.fork()
    for record in DRAW:
        event = story.add(record)
    assert story.room.result == Result("draw", "agreed")
    assert event.diff.offers == (None, None)
    aborted.add(Aborted(1, "b"))
    assert aborted.room.result == Result(None, "aborted")
    assert aborted.room.deadline is None


def test_the_number_of_offers_of_a_seat_is_bounded() -> None:
    offers = Offers()
    for _ in range(MOST):
        assert offers.hindrance(0, "draw") is None
        offers = offers.make(0, "draw").lapsed()
    assert offers.hindrance(0, "draw") is not None
    assert offers.hindrance(1, "draw") is None

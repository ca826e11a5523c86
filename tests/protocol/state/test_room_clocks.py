"""The fold with clocks: when they start, settle and stand still, and what no log could tell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from pierule_protocol.log.controls import (
    ABANDONED_TIME,
    DAY,
    OPEN_TIME,
    PUBLIC_OPEN_TIME,
    Byoyomi,
    ClockOptions,
    Correspondence,
    Fischer,
    Turnwise,
)
from pierule_protocol.log.events import (
    EMPTY,
    Aborted,
    Access,
    Acted,
    AnyRecord,
    Created,
    Credited,
    Flagged,
    Resigned,
    Seated,
)
from pierule_protocol.messages import ClockState, HandState, Result, RoomState
from pierule_protocol.state.mirror import advance
from pierule_protocol.state.room import CorruptLog, room_state
from support.games import game
from support.logs import folded, write
from support.timed import BEGIN, OPENED, Timed

FISCHER = Fischer(main=10, increment=2)
# 0.4 % of 10 s and 40 times 2 s, and 150 ms.
GAIN = 510
FIRST = 10_000 + 3 * GAIN
"""The first deadline of each seat after its turn began."""

ACTIONS = game("loose", 5).actions
CONTROLS: list[ClockOptions] = [
    FISCHER, Fischer(main=60), Byoyomi(main=5, periods=3, period=2), Turnwise(time=30),
    Correspondence(days=1),
]  # fmt: skip


def begun(clock: ClockOptions | None = FISCHER) -> Timed:
    """After komi, at 4 s: seat 1 is to choose a color, then to play."""
    timed = Timed(clock)
    timed.act(4_000, "komi:16")
    return timed


def credited(lost_from: int, lost_to: int) -> Credited:
    return Credited(BEGIN + lost_from, BEGIN + lost_to)


# --- start, settle, keep --------------------------------------------------------------------


def test_an_open_room_has_no_deadline_in_its_log() -> None:
    timed = Timed(FISCHER, seated=False)
    assert timed.deadline is None
    assert room_state(timed.room).clock == ClockState(
        hands=(HandState(10_000, 0, 3 * GAIN), HandState(10_000, 0, 3 * GAIN)),
        running=None, started=0, deadline=None,
    )  # fmt: skip
    assert Timed(None, seated=False).deadline is None
    assert Timed(None).deadline == ABANDONED_TIME


def test_the_clock_starts_when_both_sit_and_set_up_runs_on_it() -> None:
    timed = Timed(FISCHER)
    assert timed.events[0].diff.clock == ClockState(
        hands=(HandState(10_000, 0, 3 * GAIN), HandState(10_000, 0, 3 * GAIN)),
        running=0, started=BEGIN, deadline=BEGIN + FIRST,
    )  # fmt: skip


def test_the_clock_of_a_seat_starts_when_it_first_has_to_act() -> None:
    timed = begun()
    assert timed.events[-1].diff.clock == ClockState(
        hands=(HandState(8_000, 0, 4 * GAIN), HandState(10_000, 0, 3 * GAIN)),
        running=1, started=BEGIN + 4_000, deadline=BEGIN + 4_000 + FIRST,
    )  # fmt: skip


def test_choosing_a_color_and_playing_share_one_deadline() -> None:
    timed = begun()
    chosen = timed.act(6_000, "black")
    assert chosen.diff.clock is UNSET
    assert timed.deadline == 4_000 + FIRST
    timed.act(7_000, "d3")
    assert room_state(timed.room).clock == ClockState(
        hands=(HandState(8_000, 0, 4 * GAIN), HandState(9_000, 0, 4 * GAIN)),
        running=0, started=BEGIN + 7_000, deadline=BEGIN + 7_000 + 8_000 + 4 * GAIN,
    )  # fmt: skip


def test_passing_the_choice_of_color_stops_the_clock() -> None:
    timed = begun()
    timed.act(6_000, "white")
    assert timed.room.clock is not None
    assert timed.room.clock.running == timed.room.position.to_act


def test_no_clock_runs_after_the_end() -> None:
    timed = Timed(FISCHER)
    for number, action in enumerate(ACTIONS):
        timed.act(100 * number, action)
    state = room_state(timed.room)
    assert (state.status, timed.deadline) == ("over", None)
    assert state.clock is not None
    assert (state.clock.running, state.clock.deadline) == (None, None)


def test_a_room_without_a_clock_never_gets_one() -> None:
    """Its deadline is that of the abandoned (SPEC 9.3), and no hand of a clock."""
    timed = begun(None)
    timed.act(10**9, "black")
    assert timed.deadline == 10**9 + ABANDONED_TIME
    assert all(event.diff.clock is UNSET for event in timed.events)
    assert room_state(timed.room).clock is None
    assert room_state(timed.room).control is None


# --- up to the deadline, and after it -------------------------------------------------------

MINE: list[AnyRecord] = [Acted(1, "black"), Resigned(1, "r"), Resigned(0, "r")]


@pytest.mark.parametrize("record", MINE)
def test_a_players_event_counts_up_to_the_deadline(record: AnyRecord) -> None:
    begun().add(4_000 + FIRST, record)
    with pytest.raises(CorruptLog, match="comes 1 ms after the deadline"):
        begun().add(4_000 + FIRST + 1, record)


def test_a_seat_is_flagged_after_the_deadline() -> None:
    timed = begun()
    event = timed.add(4_000 + FIRST + 1, Flagged(1))
    assert timed.room.result == event.diff.result == Result(0, "flagged")
    assert event.diff.status == "over"
    assert event.diff.clock == ClockState(
        hands=(HandState(8_000, 0, 4 * GAIN), HandState(0, 0, 3 * GAIN)),
        running=None, started=BEGIN + 4_000, deadline=None,
    )  # fmt: skip


def test_a_first_seat_that_does_not_begin_aborts_the_game() -> None:
    timed = Timed(FISCHER)
    timed.add(FIRST + 1, Aborted())
    assert timed.room.result == Result(None, "aborted")


@pytest.mark.parametrize("clock", [None, FISCHER])
def test_an_open_room_is_aborted_or_taken_at_any_time(clock: ClockOptions | None) -> None:
    for ms in (1, 2 * OPEN_TIME):
        timed = Timed(clock, seated=False)
        timed.fork().add(OPENED + ms, Seated(1, "bert", "Bert", "s"))
        timed.add(OPENED + ms, Aborted())
        assert timed.room.result == Result(None, "aborted")


@pytest.mark.parametrize(
    ("access", "clock", "stays"),
    [
        ("public", None, PUBLIC_OPEN_TIME), ("public", FISCHER, PUBLIC_OPEN_TIME),
        ("public", Correspondence(days=1), OPEN_TIME), ("unlisted", FISCHER, OPEN_TIME),
        ("private", None, OPEN_TIME),
    ],
)  # fmt: skip
def test_a_public_room_without_days_stays_open_for_less_long(
    access: Access, clock: ClockOptions | None, stays: int
) -> None:
    made = Created("loose", 5, "anna", "Anna", "n", 0, clock, access)
    assert folded(write(EMPTY, made)).open_time == stays


LATE = 10**9
UNTRUE: list[tuple[Timed, int, AnyRecord, str]] = [
    (begun(), 4_000 + FIRST, Flagged(1), "before the deadline"),
    (begun(), LATE, Flagged(0), "not running"),
    (begun(), LATE, Aborted(), "has begun"),
    (Timed(FISCHER), FIRST, Aborted(), "before the deadline"),
    (Timed(FISCHER), LATE, Flagged(0), "not running"),
    (Timed(FISCHER, seated=False), LATE, Flagged(0), "not running"),
    (begun(None), LATE, Flagged(1), "before the deadline"),
    (Timed(None), LATE, Aborted(), "before the deadline"),
    (begun(), 4_001, credited(4_000, 4_000), "not lost"),
    (begun(), 4_001, credited(4_001, 4_000), "not lost"),
    (begun(), 4_001, credited(4_000, 4_002), "not lost"),
    (begun(), 5_000, Acted(1, "black", lag=7, given=6), "6 ms of 7 ms lag instead of 7 ms"),
    (begun(), 5_000, Acted(1, "black", lag=7, given=8), "8 ms of 7 ms lag"),
    (begun(), 5_000, Acted(1, "black", lag=9_999, given=9_999), "instead of 1530 ms"),
    (begun(), 5_000, Acted(1, "black", lag=-1, given=-1), "lag"),
    (begun(None), 5_000, Acted(1, "black", lag=5, given=5), "instead of 0 ms"),
]


@pytest.mark.parametrize(("timed", "at", "record", "why"), UNTRUE)
def test_impossible_times_are_corrupt(timed: Timed, at: int, record: AnyRecord, why: str) -> None:
    with pytest.raises(CorruptLog, match=why):
        timed.fork().add(at, record)


@pytest.mark.parametrize(
    "record", [Acted(1, "black"), Resigned(1, "r"), Flagged(1), Aborted(), credited(0, 5)]
)
def test_an_event_after_the_end_is_corrupt(record: AnyRecord) -> None:
    timed = begun()
    timed.add(5_000, Resigned(0, "r"))
    with pytest.raises(CorruptLog, match="after the end of the game"):
        timed.add(LATE, record)


# --- outages and lag ------------------------------------------------------------------------


def test_a_credit_moves_the_deadline_by_what_fell_into_the_turn() -> None:
    timed = begun()
    event = timed.add(9_000, credited(1_000, 8_500))
    assert timed.deadline == 4_000 + FIRST + 4_500
    assert event.diff.clock is not UNSET
    assert event.diff.clock is not None
    assert event.diff.clock.started == BEGIN + 8_500
    timed.add(20_000, credited(15_000, 18_000))
    assert timed.deadline == 4_000 + FIRST + 7_500
    timed.act(4_000 + FIRST + 7_500, "black")


def test_a_credit_of_time_before_the_turn_changes_nothing() -> None:
    timed = begun()
    assert timed.add(5_000, credited(1_000, 3_000)).diff.clock is UNSET
    assert timed.deadline == 4_000 + FIRST


@pytest.mark.parametrize("timed", [Timed(None), begun(None), Timed(FISCHER, seated=False)])
def test_a_credit_changes_nothing_if_no_clock_runs(timed: Timed) -> None:
    timed = timed.fork()
    deadline = timed.deadline
    assert timed.add(9_000, credited(1_000, 8_000)).diff.clock is UNSET
    assert timed.deadline == deadline


def test_both_actions_of_a_turn_draw_on_one_quota() -> None:
    timed = begun()
    timed.act(5_000, "black", lag=1_500)
    event = timed.act(9_000, "d3", lag=100)
    assert '"lag":100,"given":30' in event.record
    assert timed.room.clock is not None
    hand = timed.room.clock.hands[1]
    assert (hand.main, hand.quota) == (10_000 - 5_000 + 1_530 + 2_000, GAIN)


def test_lag_does_not_move_the_deadline_that_is_known() -> None:
    timed = begun()
    timed.act(5_000, "black", lag=1_000)
    assert timed.deadline == 4_000 + FIRST


# --- what clients know ----------------------------------------------------------------------


@settings(deadline=None)
@given(st.sampled_from(CONTROLS), st.data())
def test_diffs_lead_from_snapshot_to_snapshot(clock: ClockOptions, data: st.DataObject) -> None:
    """At any speed and lag, with outages, to any end: a client without rules shows the clocks
    that a snapshot shows, and a diff carries the clock only if it has changed."""
    timed = Timed(clock, seated=False)
    mirrors: RoomState = timed.snapshot
    timed = Timed(clock)
    states = [room_state(timed.room)]
    for action in ACTIONS[: data.draw(st.integers(0, 12))]:
        start, deadline = timed.room.at - BEGIN, timed.deadline
        assert deadline is not None
        at = data.draw(st.sampled_from([start, deadline]) | st.integers(start, deadline))
        if data.draw(st.booleans()) and at > start:
            timed.add(at, credited(data.draw(st.integers(start - 9, at - 1)), at))
            states.append(room_state(timed.room))
        timed.act(at, action, data.draw(st.integers(0, 3_000)))
        states.append(room_state(timed.room))
    deadline = timed.deadline
    assert deadline is not None
    seat = timed.room.position.to_act
    assert seat is not None
    timed.add(deadline + 1, Flagged(seat) if timed.room.turns else Aborted())
    states.append(room_state(timed.room))
    for event, state in zip(timed.events, states, strict=True):
        after = advance(mirrors, event)
        assert after == state
        assert (event.diff.clock is UNSET) == (mirrors.clock == state.clock)
        mirrors = state


def test_a_state_contains_its_control() -> None:
    for clock in CONTROLS:
        assert room_state(Timed(clock).room).control == clock
    assert room_state(begun(Correspondence(days=3)).room).clock == ClockState(
        hands=(HandState(0, 1, 4_000), HandState(0, 1, 3_000)),
        running=1, started=BEGIN + 4_000, deadline=BEGIN + 4_000 + 3 * DAY + 3_000,
    )  # fmt: skip

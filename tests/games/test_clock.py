"""The clock's arithmetic against plain sums, and its laws as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_games.clock import Clock, Control, Hand, Left
from pierule_games.game import OTHER

FISCHER = Control(main=60_000, increment=2_000)
BYOYOMI = Control(main=10_000, periods=3, period=5_000)
PER_ACTION = Control(periods=1, period=30_000)

controls = st.one_of(
    st.builds(Control, main=st.integers(1, 10**7), increment=st.integers(0, 10**5)),
    st.builds(
        Control,
        main=st.integers(0, 10**7),
        periods=st.integers(1, 25),
        period=st.integers(1, 10**6),
    ),
)


def used(control: Control, elapsed: int, lag: int = 0) -> Hand:
    """Seat 0's hand after one turn of a fresh clock."""
    clock = Clock.fresh(control).begin(0, 1_000)
    return clock.act(1_000 + elapsed, clock.compensation(lag), 1).hands[0]


@pytest.mark.parametrize(
    ("control", "gain"),
    [
        # Estimates of 60 + 40 * 2, 10 + 40 * 5 and 40 * 30 seconds.
        (FISCHER, 710),
        (BYOYOMI, 990),
        (PER_ACTION, 1_000),
        (Control(main=1_000), 154),
        (Control(main=0, periods=1, period=1_000), 310),
    ],
)
def test_quota_follows_the_estimated_length(control: Control, gain: int) -> None:
    assert (control.quota_gain, control.quota_first, control.quota_most) == (
        gain,
        3 * gain,
        7 * gain,
    )


@pytest.mark.parametrize(
    ("elapsed", "lag", "main"),
    [(0, 0, 62_000), (10_000, 0, 52_000), (10_000, 300, 52_300), (60_000, 0, 2_000)],
)
def test_a_fischer_clock_adds_its_increment(elapsed: int, lag: int, main: int) -> None:
    assert used(FISCHER, elapsed, lag).main == main


def test_an_action_over_the_budget_uses_the_quota() -> None:
    hand = used(FISCHER, 60_500)
    assert (hand.main, hand.quota) == (2_000, FISCHER.quota_first + FISCHER.quota_gain - 500)


@pytest.mark.parametrize(
    ("elapsed", "main", "periods"),
    [
        (4_000, 6_000, 3),
        (10_000, 0, 3),
        (10_001, 0, 3),
        (15_000, 0, 3),
        (15_001, 0, 2),
        (20_000, 0, 2),
        (20_001, 0, 1),
        (25_000, 0, 1),
        (25_500, 0, 1),
    ],
)
def test_byoyomi_loses_a_period_only_when_it_is_overstepped(
    elapsed: int, main: int, periods: int
) -> None:
    hand = used(BYOYOMI, elapsed)
    assert (hand.main, hand.periods) == (main, periods)


def test_a_time_for_each_turn_begins_anew() -> None:
    clock = Clock.fresh(PER_ACTION).begin(0, 0)
    for at in range(29_000, 29_000 * 10, 29_000):
        clock = clock.act(at, 0, 1 if clock.running == 0 else 0)
        assert clock.deadline == at + 30_000 + clock.hands[clock.running or 0].quota
        assert [hand.periods for hand in clock.hands] == [1, 1]


def test_a_turn_of_two_actions_keeps_its_deadline_and_settles_once() -> None:
    clock = Clock.fresh(FISCHER).begin(0, 0).act(1_000, 0, 1)
    deadline = clock.deadline
    clock = clock.act(5_000, 100, 1)
    assert clock.deadline == deadline
    clock = clock.act(11_000, 100, 0)
    assert clock.hands[1].main == 60_000 - 10_000 + 200 + 2_000


def test_a_credit_covers_the_part_of_an_outage_in_the_turn() -> None:
    clock = Clock.fresh(FISCHER).begin(0, 10_000)
    deadline = clock.deadline
    assert deadline is not None
    assert clock.credit(12_000, 15_000).deadline == deadline + 3_000
    assert clock.credit(5_000, 15_000).deadline == deadline + 5_000
    assert clock.credit(5_000, 9_000).deadline == deadline


def test_a_stopped_clock_keeps_the_time_that_was_left() -> None:
    assert Clock.fresh(FISCHER).begin(1, 0).stop(20_000).hands[1].main == 40_000
    flagged = Clock.fresh(BYOYOMI).begin(0, 0).stop(10**6)
    assert (flagged.hands[0].main, flagged.hands[0].periods, flagged.deadline) == (0, 0, None)


def test_a_clock_that_does_not_run_takes_no_time() -> None:
    clock = Clock.fresh(FISCHER)
    assert clock.act(5, 0, 1) == clock
    assert clock.stop(5) == clock


@given(controls, st.data())
def test_an_action_up_to_the_deadline_leaves_no_hand_below_zero(
    control: Control, data: st.DataObject
) -> None:
    """No hand falls below zero, quotas stay in bounds, and the other hand is not touched."""
    clock = Clock.fresh(control).begin(0, 0)
    for _ in range(8):
        running, deadline = clock.running, clock.deadline
        assert running is not None
        assert deadline is not None
        at = data.draw(st.one_of(st.just(deadline), st.integers(clock.started, deadline)))
        lag = data.draw(st.integers(0, 5_000))
        other = OTHER[running]
        before, clock = clock, clock.act(at, clock.compensation(lag), other)
        hand = clock.hands[running]
        assert hand.main >= control.increment
        assert hand.periods >= min(1, control.periods)
        assert 0 <= hand.quota <= control.quota_most
        assert clock.hands[other] == before.hands[other]
        assert (clock.running, clock.started) == (other, at)


@given(controls, st.integers(0, 10**7), st.integers(0, 5_000), st.integers(0, 5_000))
def test_more_lag_never_costs_time_and_is_bounded_by_the_quota(
    control: Control, elapsed: int, lag: int, more: int
) -> None:
    elapsed = min(elapsed, Clock.fresh(control).allowance(0))
    low, high = used(control, elapsed, lag), used(control, elapsed, lag + more)
    time_low = low.main + low.periods * control.period
    time_high = high.main + high.periods * control.period
    assert time_low <= time_high
    exact = Clock.fresh(control).allowance(0)
    assert time_high <= exact + control.increment - control.quota_first + control.period


# --- what a clock shows -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("used", "left"),
    [
        (-5, Left(10_000, 3, 5_000)),
        (0, Left(10_000, 3, 5_000)),
        (9_999, Left(1, 3, 5_000)),
        (10_000, Left(0, 3, 5_000)),
        (10_001, Left(0, 3, 4_999)),
        (15_000, Left(0, 3, 0)),
        (15_001, Left(0, 2, 4_999)),
        (25_000, Left(0, 1, 0)),
        (25_001, Left(0, 0, 0)),
        (99_000, Left(0, 0, 0)),
    ],
)
def test_byoyomi_shows_main_time_then_the_period_that_runs(used: int, left: Left) -> None:
    clock = Clock.fresh(BYOYOMI).begin(0, 1_000)
    assert clock.left(0, 1_000 + used) == left
    assert clock.left(1, 1_000 + used) == Left(10_000, 3, 5_000)


def test_fischer_shows_main_time_alone() -> None:
    clock = Clock.fresh(FISCHER).begin(1, 0)
    assert clock.left(1, 59_999) == Left(1, 0, 0)
    assert clock.left(1, 60_500) == Left(0, 0, 0)
    assert (clock.left(1, 59_999).shown, clock.left(0, 10**9).shown) == (1, 60_000)


@given(controls, st.integers(0, 10**8), st.integers(0, 10**8))
def test_the_time_shown_reaches_zero_at_the_budget(control: Control, one: int, more: int) -> None:
    clock = Clock.fresh(control).begin(0, 0)

    def total(left: Left) -> int:
        return left.main + left.period + max(0, left.periods - 1) * control.period

    before, after = (clock.left(0, used) for used in (one, one + more))
    assert total(before) == max(0, clock.budget(0) - one)
    assert total(after) <= total(before)
    assert min(before.main, before.periods, before.period) >= 0


@given(controls, st.integers(0, 10**8))
def test_a_clock_that_stops_shows_what_it_showed(control: Control, used: int) -> None:
    clock = Clock.fresh(control).begin(0, 0)
    shown, stopped = clock.left(0, used), clock.stop(used)
    assert (stopped.hands[0].main, stopped.hands[0].periods) == (shown.main, shown.periods)

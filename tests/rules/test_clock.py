"""The clock's arithmetic against plain sums, and its laws as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_rules.clock import Clock, Control, Hand

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
    return Clock.fresh(control).begin(0, 1_000).act(1_000 + elapsed, lag, 1).hands[0]


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
def test_fischer(elapsed: int, lag: int, main: int) -> None:
    assert used(FISCHER, elapsed, lag).main == main


def test_after_the_budget_the_quota_is_used() -> None:
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


def test_credit_covers_what_fell_into_the_turn() -> None:
    clock = Clock.fresh(FISCHER).begin(0, 10_000)
    deadline = clock.deadline
    assert deadline is not None
    assert clock.credit(12_000, 15_000).deadline == deadline + 3_000
    assert clock.credit(5_000, 15_000).deadline == deadline + 5_000
    assert clock.credit(5_000, 9_000).deadline == deadline


def test_stop_shows_what_was_left() -> None:
    assert Clock.fresh(FISCHER).begin(1, 0).stop(20_000).hands[1].main == 40_000
    flagged = Clock.fresh(BYOYOMI).begin(0, 0).stop(10**6)
    assert (flagged.hands[0].main, flagged.hands[0].periods, flagged.deadline) == (0, 0, None)


def test_without_a_running_turn_nothing_is_taken() -> None:
    clock = Clock.fresh(FISCHER)
    assert clock.act(5, 0, 1) == clock
    assert clock.stop(5) == clock


@given(controls, st.data())
def test_any_action_up_to_the_deadline_leaves_something(
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
        other = 1 if running == 0 else 0
        before, clock = clock, clock.act(at, lag, other)
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

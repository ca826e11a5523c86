"""What pings tell about the server's time."""

from __future__ import annotations

import asyncio
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule import TimedOut, timekeeping
from pierule.timekeeping import DRIFT, ServerClock, Timekeeper
from support.scripted import soon


def test_the_fastest_ping_decides_the_estimate() -> None:
    clock = ServerClock()
    assert not clock.known
    clock.measured(1_000, 1_100, 50_000)
    assert clock.known
    assert clock.time(1_050) == 50_000
    clock.measured(2_000, 2_010, 51_000)  # faster
    assert clock.time(2_005) == 51_000
    clock.measured(
        3_000, 3_100, 52_040
    )  # slower, and the answer travelled longer than the question
    assert clock.time(2_005) == 51_000


def test_an_old_ping_counts_for_less() -> None:
    clock = ServerClock()
    clock.measured(0, 10, 5)  # right to 5 ms
    later = 5 / DRIFT - 100
    clock.measured(later, later + 20, round(later) + 11)  # right to 10
    assert clock.time(0) == 0
    later = 5 / DRIFT + 100
    clock.measured(later, later + 20, round(later) + 11)
    assert clock.time(0) == pytest.approx(1)


def test_a_contradicting_ping_replaces_the_estimate() -> None:
    clock = ServerClock()
    clock.measured(0, 2, 1)
    clock.measured(1_000, 1_100, 61_050)  # this computer slept for a minute
    assert clock.time(1_050) == 61_050


def test_the_first_ping_after_a_reconnect_counts() -> None:
    clock = ServerClock()
    clock.measured(0, 2, 1)
    clock.restart()
    clock.measured(1_000, 1_100, 1_060)
    assert clock.time(1_050) == 1_060
    clock.measured(1_200, 1_210, 1_205)
    assert clock.time(1_205) == 1_205


@given(
    st.integers(-(10**12), 10**12),
    st.lists(
        st.tuples(st.integers(0, 10**5), st.integers(0, 500), st.integers(0, 500)), min_size=1
    ),
)
def test_the_estimate_is_within_the_bound_of_the_best_ping(
    offset: int, pings: list[tuple[int, int, int]]
) -> None:
    clock, now, best = ServerClock(), 0, 1e9
    for pause, there, back in pings:
        now += pause
        clock.measured(now, now + there + back, now + there + offset)
        now += there + back
        best = min(best, (there + back) / 2)
        assert abs(clock.time(now) - (now + offset)) <= best + now * DRIFT + 1e-3


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timekeeping, "GAP", 0.001)
    monkeypatch.setattr(timekeeping, "REST", 0.002)


@pytest.mark.usefixtures("hurried")
async def test_the_time_is_measured_repeatedly_once_it_is_needed() -> None:
    asked = 0
    enough = asyncio.Event()

    async def ask() -> int:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise TimedOut("no answer")
        if asked > 3 * timekeeping.ROUND:
            enough.set()
        return 10**12

    keeper = Timekeeper(ask)
    assert abs(keeper.now() - time() * 1000) < 1_000
    await asyncio.sleep(0.01)
    assert asked == 0
    await keeper.start()
    assert abs(keeper.now() - 10**12) < 1_000
    await keeper.start()
    keeper.restart()
    await soon(enough.wait())
    await keeper.stop()
    await keeper.stop()
    keeper.restart()  # a connection that came back just before
    stopped = asked
    await asyncio.sleep(0.01)
    assert asked == stopped


async def test_a_server_without_a_clock_is_tolerated() -> None:
    async def ask() -> None:
        return None

    keeper = Timekeeper(ask)
    assert await keeper.measure() >= 0
    keeper.restart()
    assert abs(keeper.now() - time() * 1000) < 1_000

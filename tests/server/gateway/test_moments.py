"""One timer for all that is due."""

from __future__ import annotations

import asyncio

import pytest

from pierule_server.gateway.moments import STEP, Moments


class Clock:
    """An event loop of which only time and timers are used; time passes by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: dict[int, tuple[float, object]] = {}
        self.made = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, work: object) -> Handle:
        self.made += 1
        self.timers[self.made] = when, work
        return Handle(self, self.made)

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while self.timers:
            number, (when, work) = min(self.timers.items(), key=lambda each: each[1][0])
            if when > end:
                break
            self.now = max(self.now, when)
            del self.timers[number]
            assert callable(work)
            work()
        self.now = end


class Handle:
    def __init__(self, clock: Clock, number: int) -> None:
        self.clock, self.number = clock, number

    def cancel(self) -> None:
        self.clock.timers.pop(self.number, None)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: clock)
    return clock


def test_callbacks_run_in_order_and_never_early(clock: Clock) -> None:
    moments, called = Moments(), []

    def note(name: str) -> None:
        called.append((name, clock.now))

    for name, seconds in (("last", 9.0), ("first", 1.0), ("second", 1.01), ("third", 3.0)):
        moments.add(seconds, note, name)
    assert len(clock.timers) == 1
    clock.pass_by(20)
    assert [name for name, _ in called] == ["first", "second", "third", "last"]
    for (_, when), seconds in zip(called, (1.0, 1.01, 3.0, 9.0), strict=True):
        assert 0 <= when - 100 - seconds <= STEP + 1e-6
    assert not clock.timers


def test_a_cancelled_moment_does_not_come(clock: Clock) -> None:
    moments, called = Moments(), list[str]()
    moment = moments.add(1, called.append, "off")
    moments.add(1, called.append, "on")
    moments.cancel(moment, "off")
    moments.cancel(moment, "off")
    moments.cancel(0, "never")
    clock.pass_by(2)
    assert called == ["on"]


def test_a_callback_added_by_a_callback_runs_later(clock: Clock) -> None:
    moments, called = Moments(), list[float]()

    def again(name: str) -> None:
        called.append(clock.now)
        moments.add(2, again, name)

    moments.add(2, again, "ping")
    clock.pass_by(7)
    assert len(called) == 3


def test_a_callback_that_fails_does_not_stop_the_others(clock: Clock) -> None:
    moments, called = Moments(), list[str]()

    def fail(name: str) -> None:
        raise ZeroDivisionError(name)

    moments.add(1, fail, "bad")
    moments.add(1, called.append, "good")
    moments.add(2, called.append, "later")
    clock.pass_by(3)
    assert called == ["good", "later"]


def test_no_callback_runs_after_stop(clock: Clock) -> None:
    moments, called = Moments(), list[str]()
    moments.add(1, called.append, "late")
    moments.stop()
    clock.pass_by(3)
    assert called == []
    assert not clock.timers

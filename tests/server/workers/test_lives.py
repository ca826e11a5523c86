"""When a worker is started again, and when no more."""

from __future__ import annotations

from pierule_server.workers.lives import LONGEST_PAUSE, STEADY, Lives


def test_pauses_double_until_a_worker_is_given_up() -> None:
    lives = Lives(10)
    pauses = [lives.ended(1.0) for _ in range(11)]
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, *[LONGEST_PAUSE] * 3, None]


def test_a_worker_that_has_run_for_long_is_started_soon() -> None:
    lives = Lives(2)
    for _ in range(10):
        assert lives.ended(STEADY) == 0.25
    assert lives.ended(1.0) == 0.5
    assert lives.ended(1.0) is None

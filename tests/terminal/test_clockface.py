"""Clocks as text."""

from __future__ import annotations

import pytest

from pierule_games.clock import Left
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Correspondence, Fischer, Turnwise
from pierule_terminal.clockface import LowWarning, duration, face, until_next_second


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0:00"),
        (1, "0.1"),
        (100, "0.1"),
        (9_300, "9.3"),
        (9_900, "9.9"),
        (9_901, "0:10"),
        (10_000, "0:10"),
        (59_001, "1:00"),
        (245_000, "4:05"),
        (3_600_000, "1:00:00"),
        (36_061_000, "10:01:01"),
        (86_400_000, "1d 00h"),
        (200_000_000, "2d 07h"),
    ],
)
def test_durations_are_written_as_text(milliseconds: int, text: str) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("control", "left", "text"),
    [
        (None, None, ""),
        (Fischer(main=60, increment=1), Left(60_000, 0, 0), "1:00"),
        (Fischer(main=60, increment=1), Left(0, 0, 0), "0:00"),
        (Turnwise(time=30), Left(0, 1, 25_000), "0:25"),
        (Correspondence(days=3), Left(0, 1, 3 * 86_400_000), "3d 00h"),
        (Byoyomi(main=60, periods=3, period=30), Left(61_000, 3, 30_000), "1:01 +3"),
        (Byoyomi(main=60, periods=3, period=30), Left(0, 2, 9_000), "9.0 x2"),
        (Byoyomi(main=60, periods=3, period=30), Left(0, 0, 0), "0:00 x0"),
    ],
)
def test_the_clock_shows_main_time_and_periods(
    control: ClockOptions | None, left: Left | None, text: str
) -> None:
    assert face(left, control) == text


def test_a_clock_is_drawn_again_when_its_seconds_change() -> None:
    assert until_next_second(None) == pytest.approx(1, abs=0.01)
    assert until_next_second(Left(4_250, 0, 0)) == pytest.approx(0.25, abs=0.01)
    assert until_next_second(Left(0, 1, 900)) == pytest.approx(0.9, abs=0.01)
    assert until_next_second(Left(4_000, 0, 0)) == pytest.approx(1, abs=0.01)
    assert until_next_second(Left(0, 0, 0)) == pytest.approx(1, abs=0.01)


def test_a_warning_comes_once_in_a_turn() -> None:
    low = LowWarning()
    seen = [low.due(3, Left(left, 0, 0)) for left in (12_000, 11_000, 10_000, 9_000, 0)]
    assert seen == [False, False, True, False, False]
    seen = [low.due(5, Left(left, 0, 0)) for left in (9_000, 8_000)]
    assert seen == [False, False], "the turn began short"
    seen = [low.due(7, Left(left, 0, 0)) for left in (12_000, 8_000)]
    assert seen == [False, True]


def test_a_warning_waits_for_the_last_period() -> None:
    low = LowWarning()
    lefts = [Left(11_000, 2, 30_000), Left(0, 2, 5_000), Left(0, 1, 30_000), Left(0, 1, 9_000)]
    assert [low.due(1, left) for left in lefts] == [False, False, False, True]

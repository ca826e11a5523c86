"""What the archive must have after a run: every finished game once, in numbers without gaps."""

from __future__ import annotations

from chaos.database import Row, finished, flaws
from support.story import Story

OVER = {"first": b"1", "second": b"2"}
ROWS = [Row(1, "first", b"1", False), Row(2, "second", b"2", False)]


def test_a_whole_archive_has_no_flaws() -> None:
    assert flaws(OVER, ROWS, ROWS) == []
    late = [Row(1, "first", b"1", True), ROWS[1], Row(3, "first", b"1", False)]
    read = [Row(1, "first", b"1", False), *late[1:]]
    assert flaws(OVER, late, read) == [], "a game that ended anew replaces the former"


def test_each_flaw_of_an_archive_is_named() -> None:
    (lost,) = flaws(OVER, ROWS[:1], ROWS[:1])
    assert "lacks the game of second" in lost
    (other,) = flaws({"first": b"1"}, ROWS, ROWS)
    assert "second, which is not over" in other
    again = [*ROWS, Row(3, "second", b"2", False)]
    (twice,) = flaws(OVER, again, again)
    assert "second 2 times" in twice
    gap = [ROWS[0], Row(3, "second", b"2", False)]
    (gaps,) = flaws(OVER, gap, gap)
    assert "gaps" in gaps
    (missed,) = flaws(OVER, ROWS, ROWS[1:])
    assert "something else" in missed


def test_only_games_that_are_over_are_finished() -> None:
    story = Story()
    assert finished({"running": story.log}) == {}
    story.resign(0)
    assert list(finished({"over": story.log, "lost": []})) == ["over"]

"""Evaluations in words: what a line of them says, and which actions cost most."""

from __future__ import annotations

from typing import Any

from pierule_terminal.evaluation import rows, seat_of, swings, told

ACTIONS = ["c3", "white", "b2", "d4"]


def evaluated(ply: int, expected: float, played: float | None, **more: Any) -> dict[str, Any]:
    told = {"ply": ply, "to_act": ply % 2, "black": None, "best": "e5", "depth": 2}
    return {**told, "expected": expected, "played": played, **more}


# Seat 1 has chosen White, so seat 0 is Black.
GAME = [
    evaluated(0, 0.5, 0.5),
    evaluated(1, 0.5, 0.48),
    evaluated(2, 0.5, 0.2, black=0),
    evaluated(3, 0.2, 0.4, black=0),
    evaluated(4, 1.0, None, black=0, to_act=None, best=None),
]


def test_the_bar_is_as_long_as_the_expected_result_of_black() -> None:
    lines = rows(GAME, ACTIONS)
    assert lines[0] == "   0  the opening       |##########          |  50 %"
    assert lines[3] == "   3  b2                |####                |  20 %"
    assert lines[4].endswith("|####################| 100 %")


def test_a_line_is_seen_from_blacks_seat() -> None:
    turned = [{**each, "black": 1} for each in GAME]
    assert (seat_of(GAME), seat_of(turned), seat_of(GAME[:2])) == (0, 1, 0)
    assert rows(turned, ACTIONS)[3].endswith("80 %")


def test_the_costliest_actions_come_first() -> None:
    found = swings(GAME, ACTIONS)
    assert [swing.ply for swing in found] == [3, 4]
    assert told(found[0]) == "   3  b2                from 50 % to 20 %; best was e5"
    assert told(found[1]).endswith("from 80 % to 60 %; best was e5")  # seat 1 lost what 0 won

"""Taugo against a second, naive reading of its rules."""

from __future__ import annotations

import random

import pytest

from pierule_games.taugo.rules import Taugo
from support.positions import played
from support.taugo import (
    knots,
    naive_actions,
    naive_score,
    naive_strings,
    on_a_grid,
)


@pytest.mark.parametrize(
    ("size", "seed"), [(6, 0), (6, 1), (6, 2), (7, 3), (7, 4), (8, 5), (10, 6)]
)
def test_actions_agree_with_a_naive_reading(size: int, seed: int) -> None:
    chance = random.Random(seed)
    position = played(Taugo.opening(size), "c3", chance.choice(["black", "white"]))
    while position.phase != "over":
        color = 1 if position.to_act == position.black else 2
        grid = on_a_grid(size, position.cells)
        assert not knots(grid, 1)
        assert not knots(grid, 2)
        assert position.score == naive_score(grid)
        expected = naive_actions(grid, color)
        listed = list(position.actions())
        assert set(listed) == {*expected, "pass"}
        for action in chance.sample(list(expected), min(10, len(expected))):
            assert on_a_grid(size, played(position, action).cells) == expected[action]
        # Segments are few among all actions, and cuts are few among segments.
        segments = [action for action in listed if "-" in action]
        theirs = list(grid.values()).count(3 - color)
        cuts = [a for a in segments if list(expected[a].values()).count(3 - color) < theirs]
        pools = [pool for pool in (listed, segments, cuts) if pool]
        position = played(position, chance.choice(chance.choice(pools)))
    black, white = (len(naive_strings(on_a_grid(size, position.cells), color)) for color in (1, 2))
    ranks = [(points, -count) for points, count in zip(position.score, (black, white), strict=True)]
    if ranks[0] == ranks[1]:
        assert position.winner == "draw"
    else:
        assert (position.winner == position.black) == (ranks[0] > ranks[1])

"""Taugo against a second, naive reading of its rules."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from pierule_games.board import indices
from pierule_games.taugo import rules
from pierule_games.taugo.geometry import lines
from pierule_games.taugo.rules import Taugo
from support.positions import played
from support.taugo import (
    knots,
    naive_actions,
    naive_score,
    naive_strings,
    on_a_grid,
)


def place_of(position: Taugo, action: str) -> tuple[int, ...]:
    """Where an action belongs in the list: points, segments by their ends, `pass`."""
    ends = [lines(position.size).index[name] for name in action.split("-") if name != "pass"]
    return (len(ends) or 3, *ends)


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
        assert listed == sorted(set(listed), key=lambda action: place_of(position, action))
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


@pytest.mark.parametrize("size", [13, 16, 19])
def test_a_long_list_comes_in_small_steps(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 10: between two actions the search does a line's work, not a board's."""
    growths, real = [0], rules._growth

    def counted(*arguments: Any) -> Any:
        growths[0] += 1
        return real(*arguments)

    monkeypatch.setattr(rules, "_growth", counted)
    inner = range(2, size - 2, 4)
    stones = sum(1 << size * row + column for row in inner for column in inner)
    strings = tuple(indices(stones))
    position = Taugo(size, 1, 1, 0, (stones, 0), (tuple(1 << each for each in strings), ()))
    steps = [growths[0] for _ in position.actions()]
    assert steps[-1] > 2 * len(strings)
    assert max(after - before for before, after in pairwise(steps)) < size

"""What Taugo refuses, and why, on small diagrams."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from pierule_games.refusal import Refusal
from pierule_games.taugo import GAME
from pierule_games.taugo.rules import Taugo
from support.positions import played
from support.taugo import (
    ALONE,
    AT_EDGE,
    BETWEEN,
    BLOCKED,
    COLOR,
    CORNERED,
    CROSS,
    DOT,
    DOUBLE,
    EDGE_KNOT,
    EDGE_OF_OTHERS,
    ONE,
    OPENING,
    OVER,
    OWN_EDGE,
    SHORT,
    SIDES,
    SPACED,
    TWICE,
    WALL,
    Cell,
    Grid,
    beside,
    diagram,
    friends,
    is_edge,
    knots,
    name,
    on_a_grid,
)


@pytest.mark.parametrize(
    ("position", "action", "rule", "points"),
    [
        (OPENING, "pass", "spelling", ()),
        (OPENING, "c3-c5", "spelling", ()),
        (OPENING, "a4", "edge", ("a4",)),
        (OPENING, "h8", "corner", ("h8",)),
        (OPENING, "i3", "off_board", ("i3",)),
        (COLOR, "d4", "color", ()),
        (OVER, "pass", "over", ()),
        # Spelling and geometry.
        (ONE, "black", "spelling", ()),
        (ONE, "D5", "spelling", ()),
        (ONE, "d05", "spelling", ()),
        (ONE, "e4 -f4", "spelling", ()),
        (ONE, "e4-", "spelling", ()),
        (ONE, "e4-f4-g4", "spelling", ()),
        (ONE, "e4–f4", "spelling", ()),  # noqa: RUF001
        (ONE, "a9", "off_board", ("a9",)),
        (ONE, "e4-i4", "off_board", ("i4",)),
        (ONE, "d4", "occupied", ("d4",)),
        (ONE, "a1", "corner", ("a1",)),
        (ONE, "d1", "edge", ("d1",)),
        (ONE, "e4-e4", "one_point", ("e4",)),
        (ONE, "e4-f5", "crooked", ("e4", "f5")),
        (ONE, "g4-e4", "backwards", ("e4", "g4")),
        (ONE, "d7-d5", "backwards", ("d5", "d7")),
        (ONE, "a2-a5", "along_edge", ("a2", "a5")),
        (ONE, "b8-h8", "along_edge", ("b8", "h8")),
        (ONE, "a5-h5", "whole_line", ("a5", "h5")),
        # Sources.
        (ONE, "e5-f5", "source", ("d5", "g5")),
        (ONE, "a5-c5", "source", ("d5",)),
        (ONE, "f5-h5", "source", ("e5",)),
        (ONE, "d2-d3", "", ()),
        (ONE, "d4-f4", "own_stone", ("d4",)),
        (ONE, "c4-e4", "own_stone", ("d4",)),
        (ONE, "e4-h4", "edge", ("h4",)),
        (ONE, "d1-d3", "edge", ("d1",)),
        # Knots: the point placed last, and the stone across from it.
        (CORNERED, "e5", "knot", ("e5", "d4")),
        (CORNERED, "e5-g5", "knot", ("e5", "d4")),
        (diagram(EDGE_KNOT), "a5-c5", "knot", ("a5", "b4")),
        # Cuts.
        (diagram(WALL), "c5", "", ()),
        (diagram(WALL), "d4-e4", "", ()),
        (diagram(WALL), "d4-g4", "", ()),
        (diagram(WALL), "d4-h4", "edge", ("h4",)),
        (diagram(WALL), "d4", "occupied", ("d4",)),
        (diagram(SHORT), "d4-e4", "lateral", ("d4",)),
        (diagram(DOT), "d4-e4", "isolated", ("d4",)),
        (diagram(ALONE), "d4-e4", "cut_source", ("c4", "d4")),
        (diagram(CROSS), "d4-e4", "cut_source", ("c4", "d4")),
        (diagram(CROSS), "d5-e5", "lateral", ("d5",)),
        (diagram(BLOCKED), "d4-e4", "cut_point", ("e4", "d4")),
        (diagram(WALL), "c4-d4", "own_stone", ("c4",)),
        (diagram(DOUBLE), "d4-e4", "lateral", ("e4",)),
        (diagram(TWICE), "d4-f4", "isolated", ("f4",)),
        (diagram(TWICE), "d4-e4", "", ()),
        (diagram(SPACED), "d4-e4", "cut_end", ("e4",)),
        (diagram(SPACED), "d4-f4", "", ()),
        # Edge points.
        (diagram(AT_EDGE), "g4-h4", "", ()),
        (diagram(AT_EDGE), "h4", "edge", ("h4",)),
        (diagram(EDGE_OF_OTHERS), "g4-h4", "lateral", ("h4",)),
        (diagram(OWN_EDGE), "g4-h4", "cut_point", ("h4", "g4")),
        # Both directions fail: the one with a source, then the one that gets further.
        (diagram(SIDES), "d4-f4", "cut_source", ("g4", "d4")),
        (diagram(BETWEEN), "d4-f4", "cut_source", ("c4", "e4")),
        (diagram(BETWEEN), "d4-e4", "cut_source", ("c4", "e4")),
    ],
)
def test_illegal_actions_are_refused_by_rule_and_points(
    position: Taugo, action: str, rule: str, points: tuple[str, ...]
) -> None:
    """An empty rule means that the action is legal."""
    answer = position.play(action)
    if rule:
        assert answer == Refusal(rule, points)
        assert rule in GAME.texts["en"].refusals
    else:
        assert isinstance(answer, Taugo)


def is_true(refusal: Refusal, grid: Grid, color: int, segment: list[Cell]) -> bool:
    """Whether a naive look at the board bears out what a refusal says of a segment."""
    named = [(ord(point[0]) - 97, int(point[1:]) - 1) for point in refusal.points]
    values, kinds = [grid[cell] for cell in named], [friends(grid, cell) for cell in named]
    ends = [segment[0], segment[-1]]
    match refusal.rule:
        case "along_edge" | "whole_line":
            return named == ends and all(is_edge(grid, cell) for cell in ends)
        case "source":
            near = all(any(end in beside(grid, cell) for end in ends) for cell in named)
            return near and color not in values and not {*named} & {*segment}
        case "own_stone":
            return values == [color] and named[0] in segment
        case "isolated" | "lateral":
            immune = kinds[0] == (1 if refusal.rule == "lateral" else 0)
            return immune and values == [3 - color] and named[0] in segment
        case "cut_source":
            return values == [color, 3 - color] and kinds[0] != 1 and kinds[1] > 1
        case "cut_end":
            return values == [3 - color] and kinds[0] > 1 and named[0] in ends
        case "cut_point":
            return values == [color, 3 - color] and kinds[1] > 1 and named[1] in segment
        case "edge":
            return values == [0] and is_edge(grid, named[0]) and named[0] in ends
        case "knot":
            left, low = min(named[0][0], named[1][0]), min(named[0][1], named[1][1])
            made = (left, low) in knots(grid | dict.fromkeys(segment, color), color)
            return made and named[0] in segment and values[1] == color
    return False


@pytest.mark.parametrize("seed", range(6))
def test_refusals_agree_with_a_naive_reading(seed: int) -> None:
    chance = random.Random(seed)
    position, told = played(Taugo.opening(7), "c3", "white"), set()
    while position.phase != "over":
        color = 1 if position.to_act == position.black else 2
        grid = on_a_grid(7, position.cells)
        for first, last in permutations(grid, 2):
            if first < last and (first[0] == last[0] or first[1] == last[1]):
                refusal = position.play(f"{name(first)}-{name(last)}")
                if isinstance(refusal, Refusal):
                    row = first[1] == last[1]
                    segment = [c for c in grid if first <= c <= last and c[row] == first[row]]
                    assert is_true(refusal, grid, color, segment), refusal
                    told.add(refusal.rule)
        listed = list(position.actions())
        segments = [action for action in listed if "-" in action]
        pool = segments if segments and chance.random() < 0.5 else listed
        position = played(position, chance.choice(pool))
    assert len(told) >= 6


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (Refusal("knot", ("e5", "d4")), "e5 would make a knot with d4"),
        (Refusal("isolated", ("c3",)), "c3 is an isolated stone and cannot be cut"),
        (
            Refusal("source", ("b3",)),
            "a segment grows from a stone of yours next to its end; you have none on b3",
        ),
        (
            Refusal("cut_source", ("c4", "d4")),
            "c4 is not a lateral stone, so a segment from it cannot cut d4",
        ),
        (
            Refusal("cut_point", ("e4", "d4")),
            "e4 is right behind d4, which the segment cuts, so it must be empty",
        ),
        (
            Refusal("backwards", ("c3", "c10")),
            "a segment begins with its lower letter or number: write c3-c10",
        ),
    ],
)
def test_refusals_become_sentences(refusal: Refusal, sentence: str) -> None:
    assert GAME.sentence(refusal) == sentence

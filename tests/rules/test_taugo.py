"""Taugo against RULES: refusals on small diagrams, cuts, scores, and a naive second reading."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from itertools import permutations

import pytest

from pierule_rules.game import Fields, Part, Position, Rules
from pierule_rules.refusal import SENTENCES, Refusal
from pierule_rules.taugo import Taugo
from support.positions import cells_of_drawing, drawn, fields_of, played

RULES: type[Rules] = Taugo
MARKS = ".xo"


def diagram(text: str, mover: str = "x") -> Taugo:
    """The running game of a drawing, top row first, `x` black and `o` white, Black in seat 0."""
    size, cells = cells_of_drawing(text, MARKS)
    score = naive_score(on_a_grid(size, cells))
    to_act = 0 if mover == "x" else 1
    return Taugo.restore(
        Fields("taugo", size, "play", to_act, 0, None, 0, score, None, cells)  # type: ignore[arg-type]
    )


# --- a second, naive reading of the rules

Cell = tuple[int, int]
Grid = dict[Cell, int]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def on_a_grid(size: int, cells: bytes) -> Grid:
    return {(i % size, i // size): value for i, value in enumerate(cells)}


def is_edge(grid: Grid, cell: Cell) -> bool:
    last = max(grid)[0]
    return cell[0] in (0, last) or cell[1] in (0, last)


def is_corner(grid: Grid, cell: Cell) -> bool:
    last = max(grid)[0]
    return cell[0] in (0, last) and cell[1] in (0, last)


def beside(grid: Grid, cell: Cell) -> Iterator[Cell]:
    """The points that a line connects with this one."""
    for step in STEPS:
        other = cell[0] + step[0], cell[1] + step[1]
        if other in grid and not (is_edge(grid, cell) and is_edge(grid, other)):
            yield other


def friends(grid: Grid, cell: Cell) -> int:
    return sum(grid[other] == grid[cell] for other in beside(grid, cell))


def knots(grid: Grid, color: int) -> list[Cell]:
    """The lower left points of the knots of this color."""
    return [
        (x, y)
        for x, y in grid
        if all(grid.get(cell) == color for cell in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)))
    ]


def naive_single(grid: Grid, cell: Cell, color: int) -> Grid | None:
    if is_edge(grid, cell) or grid[cell]:
        return None
    after = {**grid, cell: color}
    return None if knots(after, color) else after


def naive_growth(grid: Grid, source: Cell, way: list[Cell], color: int) -> Grid | None:
    """The board after growing from `source` over the points of `way`, if that is legal."""
    if grid.get(source) != color:
        return None
    cuts = [cell for cell in way if grid[cell] == 3 - color]
    for before, cell in zip([source, *way], way, strict=False):
        if cell not in beside(grid, before) or grid[cell] == color:
            return None
        if cell in cuts and friends(grid, cell) < 2:
            return None
        if cell not in cuts and is_edge(grid, cell) and before not in cuts:
            return None
    if way[-1] in cuts or (cuts and friends(grid, source) != 1):
        return None
    after = grid | dict.fromkeys(way, color)
    return None if knots(after, color) else after


def naive_segment(grid: Grid, first: Cell, last: Cell, color: int) -> Grid | None:
    x, y = last[0] - first[0], last[1] - first[1]
    length = abs(x + y)  # one of them is 0
    step = x // length, y // length
    way = [(first[0] + step[0] * i, first[1] + step[1] * i) for i in range(length + 1)]
    before, behind = (
        (first[0] - step[0], first[1] - step[1]),
        (last[0] + step[0], last[1] + step[1]),
    )
    return naive_growth(grid, before, way, color) or naive_growth(grid, behind, way[::-1], color)


def naive_strings(grid: Grid, color: int) -> list[set[Cell]]:
    left, strings = {cell for cell, value in grid.items() if value == color}, []
    while left:
        string, found = set(), {left.pop()}
        while found:
            string |= found
            found = {other for cell in found for other in beside(grid, cell)} & left
            left -= found
        strings.append(string)
    return strings


def naive_score(grid: Grid) -> tuple[int, int]:
    last = max(grid)[0]
    score = [0, 0]
    for color in (1, 2):
        edge = [cell for cell in grid if is_edge(grid, cell) and grid[cell] == color]
        score[color - 1] = sum(range(len(edge) + 1))
        for string in naive_strings(grid, color):
            inner = [cell for cell in string if not is_edge(grid, cell)]
            line = [cell for cell in inner if {1, last - 1} & set(cell)]
            score[color - 1] += sum(range(len(line) + 1))
    return score[0], score[1]


def name(cell: Cell) -> str:
    return f"{chr(97 + cell[0])}{cell[1] + 1}"


def naive_actions(grid: Grid, color: int) -> dict[str, Grid]:
    """Every legal placement, with the board that it leaves."""
    found: dict[str, Grid] = {}
    for cell in grid:
        if after := naive_single(grid, cell, color):
            found[name(cell)] = after
    for first, last in permutations(grid, 2):
        in_line = first[0] == last[0] or first[1] == last[1]
        if in_line and first < last and (after := naive_segment(grid, first, last, color)):
            found[f"{name(first)}-{name(last)}"] = after
    return found


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


# --- refusals

OPENING = Taugo.opening(8)
COLOR = played(OPENING, "d4")
WHITE_FIRST = played(COLOR, "white")  # seat 0 is Black
OVER = played(WHITE_FIRST, "pass", "pass")
ONE = diagram("........ .o...... ........ ........ ...x.... ........ ........ ........")
CORNERED = diagram("........ .o...... ........ ...x.... ...xx... ........ ........ ........")
# Columns a to h; the second row from the bottom is 2.
WALL = "........ ........ ........ ...o.... .xxo.... ...o.... ........ ........"
SHORT = "........ ........ ........ ...o.... .xxo.... ........ ........ ........"
DOT = "........ ........ ........ ........ .xxo.... ........ ........ ........"
ALONE = "........ ........ ........ ...o.... ..xo.... ...o.... ........ ........"
CROSS = "........ ........ ........ ..xo.... .xxo.... ...o.... ........ ........"
BLOCKED = "........ ........ ........ ...o.... .xxox... ...o.... ........ ........"
SPACED = "........ ........ ........ ....o... .xx.o... ....o... ........ ........"
DOUBLE = "........ ........ ........ ...o.... .xxoo... ...o.... ........ ........"
SIDES = "........ ........ ........ ...o.... ..xo..x. ...o.... ........ ........"
BETWEEN = "........ ........ ........ ....o... ..x.o.x. ....o... ........ ........"
AT_EDGE = "........ ........ ........ ......o. ....xxo. ......o. ........ ........"
EDGE_OF_OTHERS = "........ ........ ........ ......o. ....xxoo ......o. ........ ........"
OWN_EDGE = "........ ........ ........ ......o. ....xxox ......o. ........ ........"
EDGE_KNOT = "........ ........ .o.x.... .oox.... xxo..... ..o..... ........ ........"
TWICE = "........ ........ ........ ...o.... .xxo.o.. ...o.... ........ ........"


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
def test_refusal(position: Taugo, action: str, rule: str, points: tuple[str, ...]) -> None:
    """An empty rule means that the action is legal."""
    answer = position.play(action)
    if rule:
        assert answer == Refusal(rule, points)
        assert rule in SENTENCES
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
def test_refusals_are_true(seed: int) -> None:
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
            "a segment grows from a stone of yours right before its end; there is none on b3",
        ),
        (
            Refusal("cut_source", ("c4", "d4")),
            "c4 is no lateral stone, so what grows from it cannot cut d4",
        ),
        (Refusal("cut_point", ("e4", "d4")), "e4 is the cut point behind d4 and must be empty"),
        (
            Refusal("backwards", ("c3", "c10")),
            "a segment begins with its lower letter or number: write c3-c10",
        ),
    ],
)
def test_sentence(refusal: Refusal, sentence: str) -> None:
    assert str(refusal) == sentence


# --- growths, cuts and scores


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [
        (WALL, "d4-e4", "........ ........ ........ ...o.... .xxxx... ...o.... ........ ........"),
        (WALL, "d4-g4", "........ ........ ........ ...o.... .xxxxxx. ...o.... ........ ........"),
        (
            AT_EDGE,
            "g4-h4",
            "........ ........ ........ ......o. ....xxxx ......o. ........ ........",
        ),
        (
            SPACED,
            "d4-f4",
            "........ ........ ........ ....o... .xxxxx.. ....o... ........ ........",
        ),
        # A row of central stones is crossed at once; a growth may go on and cut again.
        (
            "........ ........ ........ ...oo... .xx..... ...oo... ........ ........",
            "d4-e4",
            "........ ........ ........ ...oo... .xxxx... ...oo... ........ ........",
        ),
        (
            "........ ........ ....o... ...o.o.. .xxooo.. ...o.o.. ........ ........",
            "d4-g4",
            "........ ........ ....o... ...o.o.. .xxxxxx. ...o.o.. ........ ........",
        ),
        (
            "........ ........ ........ ...o.o.. .xxo.o.. ...o.o.. ........ ........",
            "d4-g4",
            "........ ........ ........ ...o.o.. .xxxxxx. ...o.o.. ........ ........",
        ),
        (
            "........ ........ ........ ...o.o.. .xxo.o.. ...o.o.. ........ ........",
            "d4-e4",
            "........ ........ ........ ...o.o.. .xxxxo.. ...o.o.. ........ ........",
        ),
    ],
)
def test_segment(before: str, action: str, after: str) -> None:
    assert drawn(played(diagram(before), action), MARKS) == after


def test_kinds_are_judged_before_the_action() -> None:
    """d4 is central until e4 is cut, and e4 until d4 is: both are replaced all the same."""
    before = diagram("........ ........ ........ ...o.... .xxoo... ....o... ........ ........")
    after = "........ ........ ........ ...o.... .xxxxx.. ....o... ........ ........"
    assert drawn(played(before, "d4-f4"), MARKS) == after


def test_a_segment_may_grow_from_both_sides() -> None:
    """From g4, which is lateral, it may cut; from c4, which is isolated, it may not."""
    before = diagram("........ ........ ........ ....o... ..x.o.xx ....o... ........ ........")
    after = "........ ........ ........ ....o... ..xxxxxx ....o... ........ ........"
    assert drawn(played(before, "d4-f4"), MARKS) == after


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("...... .o.... .x.... .xx... .x.... ......", (6, 1)),
        ("...... .x..o. .x.... ...... .x.... ......", (4, 1)),
        ("...... .xxxx. .x..x. .x..x. .xx.xo ......", (66, 1)),
        ("...... .o..x. .ox... xox... .x.... ......", (3, 6)),
        ("..x... .oxox. xx.o.. ...oxx ...... ......", (10, 2)),
    ],
)
def test_score(text: str, score: tuple[int, int]) -> None:
    position = diagram(text)
    assert position.score == naive_score(on_a_grid(6, position.cells)) == score


def test_no_line_runs_along_the_edge() -> None:
    """Neighbors on the edge are two strings, but their stones are counted together."""
    position = diagram("...... xxo... xoo... .x.... ...... ......")
    assert [len(strings) for strings in position.strings] == [3, 1]
    assert position.score == (5, 3)


# --- the course of a game


def test_setting_up() -> None:
    inner = tuple(f"{column}{row}" for row in range(2, 8) for column in "bcdefg")
    assert OPENING.template() == (Part("stone", 1, inner),)
    assert tuple(OPENING.actions()) == inner
    assert (COLOR.phase, COLOR.to_act, COLOR.score) == ("color", 1, (0, 0))
    assert (WHITE_FIRST.black, WHITE_FIRST.to_act) == (0, 1)
    assert (played(COLOR, "black").black, played(COLOR, "black").to_act) == (1, 0)


def test_positions_are_immutable_and_hashable() -> None:
    with pytest.raises(FrozenInstanceError):
        COLOR.passes = 2  # type: ignore[misc]
    one, other = played(WHITE_FIRST, "b2", "d5", "g7"), played(WHITE_FIRST, "g7", "d5", "b2")
    assert one == other
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    ("actions", "winner"),
    [
        ("d4 white pass pass", 1),  # no points, and White has fewer strings: none
        ("b4 white pass pass", 0),
        ("d4 white f6 pass pass", "draw"),
        ("d4 white f6 d6 pass pass", 1),  # no points, and Black has two strings
        ("d4 white f6 d5 pass pass", "draw"),
        ("d4 black b2 f6 pass pass", 0),
        ("d4 black e6 d5 c6 pass pass", 1),
    ],
)
def test_winner(actions: str, winner: object) -> None:
    over = played(OPENING, *actions.split())
    assert (over.phase, over.to_act, over.winner) == ("over", None, winner)


def test_a_placement_resets_the_passes() -> None:
    assert played(WHITE_FIRST, "pass", "c3").passes == 0
    assert played(WHITE_FIRST, "pass", "c3", "pass").phase == "play"


# --- restoring


def with_cells(position: Position, **stones: int) -> dict[str, object]:
    cells = bytearray(position.cells)
    for point, value in stones.items():
        cells[(int(point[1:]) - 1) * position.size + ord(point[0]) - 97] = value
    return {
        "cells": bytes(cells),
        "score": naive_score(on_a_grid(position.size, bytes(cells))),
    }


@pytest.mark.parametrize(
    ("position", "change"),
    [
        (OPENING, {"to_act": 1}),
        (OPENING, {"komi": 0}),
        (OPENING, {"passes": 1}),
        (OPENING, {"black": 0}),
        (OPENING, {"phase": "color"}),
        (OPENING, with_cells(OPENING, c3=1)),
        (OPENING, with_cells(OPENING, c3=2)),
        (COLOR, {"to_act": 0}),
        (COLOR, {"black": 1}),
        (COLOR, with_cells(COLOR, c3=1)),
        (COLOR, with_cells(COLOR, c3=2)),
        (COLOR, with_cells(COLOR, d4=0)),
        (COLOR, with_cells(COLOR, d4=0, a4=1)),
        (WHITE_FIRST, {"to_act": 0}),
        (WHITE_FIRST, {"to_act": None}),
        (WHITE_FIRST, {"winner": 0}),
        (WHITE_FIRST, {"score": (0, 1)}),
        (WHITE_FIRST, {"size": 9}),
        (WHITE_FIRST, {"size": 5, "cells": bytes(25)}),
        (WHITE_FIRST, {"cells": bytes(63)}),
        (WHITE_FIRST, with_cells(WHITE_FIRST, c3=3)),
        (WHITE_FIRST, with_cells(WHITE_FIRST, d4=2)),  # Black's first stone is gone
        (WHITE_FIRST, with_cells(WHITE_FIRST, a1=2)),  # a corner
        (WHITE_FIRST, with_cells(WHITE_FIRST, a3=2)),  # nothing before an edge point
        (WHITE_FIRST, with_cells(WHITE_FIRST, c3=1, c4=1, d3=1)),  # a knot
        (WHITE_FIRST, with_cells(WHITE_FIRST, b3=2, b4=2, a3=2, a4=2)),  # a knot with the edge
        (played(WHITE_FIRST, "pass"), {"to_act": 1}),
        (OVER, {"to_act": 0}),
        (OVER, {"winner": 0}),
        (OVER, {"winner": None}),
        (OVER, {"phase": "play"}),
        (OVER, {"game": "loose"}),
    ],
)
def test_restore_refuses(position: Taugo, change: dict[str, object]) -> None:
    assert Taugo.restore(fields_of(position)) == position
    with pytest.raises(ValueError, match=r"\w"):
        Taugo.restore(replace(fields_of(position), **change))  # type: ignore[arg-type]

"""Taugo against SPEC 13: segments, cuts and scores on small diagrams; set-up, results, restore."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from pierule_games.game import BLACK, Part, Position
from pierule_games.taugo.rules import Taugo
from support.positions import drawn, fields_of, played
from support.taugo import (
    AT_EDGE,
    COLOR,
    MARKS,
    OPENING,
    OVER,
    SPACED,
    WALL,
    WHITE_FIRST,
    diagram,
    naive_score,
    on_a_grid,
)

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
def test_a_segment_is_placed_and_cuts(before: str, action: str, after: str) -> None:
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
def test_the_score_agrees_with_a_naive_count(text: str, score: tuple[int, int]) -> None:
    position = diagram(text)
    assert position.score == naive_score(on_a_grid(6, position.cells)) == score


def test_stones_on_the_edge_are_not_joined() -> None:
    """Neighbors on the edge are two strings, but their stones are counted together."""
    position = diagram("...... xxo... xoo... .x.... ...... ......")
    assert [len(strings) for strings in position.strings] == [3, 1]
    assert position.score == (5, 3)


# --- the course of a game


def test_set_up_places_a_stone_and_chooses_a_color() -> None:
    inner = tuple(f"{column}{row}" for row in range(2, 8) for column in "bcdefg")
    assert OPENING.template() == (Part("stone", 1, inner, cell=BLACK),)
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
def test_the_winner_follows_from_points_and_strings(actions: str, winner: object) -> None:
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
def test_restore_refuses_impossible_fields(position: Taugo, change: dict[str, object]) -> None:
    assert Taugo.restore(fields_of(position)) == position
    with pytest.raises(ValueError, match=r"\w"):
        Taugo.restore(replace(fields_of(position), **change))  # type: ignore[arg-type]

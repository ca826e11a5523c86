"""What Veletas refuses, and why, on small diagrams."""

from __future__ import annotations

import pytest

from pierule_games.refusal import Refusal
from pierule_games.veletas import GAME
from pierule_games.veletas.rules import Veletas
from support.positions import played
from support.veletas import (
    MIDDLE,
    OPENING,
    OTHERS,
    OVER,
    SECOND,
    diagram,
)

# --- refusals --------------------------------------------------------------------------------

REFUSED: list[tuple[Veletas, str, str, tuple[str, ...]]] = [
    (OPENING, "d4", "spelling", ()),
    (OPENING, "d4/", "spelling", ()),
    (OPENING, ",d4/a1", "spelling", ()),
    (OPENING, "d4,/a1", "spelling", ()),
    (OPENING, "c3-d4/a1", "spelling", ()),
    (OPENING, "h4/a1", "off_board", ("h4",)),
    (OPENING, "d4/a8", "off_board", ("a8",)),
    (OPENING, "c4,e5/d5", "shooter_count_1", ()),
    (SECOND, "c4/d5", "shooter_count_2", ()),
    (Veletas.opening(10), "c4,e5/d5", "shooter_count_3", ()),
    (
        played(Veletas.opening(10), "b2,c2,d2/e2", "black"),
        "b3,c3,d3,e3,f3/a1",
        "shooter_count_4",
        (),
    ),
    (OPENING, "d4/d4", "named_twice", ("d4",)),
    (Veletas.opening(9), "c3,c3/d4", "named_twice", ("c3",)),
    (Veletas.opening(9), "c3,d4/c3", "named_twice", ("c3",)),
    (Veletas.opening(9), "e5,c3/d4", "shooter_order", ("c3", "e5")),
    (Veletas.opening(9), "c4,c3/d4", "shooter_order", ("c3", "c4")),
    (Veletas.opening(9), "d3,c4/d4", "shooter_order", ("c4", "d3")),  # by column first
    (OPENING, "a4/d4", "shooter_on_ring", ("a4",)),
    (OPENING, "d7/d4", "shooter_on_ring", ("d7",)),
    (SECOND, "c3,g3/a1", "shooter_on_ring", ("g3",)),
    (SECOND, "c3,d4/a1", "occupied", ("d4",)),
    (SECOND, "c3,e3/d2", "occupied", ("d2",)),
    (SECOND, "c3,e3/d4", "occupied", ("d4",)),
    (played(OPENING, "d4/d2"), "Black", "color", ()),
    (played(OPENING, "d4/d2"), "d5", "color", ()),
    (OVER, "d4", "over", ()),
    (OVER, "", "over", ()),
    (MIDDLE, "d4-e4", "spelling", ()),
    (MIDDLE, "c3,e3/d4", "spelling", ()),
    (MIDDLE, "black", "spelling", ()),
    (MIDDLE, "pass", "spelling", ()),
    (MIDDLE, "h1", "off_board", ("h1",)),
    (MIDDLE, "d0", "off_board", ("d0",)),
    (MIDDLE, "d44", "off_board", ("d44",)),
    (MIDDLE, "z1-c4/d4", "off_board", ("z1",)),
    (MIDDLE, "c4-h4/d4", "off_board", ("h4",)),
    (MIDDLE, "c4-d4/d8", "off_board", ("d8",)),
    (MIDDLE, "d5", "occupied", ("d5",)),
    (MIDDLE, "c4", "occupied", ("c4",)),
    (MIDDLE, "f4", "occupied", ("f4",)),
    (MIDDLE, "a1", "no_shooter_sees", ("a1",)),
    (MIDDLE, "f7", "no_shooter_sees", ("f7",)),  # only the claimed shooter on f4 sees it
    (OTHERS, "f7", "no_shooter_sees", ("f7",)),
    (OTHERS, "f4-f5/f6", "shooter_claimed", ("f4",)),
    (MIDDLE, "f4-f5/f6", "shooter_claimed", ("f4",)),
    (MIDDLE, "d4-e4/f5", "no_shooter", ("d4",)),
    (MIDDLE, "d5-d4/e4", "no_shooter", ("d5",)),
    (MIDDLE, "c4-d5/e4", "occupied", ("d5",)),
    (MIDDLE, "c4-f4/e4", "occupied", ("f4",)),
    (MIDDLE, "c4-c4/d4", "occupied", ("c4",)),
    (MIDDLE, "c4-d6/d4", "not_in_line", ("d6", "c4")),
    (MIDDLE, "c4-e6/e5", "sight_blocked", ("d5", "c4", "e6")),
    (MIDDLE, "c4-c1/d1", "sight_blocked", ("c2", "c4", "c1")),
    (MIDDLE, "g1-a1/a2", "sight_blocked", ("b1", "g1", "a1")),
    (MIDDLE, "c4-d4/d4", "shot_at_itself", ("d4",)),
    (MIDDLE, "c4-d4/f4", "occupied", ("f4",)),
    (MIDDLE, "c4-d4/g1", "occupied", ("g1",)),
    (MIDDLE, "c4-d4/f5", "not_in_line", ("f5", "d4")),
    (MIDDLE, "c4-d4/d6", "sight_blocked", ("d5", "d4", "d6")),
]


@pytest.mark.parametrize(("position", "action", "rule", "points"), REFUSED)
def test_refusals_name_the_rule_and_the_points(
    position: Veletas, action: str, rule: str, points: tuple[str, ...]
) -> None:
    assert position.play(action) == Refusal(rule, points)
    assert rule in GAME.texts["en"].refusals
    assert all(point in GAME.sentence(Refusal(rule, points)) for point in points)


@pytest.mark.parametrize(
    ("position", "action", "sentence"),
    [
        (MIDDLE, "d4-e4/f5", "there is no shooter on d4"),
        (MIDDLE, "f4-f5/f6", "the shooter on f4 is claimed and cannot move"),
        (MIDDLE, "c4-d6/d4", "d6 is not in line of sight of c4"),
        (MIDDLE, "c4-e6/e5", "the stone on d5 blocks the way from c4 to e6"),
        (MIDDLE, "a1", "no unclaimed shooter sees a1"),
        (MIDDLE, "c4-d4/d4", "the shooter itself is on d4 after its move"),
        (SECOND, "c4/d5", "this set-up places exactly two shooters"),
        (SECOND, "e5,c3/a1", "shooters are named by column, then by row: c3 comes before e5"),
        (SECOND, "a3,c3/a1", "a3 is on the outermost ring, where you may not set up shooters"),
    ],
)
def test_refusals_become_sentences(position: Veletas, action: str, sentence: str) -> None:
    refusal = position.play(action)
    assert isinstance(refusal, Refusal)
    assert GAME.sentence(refusal) == sentence


def test_the_nearest_of_several_stones_is_named() -> None:
    position = diagram(
        """
        .......
        ...o...
        ...x...
        .xo*xo.
        .......
        ......*
        ...*...
        """
    )
    for to, nearest in (("d7", "d5"), ("a4", "c4"), ("g4", "e4")):
        assert position.play(f"d4-{to}/d3") == Refusal("sight_blocked", (nearest, "d4", to))


STRANGE = [
    "",
    " d4",
    "d4 ",
    "d4\n",
    "d4\0",
    "\0",
    "D4",
    "d04",
    "d+4",
    "d\u0664",
    "d\uff14",
    "\uff444",
    "d\u00b2",
    "\ud800",
    "c4-d4/",
    "/d4",
    "-/",
    "c4-d4/e4/e5",
    "c4-d4-e4/e5",
    "c4--d4/e4",
    "c4//d4",
    "C4-d4/e4",
    "c4\u2013d4/e4",
    "c4-d04/e4",
    "c4-d4/e4\n",
    "d4,",
    "d" * 1_000_000,
    "9" * 1_000_000,
    "d4," * 300_000 + "d4/d4",
    "d4-" * 300_000,
]


@pytest.mark.parametrize("position", [OPENING, SECOND, played(OPENING, "d4/d2"), MIDDLE, OVER])
def test_strange_spellings_are_refused(position: Veletas) -> None:
    for action in STRANGE:
        refusal = position.play(action)
        assert isinstance(refusal, Refusal), action[:20]
        assert all(len(point) <= 3 for point in refusal.points)

"""Veletas against SPEC 12: turns, sight and claims on small diagrams; set-ups, counts, restore."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import islice
from math import comb

import pytest

from pierule_games.veletas.rules import Veletas
from support.positions import fields_of, played
from support.veletas import (
    MIDDLE,
    OPENING,
    OVER,
    RULES,
    SECOND,
    SHOOTERS,
    at,
    cell_of,
    diagram,
)


@pytest.mark.parametrize(
    "action",
    [
        "c4-d4/c4",  # the square left is empty by then
        "c4-g4/e4",  # past the claimed shooter on f4, and back
        "c4-g4/b4",  # past it and over the square left
        "c4-b3/a2",
        "g1-f2/g1",
        "d4",
    ],
)
def test_shooters_block_nothing(action: str) -> None:
    after = played(MIDDLE, action)
    assert at(after, action[-2:]) == 1
    assert after.to_act == 1
    if "-" in action:
        assert at(after, action[3:5]) == 3
        assert action[:2] == action[-2:] or at(after, action[:2]) == 0


CLAIMS: dict[str, tuple[str, str, dict[str, int]]] = {
    "Black shoots, 2 black against 1 white": (
        "..o.x.. ....... ....... ....... .....*. x....*. *o.....",
        "b2",
        {"a1": 4},
    ),
    "Black shoots, 2 against 2: the opponent": (
        "....x.. ....... ....... ....... .....*. x....*. *oo....",
        "b2",
        {"a1": 5},
    ),
    "White shoots, 1 against 2": (
        "....x.. ....... ....... ....... .....*. x....*. *o.....",
        "b2",
        {"a1": 5},
    ),
    "White shoots, 2 against 2: the opponent": (
        "....... ....... ....... ....... x....*. x....*. *o.....",
        "b2",
        {"a1": 4},
    ),
    "nothing beside it, 0 against 0: the opponent": (
        "....x.o ....... ....... ....... x...... B...... **o....",
        "b2",
        {"a1": 5, "b1": 3},
    ),
    "two equally large groups of one color are no tie": (
        "o.o.... ....... ....... ......* ....... ..xo... ..x*x.*",
        "e2",
        {"d1": 4},
    ),
    "two at once, one for each": (
        "....x.. ....... ......* ....... ....... xoxo... *.*o...",
        "b1",
        {"a1": 4, "c1": 5},
    ),
    "the mover stands on the last empty square in sight": (
        "....x.o ......* ....... ....... ..o.... x....*. *ox....",
        "f2-b2/b5",
        {"a1": 5, "b2": 3},
    ),
    "walled in by a move and the shot behind it": (
        "....x.o .....*. ....... ....... ......* x...... *o.....",
        "f6-b2/c3",
        {"a1": 5, "b2": 3},
    ),
    "the square left is empty and in sight": (
        "....x.o ....... ....... ....... ......* x*..... *o.....",
        "b2-b3/c3",
        {"a1": 3},
    ),
    "a claim lasts": (
        "....x.o ....... ....... ....... ......* x*..... Bo.....",
        "b2-b3/c3",
        {"a1": 4},
    ),
    "a claimed shooter is neither a stone nor empty": (
        "....x.o .....*. ....... ....... x...... B...... *o.....",
        "b2",
        {"a1": 5, "a2": 4},
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_placement_claims_shooters(name: str) -> None:
    drawing, action, expected = CLAIMS[name]
    after = played(diagram(drawing), action)
    assert {point: at(after, point) for point in expected} == expected
    assert after.score == (after.cells.count(4), after.cells.count(5))
    assert after.phase == "play"


def test_a_majority_ends_the_game() -> None:
    assert (OVER.phase, OVER.to_act, OVER.winner, OVER.score) == ("over", None, 0, (2, 0))
    assert at(OVER, "g5") == 3  # counts for nobody
    assert (OVER.count(), list(OVER.actions()), OVER.template()) == (0, [], ())
    swapped = replace(OVER, black=1)
    assert swapped.winner == 1
    assert Veletas.restore(fields_of(swapped)) == swapped


@pytest.mark.parametrize(("size", "count"), [(7, 1_200), (9, 92_904), (10, 4_041_408)])
def test_set_ups_are_counted_without_listing_them(size: int, count: int) -> None:
    position = Veletas.opening(size)
    assert position.count() == count
    shooter, stone = position.template()
    assert (shooter.what, shooter.count, stone.what, stone.count) == (
        "shooter",
        SHOOTERS[size][0],
        "stone",
        1,
    )
    assert len(stone.points) == size**2
    assert len(shooter.points) == (size - 2) ** 2
    assert comb(len(shooter.points), shooter.count) * (len(stone.points) - shooter.count) == count
    assert len(list(islice(position.actions(), 100))) == 100  # lazily


@pytest.mark.parametrize("position", [OPENING, SECOND, Veletas.opening(9)])
def test_listed_set_ups_are_those_counted(position: Veletas) -> None:
    listed = list(position.actions())
    assert len(listed) == len(set(listed)) == position.count()
    assert listed == sorted(listed)  # by column, then by row: one digit here
    assert all(isinstance(position.play(action), Veletas) for action in listed[::97])


def test_set_ups_of_size_7_have_the_known_count() -> None:
    seconds = [
        played(OPENING, first, color) for first in OPENING.actions() for color in ("black", "white")
    ]
    assert len(seconds) == 2_400
    assert sum(position.count() for position in seconds) == 28_566_000


def test_the_phases_and_who_acts() -> None:
    for color, black in (("black", 1), ("white", 0)):
        position, seen = OPENING, []
        for action in ("d4/d2", color, "b2,c5/c2", "c5-e7/e4", "e7-a7/c5"):
            seen.append((position.phase, position.to_act))
            position = played(position, action)
        assert position.black == black
        assert seen == [
            ("first", 0),
            ("color", 1),
            ("second", 1 - black),
            ("play", black),
            ("play", 1 - black),
        ]
        assert at(position, "d2") == at(position, "e4") == 1
        assert at(position, "c2") == at(position, "c5") == 2
    assert list(played(OPENING, "d4/d2").actions()) == ["black", "white"]
    assert played(OPENING, "d4/d2").template() == MIDDLE.template() == ()


@pytest.mark.parametrize("position", [OPENING, played(OPENING, "d4/d2"), SECOND, MIDDLE, OVER])
def test_restore_gives_an_equal_position(position: Veletas) -> None:
    assert Veletas.restore(fields_of(position)) == position
    assert (position.komi, position.passes) == (None, 0)
    with pytest.raises(FrozenInstanceError):
        position.size = 9  # type: ignore[misc]


def changed(position: Veletas, **cells: int) -> bytes:
    board = bytearray(position.cells)
    for point, value in cells.items():
        board[cell_of(position.size, point)] = value
    return bytes(board)


START = played(SECOND, "b2,c5/c2")

INCONSISTENT = [
    (MIDDLE, {"game": "loose"}, "loose"),
    (MIDDLE, {"size": 8}, "no board of size 8"),
    (MIDDLE, {"size": 9}, "81 cells, not 49"),
    (MIDDLE, {"cells": b""}, "49 cells, not 0"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=6)}, "a cell has the value 6; the highest is 5"),
    (MIDDLE, {"cells": changed(MIDDLE, g1=0)}, "2 shooters"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=3)}, "4 shooters"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=2)}, "2 black and 3 white stones"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=1, a2=1)}, "4 black and 2 white stones"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=1)}, "to_act is 0, but the other fields make it 1"),
    (MIDDLE, {"black": None}, "the colors are not chosen"),
    (MIDDLE, {"black": 2}, "Black's seat is 2, not 0 or 1"),
    (MIDDLE, {"black": 1}, "to_act"),
    (MIDDLE, {"to_act": None}, "to_act"),
    (MIDDLE, {"phase": "over"}, "phase is over, but the other fields make it play"),
    (MIDDLE, {"phase": "komi"}, "phase"),
    (MIDDLE, {"komi": 0}, "komi"),
    (MIDDLE, {"passes": 1}, "passes"),
    (MIDDLE, {"score": (0, 0)}, "score"),
    (MIDDLE, {"winner": 1}, "winner"),
    (OVER, {"winner": 1}, "winner"),
    (OVER, {"winner": None}, "winner"),
    (OVER, {"phase": "play"}, "phase"),
    (OPENING, {"black": 0}, "the first set-up is not done"),
    (
        OPENING,
        {"cells": changed(OPENING, a1=1)},
        "1 black and 0 white stones cannot stand with 0 shooters",
    ),
    (SECOND, {"black": None}, "phase"),
    (
        SECOND,
        {"cells": changed(SECOND, a1=2)},
        "1 black and 1 white stones cannot stand with 1 shooters",
    ),
    (SECOND, {"cells": changed(SECOND, d4=4)}, "before the first turn"),
    (SECOND, {"cells": changed(SECOND, d4=0, a4=3)}, "before the first turn"),
    (START, {"cells": changed(START, c5=5)}, "before the first turn"),
    (START, {"cells": changed(START, c2=0)}, "1 black and 0 white stones"),
    (OVER, {"cells": changed(OVER, a1=3)}, "trapped"),
]


@pytest.mark.parametrize(("position", "changes", "message"), INCONSISTENT)
def test_restore_refuses_impossible_fields(
    position: Veletas, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Veletas.restore(replace(fields_of(position), **changes))  # type: ignore[arg-type]


def test_veletas_has_three_sizes() -> None:
    assert (RULES.game, tuple(RULES.sizes), RULES.default_size) == ("veletas", (10, 9, 7), 10)
    for size in (0, 6, 8, 11, -7):
        with pytest.raises(ValueError, match="size"):
            Veletas.opening(size)

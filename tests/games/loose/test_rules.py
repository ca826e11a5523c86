"""Loose against SPEC 11: refusals on small diagrams, flips, endings, and a naive second reading."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace

import pytest

from pierule_games.game import Fields, Part, Position, Rules
from pierule_games.loose import GAME
from pierule_games.loose.rules import Loose
from pierule_games.refusal import Refusal
from support.positions import cells_of_drawing, drawn, fields_of, played

RULES: type[Rules] = Loose
MARKS = ".xo"


def diagram(text: str, mover: str = "x", komi: int = 0) -> Loose:
    """The running game of a drawing, top row first, `x` black and `o` white, Black in seat 0."""
    size, cells = cells_of_drawing(text, MARKS)
    score = cells.count(1), cells.count(2) + komi
    to_act = 0 if mover == "x" else 1
    return Loose.restore(
        Fields("loose", size, "play", to_act, 0, komi, 0, score, None, cells)  # type: ignore[arg-type]
    )


OPENING = Loose.opening(5)
COLOR = played(OPENING, "komi:6")
EMPTY = played(COLOR, "white")  # seat 0 is Black
OVER = played(EMPTY, "pass", "pass")
EYE = "..... ..... o.... .o... ..o.."
CORNERED = "..... ..... o.... .o... x...."
JOINED = "..... ..... o.... .oo.. x..o."
FLIPPED = "..... ..... o.... .o... o.x.."
FAR = "..... ..... x.... .o... o...."


@pytest.mark.parametrize(
    ("position", "action", "rule", "points"),
    [
        (OPENING, "komi:3", "komi", ()),
        (OPENING, "komi:26", "komi", ()),
        (OPENING, "komi:06", "komi", ()),
        (OPENING, "komi:-2", "komi", ()),
        (OPENING, "komi:٢", "komi", ()),
        (OPENING, "c3", "komi", ()),
        (OPENING, "pass", "komi", ()),
        (COLOR, "c3", "color", ()),
        (COLOR, "Black", "color", ()),
        (COLOR, "komi:6", "color", ()),
        (EMPTY, "black", "spelling", ()),
        (EMPTY, "C3", "spelling", ()),
        (EMPTY, "c3 ", "spelling", ()),
        (EMPTY, "c03", "spelling", ()),
        (EMPTY, "c²", "spelling", ()),
        (EMPTY, "c100", "spelling", ()),
        (EMPTY, "c3-c4", "spelling", ()),
        (EMPTY, "f1", "off_board", ("f1",)),
        (EMPTY, "a6", "off_board", ("a6",)),
        (EMPTY, "a0", "off_board", ("a0",)),
        (played(EMPTY, "c3"), "c3", "occupied", ("c3",)),
        (OVER, "c3", "over", ()),
        (OVER, "", "over", ()),
        # One stone with no point around it that is true.
        (diagram(EYE, "x"), "a1", "no_liberty", ("a1",)),
        # Joined to a1, it has only c1, which is false.
        (diagram(JOINED, "x"), "b1", "no_liberty", ("b1",)),
        # a1 would be left without as well, but the stone that is placed is named.
        (diagram(JOINED, "x"), "c1", "no_liberty", ("c1",)),
        # a1 flips and joins a2, and still their only liberty b1 is false.
        (diagram(FLIPPED, "x"), "a2", "no_liberty", ("a2",)),
        # Black makes the only true liberty of a1 false; c1 itself has d1.
        (diagram(CORNERED, "x"), "c1", "takes_liberty", ("a1",)),
        # a1 flips because of c1, and its liberties a2 and b1 are as false as before.
        (diagram(FAR, "x"), "c1", "takes_liberty", ("a1",)),
    ],
)
def test_illegal_actions_are_refused_by_rule_and_points(
    position: Loose, action: str, rule: str, points: tuple[str, ...]
) -> None:
    assert position.play(action) == Refusal(rule, points)
    assert rule in GAME.texts["en"].refusals


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (Refusal("no_liberty", ("e5",)), "your group at e5 would have no true liberty"),
        (
            Refusal("takes_liberty", ("d4",)),
            "the group at d4 would be left without a true liberty",
        ),
    ],
)
def test_refusals_become_sentences(refusal: Refusal, sentence: str) -> None:
    assert GAME.sentence(refusal) == sentence


# --- flips


@pytest.mark.parametrize(
    ("before", "mover", "action", "after"),
    [
        (CORNERED, "o", "c1", "..... ..... o.... .o... o.o.."),  # b1 is false now, as a2 was
        (CORNERED, "o", "b1", "..... ..... o.... .o... oo..."),  # joined to a1, which flips
        ("..... ..... ..... x.x.. o.ox.", "x", "b1", "..... ..... ..... x.x.. xxxx."),  # at once
        ("..... ..... ..... x.... o....", "x", "b1", "..... ..... ..... x.... xx..."),
        ("ox... ..... ..... x.... o..xo", "x", "b1", "ox... ..... ..... x.... xx.xo"),
        ("..... ..... x...x ox.xo o...o", "x", "b1", "..... ..... x...x xx.xo xx..o"),
    ],
)
def test_a_placement_flips_stones(before: str, mover: str, action: str, after: str) -> None:
    assert drawn(played(diagram(before, mover), action), MARKS) == after


def test_set_up_chooses_komi_and_color() -> None:
    assert OPENING.template() == (Part("komi", 1, numbers=range(0, 25, 2)),)
    assert list(OPENING.actions()) == [f"komi:{n}" for n in range(0, 25, 2)]
    assert (COLOR.phase, COLOR.to_act, COLOR.score) == ("color", 1, (0, 6))
    assert (EMPTY.black, EMPTY.to_act) == (0, 0)
    assert (played(COLOR, "black").black, played(COLOR, "black").to_act) == (1, 1)
    assert list(EMPTY.actions())[-1] == "pass"


def test_positions_are_immutable_and_hashable() -> None:
    with pytest.raises(FrozenInstanceError):
        EMPTY.passes = 2  # type: ignore[misc]
    assert played(EMPTY, "a1", "c3", "e5") == played(EMPTY, "e5", "c3", "a1")
    assert len({played(EMPTY, "a1", "c3", "e5"), played(EMPTY, "e5", "c3", "a1")}) == 1


# --- endings


@pytest.mark.parametrize(
    ("komi", "actions", "winner"),
    [
        (0, "pass pass", 0),  # White passed last and loses the tie
        (2, "pass pass", 1),
        (0, "c3 pass pass", 0),
        (0, "pass c3 pass pass", 1),
        (0, "c3 e5 pass pass", 0),  # tied: White passed last
        (0, "c3 e5 pass a1 pass pass", 1),
        (2, "c3 pass e5 pass pass", 1),
        (2, "c3 pass e5 pass a1 pass pass", 0),
        (2, "c3 pass e5 e1 a3 pass pass", 1),  # 3 to 1 + 2: Black passed last
    ],
)
def test_the_winner_follows_from_stones_komi_and_the_last_pass(
    komi: int, actions: str, winner: int
) -> None:
    over = played(OPENING, f"komi:{komi}", "white", *actions.split())
    assert (over.phase, over.to_act, over.winner) == ("over", None, winner)
    assert played(OPENING, f"komi:{komi}", "black", *actions.split()).winner == 1 - winner


def test_a_stone_resets_the_passes() -> None:
    assert played(EMPTY, "pass", "c3").passes == 0
    assert played(EMPTY, "pass", "c3", "pass").phase == "play"


# --- restoring


@pytest.mark.parametrize(
    ("position", "change"),
    [
        (OPENING, {"to_act": 1}),
        (OPENING, {"komi": 0}),
        (OPENING, {"cells": bytes([1]) + bytes(24), "score": (1, 0)}),
        (OPENING, {"passes": 1}),
        (OPENING, {"black": 0}),
        (COLOR, {"to_act": 0}),
        (COLOR, {"komi": 7, "score": (0, 7)}),
        (COLOR, {"komi": 26, "score": (0, 26)}),
        (COLOR, {"cells": bytes([2]) + bytes(24), "score": (0, 7)}),
        (COLOR, {"phase": "play"}),
        (EMPTY, {"to_act": 1}),  # Black begins
        (EMPTY, {"to_act": None}),
        (EMPTY, {"winner": 0}),
        (EMPTY, {"komi": None}),
        (EMPTY, {"size": 7}),
        (EMPTY, {"size": 6}),
        (EMPTY, {"cells": bytes(26)}),
        (EMPTY, {"cells": bytes([3]) + bytes(24)}),
        (EMPTY, {"score": (1, 6)}),
        (played(EMPTY, "pass"), {"to_act": 0}),
        (OVER, {"to_act": 0}),
        (OVER, {"winner": 0}),  # White has the komi
        (OVER, {"winner": None}),
        (OVER, {"winner": "draw"}),
        (OVER, {"phase": "play"}),
        (OVER, {"game": "taugo"}),
        (played(OPENING, "komi:0", "white", "pass", "pass"), {"winner": 1}),
        (diagram(EYE), {"cells": bytes([1]) + diagram(EYE).cells[1:], "score": (1, 3)}),
    ],
)
def test_restore_refuses_impossible_fields(position: Loose, change: dict[str, object]) -> None:
    assert Loose.restore(fields_of(position)) == position
    with pytest.raises(ValueError, match=r"\w"):
        Loose.restore(replace(fields_of(position), **change))  # type: ignore[arg-type]


def test_a_tie_is_restored_with_either_winner() -> None:
    """Who passed last is not on the board, so both are positions of some game."""
    tied = played(OPENING, "komi:0", "white", "c3", "e5", "pass", "pass")
    other = played(OPENING, "komi:0", "white", "pass", "e5", "c3", "pass", "pass")
    assert (tied.winner, other.winner) == (0, 1)
    assert tied.cells == other.cells
    assert tied != other
    assert [Loose.restore(fields_of(over)) for over in (tied, other)] == [tied, other]


# --- a second, naive reading of the rules

Cell = tuple[int, int]


def around(cells: dict[Cell, int], cell: Cell) -> Iterator[Cell]:
    for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        beside = cell[0] + step[0], cell[1] + step[1]
        if beside in cells:
            yield beside


def naive_group(cells: dict[Cell, int], cell: Cell) -> set[Cell]:
    group, open_cells = {cell}, [cell]
    while open_cells:
        for beside in around(cells, open_cells.pop()):
            if cells[beside] == cells[cell] and beside not in group:
                group.add(beside)
                open_cells.append(beside)
    return group


def has_true_liberty(cells: dict[Cell, int], group: set[Cell]) -> bool:
    for liberty in {c for stone in group for c in around(cells, stone) if not cells[c]}:
        values = [cells[beside] for beside in around(cells, liberty)]
        if 0 in values or not {1, 2} <= set(values):
            return True
    return False


def bare(cells: dict[Cell, int], color: int) -> set[Cell]:
    """The stones of this color whose groups have no true liberty."""
    stones, found = {cell for cell, value in cells.items() if value == color}, set()
    while stones:
        group = naive_group(cells, stones.pop())
        stones -= group
        if not has_true_liberty(cells, group):
            found |= group
    return found


def naive_after(cells: dict[Cell, int], cell: Cell, color: int) -> dict[Cell, int] | None:
    after = {**cells, cell: color}
    after |= dict.fromkeys(bare(after, 3 - color), color)
    return None if bare(after, 1) or bare(after, 2) else after


def on_a_grid(position: Position) -> dict[Cell, int]:
    size = position.size
    return {(i % size, i // size): value for i, value in enumerate(position.cells)}


@pytest.mark.parametrize(("size", "seed"), [(5, 0), (5, 1), (5, 2), (5, 3), (7, 4), (7, 5), (9, 6)])
def test_placements_agree_with_a_naive_reading(size: int, seed: int) -> None:
    chance = random.Random(seed)
    position = played(Loose.opening(size), "komi:4", chance.choice(["black", "white"]))
    while position.phase != "over":
        color = 1 if position.to_act == position.black else 2
        cells = on_a_grid(position)
        assert not bare(cells, 1)
        assert not bare(cells, 2)
        for cell in [cell for cell, value in cells.items() if not value]:
            name = f"{chr(97 + cell[0])}{cell[1] + 1}"
            after, expected = position.play(name), naive_after(cells, cell, color)
            if expected is None:
                assert isinstance(after, Refusal)
                lost = bare({**cells, cell: color} | flips(cells, cell, color), color)
                (named,) = after.points
                assert (ord(named[0]) - 97, int(named[1:]) - 1) in lost
                assert (after.rule == "no_liberty") == (cell in lost) == (named == name)
            else:
                assert isinstance(after, Loose)
                assert on_a_grid(after) == expected
        position = played(position, chance.choice(list(position.actions())))


def flips(cells: dict[Cell, int], cell: Cell, color: int) -> dict[Cell, int]:
    return dict.fromkeys(bare({**cells, cell: color}, 3 - color), color)

"""Veletas against RULES: refusals on small diagrams, claims, and a naive second reading of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from itertools import islice
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pierule_rules.game import Fields, Rules
from pierule_rules.refusal import SENTENCES, Refusal
from pierule_rules.veletas import Veletas
from support.positions import cells_of_drawing, fields_of, played

RULES: type[Rules] = Veletas
SHOOTERS = {7: (1, 2), 9: (2, 3), 10: (3, 4)}
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def diagram(text: str) -> Veletas:
    """The running game of a drawing, top row first, Black in seat 0.

    `x` and `o` are black and white stones, `*` an unclaimed shooter, `B` and `W` claimed ones.
    """
    size, cells = cells_of_drawing(text, ".xo*BW")
    to_act = 0 if cells.count(1) == cells.count(2) else 1
    score = cells.count(4), cells.count(5)
    return Veletas.restore(
        Fields("veletas", size, "play", to_act, 0, None, 0, score, None, cells)  # type: ignore[arg-type]
    )


def at(position: Veletas, point: str) -> int:
    return position.cells[(int(point[1:]) - 1) * position.size + ord(point[0]) - ord("a")]


MIDDLE = diagram(
    """
    o......
    .......
    ...x...
    ..*..W.
    .......
    ..o....
    .x....*
    """
)
OTHERS = replace(MIDDLE, white_shooters=0, black_shooters=MIDDLE.white_shooters)
OPENING = Veletas.opening(7)
SECOND = played(OPENING, "d4/d2", "white")
OVER = played(
    diagram(
        """
        o......
        .......
        ......*
        .......
        .......
        xoxo...
        *.*x...
        """
    ),
    "b1",
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
    assert rule in SENTENCES
    assert all(point in str(Refusal(rule, points)) for point in points)


@pytest.mark.parametrize(
    ("position", "action", "sentence"),
    [
        (MIDDLE, "d4-e4/f5", "d4 holds no shooter"),
        (MIDDLE, "f4-f5/f6", "the shooter on f4 is claimed and cannot move"),
        (MIDDLE, "c4-d6/d4", "d6 is not in line of sight of c4"),
        (MIDDLE, "c4-e6/e5", "the stone on d5 blocks the way from c4 to e6"),
        (MIDDLE, "a1", "no unclaimed shooter sees a1"),
        (MIDDLE, "c4-d4/d4", "the shooter itself stands on d4 after its move"),
        (SECOND, "c4/d5", "this set-up places exactly two shooters"),
        (SECOND, "e5,c3/a1", "shooters are named by column, then by row: c3 comes before e5"),
        (SECOND, "a3,c3/a1", "a3 lies on the outermost ring, where no shooter may be set up"),
    ],
)
def test_sentences(position: Veletas, action: str, sentence: str) -> None:
    assert str(position.play(action)) == sentence


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


# --- turns, sight, claims --------------------------------------------------------------------


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
def test_claims(name: str) -> None:
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


# --- a second, naive reading of RULES --------------------------------------------------------


def name(size: int, cell: int) -> str:
    return f"{'abcdefghij'[cell % size]}{cell // size + 1}"


def cell_of(size: int, point: str) -> int:
    return (int(point[1:]) - 1) * size + "abcdefghij".index(point[0])


def naive_sight(cells: list[int], size: int, cell: int) -> list[int]:
    """The empty squares in line of sight."""
    found = []
    for dx, dy in DIRECTIONS:
        x, y = cell % size + dx, cell // size + dy
        while 0 <= x < size and 0 <= y < size and cells[y * size + x] not in (1, 2):
            if cells[y * size + x] == 0:
                found.append(y * size + x)
            x, y = x + dx, y + dy
    return found


def naive_turns(cells: list[int], size: int) -> Iterator[str]:
    shooters = [i for i, value in enumerate(cells) if value == 3]
    yield from {name(size, shot) for i in shooters for shot in naive_sight(cells, size, i)}
    for i in shooters:
        for to in naive_sight(cells, size, i):
            moved = list(cells)
            moved[i], moved[to] = 0, 3
            for shot in naive_sight(moved, size, to):
                yield f"{name(size, i)}-{name(size, to)}/{name(size, shot)}"


def naive_group(cells: list[int], size: int, cell: int) -> set[int]:
    group, todo = {cell}, [cell]
    while todo:
        for near in naive_neighbors(size, todo.pop()):
            if cells[near] == cells[cell] and near not in group:
                group.add(near)
                todo.append(near)
    return group


def naive_neighbors(size: int, cell: int) -> list[int]:
    x, y = cell % size, cell // size
    around = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
    return [b * size + a for a, b in around if 0 <= a < size and 0 <= b < size]


def naive_after(cells: list[int], size: int, color: int, action: str) -> list[int]:
    """The cells after a turn of `color` (1 or 2) and the claims that follow."""
    cells = list(cells)
    *move, shot = action.split("/")
    if move:
        start, to = (cell_of(size, point) for point in move[0].split("-"))
        cells[start], cells[to] = 0, 3
    cells[cell_of(size, shot)] = color
    claimed = list(cells)
    for i, value in enumerate(cells):
        if value == 3 and not naive_sight(cells, size, i):
            largest = {1: 0, 2: 0}
            for near in naive_neighbors(size, i):
                if cells[near] in (1, 2):
                    found = len(naive_group(cells, size, near))
                    largest[cells[near]] = max(largest[cells[near]], found)
            owner = (
                3 - color if largest[1] == largest[2] else max(largest, key=lambda c: largest[c])
            )
            claimed[i] = 3 + owner
    return claimed


def set_up(size: int, choices: random.Random) -> Veletas:
    """A game begun at random, put together from the templates."""
    position = Veletas.opening(size)
    for count in SHOOTERS[size]:
        shooter, stone = position.template()
        assert shooter.count == count
        chosen = sorted(choices.sample(range(len(shooter.points)), count))
        named = [shooter.points[i] for i in chosen]
        last = choices.choice([point for point in stone.points if point not in named])
        position = played(position, ",".join(named) + "/" + last)
        if position.phase == "color":
            position = played(position, choices.choice(["black", "white"]))
    return position


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([7, 7, 9, 10]), st.integers(0, 2**32))
def test_whole_games_agree_with_the_naive_reading(size: int, seed: int) -> None:
    choices = random.Random(seed)
    position, color = set_up(size, choices), 1
    majority = sum(SHOOTERS[size]) // 2 + 1
    while position.phase == "play":
        cells = list(position.cells)
        black = position.black
        assert black is not None
        assert position.to_act == (black if color == 1 else 1 - black)
        legal = list(position.actions())
        assert len(set(legal)) == len(legal) == position.count()
        assert set(legal) == set(naive_turns(cells, size))
        action = choices.choice(legal)
        after = played(position, action)
        assert list(after.cells) == naive_after(cells, size, color, action)
        assert after.score == (after.cells.count(4), after.cells.count(5))
        assert (after.phase == "over") == (max(after.score) >= majority)
        assert Veletas.restore(fields_of(after)) == after
        assert hash(Veletas.restore(fields_of(after))) == hash(after)
        position, color = after, 3 - color
    loser = position.black if position.score[0] < majority else 1 - (position.black or 0)
    assert position.winner == 1 - (loser or 0)


@pytest.mark.parametrize("seed", range(3))
def test_every_plausible_spelling_is_accepted_iff_listed(seed: int) -> None:
    choices = random.Random(seed)
    position = set_up(7, choices)
    for _ in range(9 + seed):
        position = played(position, choices.choice(list(position.actions())))
    assert position.phase == "play"
    legal = set(position.actions())
    points = [name(7, i) for i in range(49)]
    starts = [name(7, i) for i, value in enumerate(position.cells) if value >= 3]
    starts += choices.sample([point for point in points if point not in starts], 5)
    spellings = points + [f"{a}-{b}/{c}" for a in starts for b in points for c in points]
    accepted = {action for action in spellings if isinstance(position.play(action), Veletas)}
    assert accepted == legal


@settings(deadline=None)
@example("c4-d4/e4", 3)
@given(st.text() | st.from_regex("([a-h][0-8][-,/]?){1,4}", fullmatch=True), st.integers(0, 4))
def test_any_string_is_played_iff_listed(action: str, which: int) -> None:
    position = (OPENING, SECOND, played(OPENING, "d4/d2"), MIDDLE, OVER)[which]
    after = position.play(action)
    if isinstance(after, Refusal):
        assert after.rule in SENTENCES
        assert action not in set(position.actions())
    else:
        assert action in set(position.actions())


# --- set-ups, counts, restore ----------------------------------------------------------------


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


def test_perft_of_size_7() -> None:
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
    (MIDDLE, {"cells": changed(MIDDLE, a1=6)}, "6 is no value"),
    (MIDDLE, {"cells": changed(MIDDLE, g1=0)}, "2 shooters"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=3)}, "4 shooters"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=2)}, "2 black and 3 white stones"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=1, a2=1)}, "4 black and 2 white stones"),
    (MIDDLE, {"cells": changed(MIDDLE, a1=1)}, "to_act is given as 0, but by the rest it is 1"),
    (MIDDLE, {"black": None}, "before the colors"),
    (MIDDLE, {"black": 2}, "2 is no seat"),
    (MIDDLE, {"black": 1}, "to_act"),
    (MIDDLE, {"to_act": None}, "to_act"),
    (MIDDLE, {"phase": "over"}, "phase is given as over, but by the rest it is play"),
    (MIDDLE, {"phase": "komi"}, "phase"),
    (MIDDLE, {"komi": 0}, "komi"),
    (MIDDLE, {"passes": 1}, "passes"),
    (MIDDLE, {"score": (0, 0)}, "score"),
    (MIDDLE, {"winner": 1}, "winner"),
    (OVER, {"winner": 1}, "winner"),
    (OVER, {"winner": None}, "winner"),
    (OVER, {"phase": "play"}, "phase"),
    (OPENING, {"black": 0}, "before the first set-up"),
    (OPENING, {"cells": changed(OPENING, a1=1)}, "1 black and 0 white stones with 0 shooters"),
    (SECOND, {"black": None}, "phase"),
    (SECOND, {"cells": changed(SECOND, a1=2)}, "1 black and 1 white stones with 1 shooters"),
    (SECOND, {"cells": changed(SECOND, d4=4)}, "before the first turn"),
    (SECOND, {"cells": changed(SECOND, d4=0, a4=3)}, "before the first turn"),
    (START, {"cells": changed(START, c5=5)}, "before the first turn"),
    (START, {"cells": changed(START, c2=0)}, "1 black and 0 white stones"),
    (OVER, {"cells": changed(OVER, a1=3)}, "trapped"),
]


@pytest.mark.parametrize(("position", "changes", "message"), INCONSISTENT)
def test_restore_refuses_what_no_game_could_have(
    position: Veletas, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Veletas.restore(replace(fields_of(position), **changes))  # type: ignore[arg-type]


def test_there_are_three_sizes() -> None:
    assert (RULES.game, tuple(RULES.sizes), RULES.default_size) == ("veletas", (10, 9, 7), 10)
    for size in (0, 6, 8, 11, -7):
        with pytest.raises(ValueError, match="size"):
            Veletas.opening(size)

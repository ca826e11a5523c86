"""Veletas against a second, naive reading of its rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pierule_games.refusal import Refusal
from pierule_games.veletas import GAME
from pierule_games.veletas.rules import Veletas
from support.examples import up_to
from support.positions import fields_of, played
from support.veletas import (
    DIRECTIONS,
    MIDDLE,
    OPENING,
    OVER,
    SECOND,
    SHOOTERS,
    cell_of,
    name,
)


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


@settings(max_examples=up_to(20), deadline=None)
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
def test_a_plausible_spelling_is_accepted_only_if_listed(seed: int) -> None:
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
def test_a_string_is_accepted_only_if_listed(action: str, which: int) -> None:
    position = (OPENING, SECOND, played(OPENING, "d4/d2"), MIDDLE, OVER)[which]
    after = position.play(action)
    if isinstance(after, Refusal):
        assert after.rule in GAME.texts["en"].refusals
        assert action not in set(position.actions())
    else:
        assert action in set(position.actions())

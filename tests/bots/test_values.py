"""What positions are worth: the same for both colors and from every side of the board."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_bots.player import random_action, sight_of
from pierule_games import GAMES
from pierule_games.game import BLACK, Fields, Position
from pierule_games.loose import worth
from pierule_games.loose.rules import Loose
from pierule_games.taugo.rules import Taugo
from pierule_games.veletas.rules import Veletas
from support.positions import fields_of, played

Value = Callable[[Any], int]
VALUES: dict[str, Value] = {name: sight_of(name).value for name in GAMES}
CHOSEN = {"loose": (5, 9), "veletas": (7, 9), "taugo": (6, 8)}
"""Games whose positions `swapped` and `turned` know how to change."""
SIZES = {name: CHOSEN.get(name, (min(game.sizes),)) for name, game in GAMES.items()}


@st.composite
def positions(draw: st.DrawFn, games: Collection[str] = SIZES) -> Position:
    """A position somewhere in the play of one of the games."""
    game = draw(st.sampled_from(sorted(games)))
    position: Position = GAMES[game].opening(draw(st.sampled_from(SIZES[game])))
    rng = Random(draw(st.integers(0, 2**32)))
    plies = draw(st.integers(0, 30))
    while position.phase != "play" or plies:
        after = played(position, random_action(position, rng))
        if after.to_act is None:
            break
        plies -= position.phase == "play"
        position = after
    return position


def turned(position: Position) -> Position:
    """The board mirrored at its diagonal."""
    size, cells = position.size, position.cells
    fields = fields_of(position)
    across = bytes(cells[i % size * size + i // size] for i in range(size * size))
    return GAMES[position.game].restore(
        Fields(**{name: getattr(fields, name) for name in Fields.__slots__} | {"cells": across})
    )


def swapped(position: Position) -> Position:
    """The same board with every stone and claim of the other color."""
    match position:
        case Loose(stones=(black, white)):
            return replace(position, stones=(white, black))
        case Taugo(stones=(black, white), strings=(blacks, whites)):
            return replace(position, stones=(white, black), strings=(whites, blacks))
        case Veletas():
            return replace(
                position,
                black_stones=position.white_stones,
                white_stones=position.black_stones,
                black_shooters=position.white_shooters,
                white_shooters=position.black_shooters,
            )
    raise AssertionError(position)


@settings(deadline=None)
@given(positions(CHOSEN))
def test_the_worth_of_a_position_does_not_depend_on_its_orientation(position: Position) -> None:
    value = VALUES[position.game]
    assert value(turned(position)) == value(position)


@settings(deadline=None)
@given(positions(CHOSEN))
def test_exchanging_the_colors_negates_the_worth(position: Position) -> None:
    value = VALUES[position.game]
    komi = 0
    if isinstance(position, Loose):
        assert position.komi is not None
        komi = 2 * worth.STONE * (worth.FAIR_KOMI - position.komi)
    assert value(position) + value(swapped(position)) == komi


@settings(deadline=None)
@given(positions(CHOSEN))
def test_a_higher_score_is_worth_more(position: Position) -> None:
    """More of the score, all else being equal, is worth more to the color that has it."""
    value = VALUES[position.game]
    if isinstance(position, Loose):
        assert position.komi is not None
        assert value(replace(position, komi=position.komi + 2)) < value(position)
    elif isinstance(position, Veletas) and position.shooters:
        one = position.shooters & -position.shooters
        rest = position.shooters ^ one
        black = replace(position, shooters=rest, black_shooters=position.black_shooters | one)
        white = replace(position, shooters=rest, white_shooters=position.white_shooters | one)
        assert value(black) > value(position) > value(white)


@pytest.mark.parametrize(("stone", "other"), [("c2", "c3"), ("b4", "c4")])
def test_the_perimeter_is_worth_more_than_the_middle_of_taugo(stone: str, other: str) -> None:
    outer, inner = (played(Taugo.opening(6), each) for each in (stone, other))
    assert outer.cells.count(BLACK) == inner.cells.count(BLACK) == 1
    assert VALUES["taugo"](outer) > VALUES["taugo"](inner)

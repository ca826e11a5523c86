"""The symmetries that a game declares are symmetries of its rules."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.test_properties import SMALLEST, an_action
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_games.symmetry import identity, inverse, moved, moved_action, of_square
from support.examples import up_to

SQUARE = ["loose", "taugo", "veletas"]


@pytest.mark.parametrize(("name", "size"), SMALLEST)
@given(seed=st.integers(0, 2**32), which=st.integers(0, 7))
@settings(max_examples=up_to(20), deadline=None)
def test_a_turned_or_mirrored_game_is_played_alike(
    name: str, size: int, seed: int, which: int
) -> None:
    game = GAMES[name]
    symmetries = game.symmetries(size)
    symmetry = symmetries[which % len(symmetries)]
    chance = random.Random(seed)
    position: Position = game.opening(size)
    other: Position = game.opening(size)
    while position.to_act is not None:
        action = an_action(position, chance)
        mirrored = moved_action(action, size, symmetry, segments=game.segments)
        after, then = position.play(action), other.play(mirrored)
        assert not isinstance(after, Refusal)
        assert not isinstance(then, Refusal), (action, mirrored)
        assert moved(after.cells, symmetry) == then.cells
        assert (after.phase, after.to_act, after.score) == (then.phase, then.to_act, then.score)
        back = moved_action(mirrored, size, inverse(symmetry), segments=game.segments)
        assert back == action
        position, other = after, then


@pytest.mark.parametrize(("name", "size"), SMALLEST)
def test_every_game_has_the_identity_first(name: str, size: int) -> None:
    assert GAMES[name].symmetries(size)[0] == identity(size)[0]


@pytest.mark.parametrize("name", SQUARE)
def test_square_games_have_all_eight_symmetries(name: str) -> None:
    assert len(set(GAMES[name].symmetries(GAMES[name].sizes[0]))) == 8


def test_the_eight_symmetries_map_a_corner_to_each_corner_twice() -> None:
    corners = [0, 4, 20, 24]
    assert sorted(each[0] for each in of_square(5)) == sorted(corners * 2)
    for each in of_square(5):
        assert moved(moved(bytes(range(25)), each), inverse(each)) == bytes(range(25))


@pytest.mark.parametrize(
    ("action", "segments", "expected"),
    [
        ("komi:12", False, "komi:12"),
        ("black", False, "black"),
        ("pass", False, "pass"),
        ("a1", False, "i1"),
        ("c4,e7,h2/d5", False, "b2,e7,g4/f5"),
        ("c4-e7/h2", False, "g4-e7/b2"),
        ("a9-c9", True, "g9-i9"),
    ],
)
def test_a_turned_or_mirrored_action_keeps_its_canonical_spelling(
    action: str, segments: bool, expected: str
) -> None:
    mirror = of_square(9)[1]
    assert moved_action(action, 9, mirror, segments=segments) == expected

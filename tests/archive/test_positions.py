"""The same position has one key, however the board lies, and another one has another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive.games import a_game
from games.test_properties import SMALLEST, an_action
from pierule_archive.positions import PLIES, canonical, visits
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_games.symmetry import moved_action


def walk(name: str, size: int, actions: Iterator[str]) -> Iterator[tuple[Position, str]]:
    position: Position = GAMES[name].opening(size)
    for action in actions:
        yield position, action
        after = position.play(action)
        assert not isinstance(after, Refusal), action
        position = after


def after(name: str, size: int, *actions: str) -> Position:
    position: Position = GAMES[name].opening(size)
    for action in actions:
        played = position.play(action)
        assert not isinstance(played, Refusal), action
        position = played
    return position


def random_actions(name: str, size: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    found: list[str] = []
    position: Position = GAMES[name].opening(size)
    while position.to_act is not None and len(found) < PLIES:
        found.append(an_action(position, chance))
        after = position.play(found[-1])
        assert not isinstance(after, Refusal)
        position = after
    return found


@pytest.mark.parametrize(("name", "size"), SMALLEST)
@given(seed=st.integers(0, 2**32), which=st.integers(0, 7))
@settings(max_examples=15, deadline=None)
def test_a_turned_or_mirrored_game_has_the_same_keys(
    name: str, size: int, seed: int, which: int
) -> None:
    game = GAMES[name]
    symmetries = game.symmetries(size)
    way = symmetries[which % len(symmetries)]
    actions = random_actions(name, size, seed)
    mirrored = [moved_action(each, size, way, segments=game.segments) for each in actions]
    version = game.version
    for (here, action), (there, other) in zip(
        walk(name, size, iter(actions)), walk(name, size, iter(mirrored)), strict=True
    ):
        one, two = canonical(game, version, here), canonical(game, version, there)
        assert one.key == two.key
        assert one.action(action) == two.action(other)
        for each, position in ((one, here), (two, there)):
            assert not isinstance(position.play(each.back(one.action(action))), Refusal)


def test_different_positions_have_different_keys() -> None:
    """By game, rules, size, phase, color to move, passes and cells."""
    keys = []
    for name, size in (("loose", 5), ("loose", 7), ("veletas", 7), ("taugo", 7)):
        opening = GAMES[name].opening(size)
        keys += [canonical(GAMES[name], rules, opening).key for rules in (1, 2)]
    for actions in (
        ["komi:2"], ["komi:2", "black"], ["komi:2", "black", "pass"], ["komi:2", "black", "c3"],
        ["komi:2", "black", "c3", "pass"], ["komi:2", "black", "pass", "c3"],
    ):  # fmt: skip
        keys.append(canonical(GAMES["loose"], 1, after("loose", 5, *actions)).key)
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {16}


def test_the_key_ignores_seats_and_komi() -> None:
    one, two = (
        canonical(GAMES["loose"], 1, after("loose", 5, *actions)).key
        for actions in (("komi:2", "black", "c3"), ("komi:8", "white", "c3"))
    )
    assert one == two


def test_a_game_visits_the_positions_of_its_first_plies() -> None:
    game = a_game("bumatodigefoha", size=7)
    found = list(visits(game))
    assert len(game.actions) > PLIES
    assert [each.ply for each in found] == list(range(PLIES + 1))
    assert found[-1].action is None
    for each, following in pairwise(found):
        assert each.following == following.key

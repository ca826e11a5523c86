"""Games are found by their entry points: a faulty package hurts nobody but itself."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pierule_games import GAMES, found
from pierule_games.found import GROUP, DuplicateGame, Games
from pierule_games.loose import GAME

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
GOOD = EntryPoint("loose", "pierule_games.loose:GAME", GROUP)


def installed(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> Games:
    def listed(group: str) -> tuple[EntryPoint, ...]:
        assert group == GROUP
        return entries

    monkeypatch.setattr(found, "entry_points", listed)
    return Games()


def test_the_games_of_this_repository_are_installed() -> None:
    named = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["entry-points"][GROUP]
    assert set(GAMES) >= set(named), "a game of pyproject.toml is missing: run `make install`"
    assert len(GAMES) == len(list(GAMES))
    assert not GAMES.failures


@pytest.mark.parametrize(
    "value", ["no_such_package:GAME", "pierule_games.loose:NO_GAME", "pierule_games.loose:Loose"]
)
def test_a_package_that_cannot_be_loaded_is_left_out(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    games = installed(monkeypatch, EntryPoint("bad", value, GROUP), GOOD)
    assert list(games) == ["loose"]
    assert list(games.failures) == ["bad"]


def test_two_packages_with_one_id_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    games = installed(monkeypatch, GOOD, EntryPoint("other", "pierule_games.loose:GAME", GROUP))
    with pytest.raises(DuplicateGame, match="two packages have the game loose"):
        list(games)


def test_new_rooms_take_the_highest_version() -> None:
    older = GAME.newest
    newer = type("Newer", (older,), {"default_size": 11})
    game = replace(GAME, rules={1: older, 2: newer})
    assert (game.version, game.default_size) == (2, 11)

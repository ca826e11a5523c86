"""`pierule conform game`: games that keep what is wanted pass, and faults are found by name."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from pierule_conform import game as game_command
from pierule_conform.game import examined
from pierule_games import GAMES
from pierule_games.description import Account, Sum
from pierule_games.game import BLACK, WHITE, Cells, Fields
from pierule_games.loose import GAME
from pierule_games.loose.rules import Loose
from pierule_games.package import _checked
from pierule_games.refusal import Refusal
from support.forked import run


@pytest.mark.parametrize("name", sorted(GAMES))
def test_games_of_this_repository_pass(name: str) -> None:
    game = GAMES[name]
    findings = examined(replace(game, rules={1: one_size(game.newest, min(game.sizes))}), 2, 1)
    failed = [finding.name for finding in findings if finding.status != "passed"]
    assert failed in ([], ["documented"])  # its boards have more sizes


def one_size(rules: Any, size: int) -> Any:
    """Rules with one size; the positions are those of the rules."""

    class Fewer:
        game, draws, default_size = rules.game, rules.draws, size
        sizes = (size,)
        restore = rules.restore

        @staticmethod
        def opening(at: int) -> Any:
            if at != size:
                raise ValueError(at)
            return rules.opening(at)

    return Fewer


class Wordless(Loose):
    def play(self, action: str) -> Any:
        after = Loose.play(self, action)
        return Refusal("unheard_of") if isinstance(after, Refusal) else after


class Lax(Loose):
    def play(self, action: str) -> Any:
        return Loose.play(self, action.strip().lower())


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ({"pieces": GAME.pieces[:1]}, "shaped"),
        ({"phases": ["komi", "play", "over"]}, "shaped"),
        ({"account": lambda _: Account(sums=[Sum(kind="stones", color="black", value=99)])},
         "accounted"),
        ({"preview": lambda _, __: []}, "previewed"),
    ],
)  # fmt: skip
def test_a_fault_of_a_package_is_found(fault: dict[str, Any], name: str) -> None:
    game = replace(GAME, rules={1: one_size(Loose, 5)}, **fault)
    assert name in {each.name for each in examined(game, 1, 1) if each.status == "failed"}


class Credulous(Loose):
    @classmethod
    def restore(cls, fields: Fields) -> Any:
        try:
            return super().restore(fields)
        except ValueError:
            return cls.opening(5)


def swapped(position: Any, points: Sequence[str]) -> Cells:
    """A preview with stones of the other color."""
    return [(at, BLACK + WHITE - cell) for at, cell in GAME.preview(position, points)]


def test_a_preview_that_differs_from_the_action_is_found() -> None:
    game = replace(GAME, rules={1: one_size(Loose, 5)}, preview=swapped)
    assert "previewed" in {each.name for each in examined(game, 1, 1) if each.status == "failed"}


def test_a_board_of_a_size_that_the_game_lacks_is_found() -> None:
    class Boundless(one_size(Loose, 5)):  # type: ignore[misc]
        @staticmethod
        def opening(_: int) -> Any:
            return Loose.opening(5)

    game = replace(GAME, rules={1: Boundless})
    assert "opened" in {each.name for each in examined(game, 1, 1) if each.status == "failed"}


class Unscored(Loose):
    @property
    def score(self) -> Any:
        raise TypeError("no score")


def test_a_fault_is_told_with_its_place() -> None:
    game = replace(GAME, rules={1: one_size(Unscored, 5)})
    told = {each.name: each.reason for each in examined(game, 1, 1)}
    assert re.fullmatch(rf"TypeError: no score \({__file__}:\d+\)", told["pure"])


def test_a_package_that_cannot_be_loaded_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(GAMES.failures, "heap", TypeError("no grid"))
    assert game_command.run(Namespace(game="heap")) == game_command.UNUSABLE
    assert "heap cannot be loaded: TypeError: no grid" in capsys.readouterr().err


def test_all_texts_that_a_package_lacks_are_named_at_once() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"texts/es.json lacks by, about, aim, size"):
        _checked("es", {"name": "Loose"})


@pytest.mark.parametrize(
    ("rules", "name"), [(Wordless, "refused"), (Lax, "spelled-once"), (Credulous, "restored")]
)
def test_rules_that_answer_wrongly_are_found(rules: Any, name: str) -> None:
    game = replace(GAME, rules={1: one_size(rules, 5)})
    assert name in {each.name for each in examined(game, 1, 1) if each.status == "failed"}


def test_an_installed_package_passes(citadel: dict[str, str]) -> None:
    status, said, errors = run(
        "conform", "game", "citadel", "--games", "2", timeout=120, environment=citadel
    )
    assert status == 0, said + errors
    status, _, errors = run("conform", "game", "citadel", timeout=60)
    assert status == 2
    assert f"there is no game citadel; there are {', '.join(GAMES)}" in errors
    assert "`pierule.games`" in errors
    assert "make install" in errors

"""Positions that a request names by the actions that lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, UnsetType

from pierule_archive.api.problems import bad_parameter, unknown
from pierule_games import GAMES
from pierule_games.game import Position, Rules
from pierule_games.package import Game
from pierule_games.refusal import Refusal

BoardSize: TypeAlias = Annotated[
    int, Meta(ge=1, le=1_000, description="the size of the board; default: the game's default")
]
"""The parameter `size`."""


def game_named(name: str) -> Game:
    """The game of this id. Raises Failure."""
    game = GAMES.get(name)
    if game is None:
        raise unknown("game", name)
    return game


def rules_of(game: Game, version: int | UnsetType) -> tuple[int, type[Rules]]:
    """A version of a game's rules (default: the newest), with its number. Raises Failure."""
    number = game.version if isinstance(version, UnsetType) else version
    if number not in game.rules:
        detail = f"`rules`: version {number} of {game.id} is not installed here"
        raise bad_parameter("rules", detail, sorted(game.rules))
    return number, game.rules[number]


def size_of(game: Game, rules: type[Rules], size: int | UnsetType) -> int:
    """A size of the board (default: the game's default). Raises Failure."""
    chosen = rules.default_size if isinstance(size, UnsetType) else size
    if chosen not in rules.sizes:
        detail = f"`size`: {game.id} has no board of size {chosen}"
        raise bad_parameter("size", detail, list(rules.sizes))
    return chosen


def positions_of(game: Game, opening: Position, actions: Iterable[str]) -> list[Position]:
    """The opening and the position after each action. Raises Failure, which says which action is
    not legal, and why."""
    positions: list[Any] = [opening]
    for number, action in enumerate(actions, 1):
        after = positions[-1].play(action)
        if isinstance(after, Refusal):
            detail = f"`actions`: number {number}, {action!r}: {game.sentence(after)}"
            raise bad_parameter("actions", detail, {"phase": positions[-1].phase})
        positions.append(after)
    return positions

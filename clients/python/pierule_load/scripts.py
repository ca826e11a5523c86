"""Whole random games, drawn before the run: what the players will do, action by action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random

from pierule_bots.player import random_action
from pierule_games import GAMES
from pierule_games.game import Position, Seat
from pierule_games.refusal import Refusal

EACH = 4
"""Games of each kind that are drawn. To the server one random game is as good as another."""


@dataclass(frozen=True, slots=True)
class Script:
    """A game from its beginning to its end, by the rules."""

    game: str
    size: int
    steps: tuple[tuple[Seat, str], ...]
    """Who acts, and how."""


def draw(game: str, size: int, rng: Random) -> Script:
    """A game of random legal actions."""
    position: Position = GAMES[game].opening(size)
    steps: list[tuple[Seat, str]] = []
    while (seat := position.to_act) is not None:
        action = random_action(position, rng)
        after = position.play(action)
        assert not isinstance(after, Refusal), after
        steps.append((seat, action))
        position = after
    return Script(game, size, tuple(steps))


def deck(kinds: Iterable[tuple[str, int]], rng: Random) -> Iterator[Script]:
    """Games of all kinds by turns, without end."""
    drawn = [[draw(game, size, rng) for _ in range(EACH)] for game, size in kinds]
    return cycle([script for row in zip(*drawn, strict=True) for script in row])

"""Complete random games, prepared before the run: all actions of the players."""

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
"""How many games of each kind are prepared. To the server, all random games are alike."""


@dataclass(frozen=True, slots=True)
class Script:
    """A legal game from its beginning to its end."""

    game: str
    size: int
    steps: tuple[tuple[Seat, str], ...]
    """The seat and the action of each step."""


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
    """Games of all kinds in turn, endlessly."""
    drawn = [[draw(game, size, rng) for _ in range(EACH)] for game, size in kinds]
    return cycle([script for row in zip(*drawn, strict=True) for script in row])

"""Whole games to play, made from the rules: the same in every run."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from pierule_games import GAMES
from pierule_games.game import Part, Position
from pierule_games.refusal import Refusal

PLIES = 18
"""Actions before both pass, where a game has passes."""


@dataclass(frozen=True, slots=True)
class Script:
    """A whole game: `positions[n]` is the one after n actions."""

    game: str
    size: int
    actions: list[str]
    positions: list[Position]

    def seat(self, turn: int) -> int:
        """The seat that acts at a turn."""
        seat = self.positions[turn].to_act
        assert seat is not None
        return seat

    @property
    def longest(self) -> int:
        return len(self.actions)


@cache
def script(game: str, size: int, seed: int = 6) -> Script:
    """A game to its end by the rules: at random, then with passes where there are any."""
    chance = random.Random(f"{game} {size} {seed}")  # noqa: S311 - a game, not a secret
    positions: list[Position] = [GAMES[game].opening(size)]
    actions: list[str] = []
    while positions[-1].winner is None:
        action = _choose(positions[-1], len(actions), chance)
        after = positions[-1].play(action)
        assert not isinstance(after, Refusal), f"{action}: {after}"
        actions.append(action)
        positions.append(after)
    return Script(game, size, actions, positions)


def _choose(position: Position, ply: int, chance: random.Random) -> str:
    parts = position.template()
    if parts:
        return _put_together(parts, chance)
    legal = list(position.actions())
    others = [action for action in legal if action != "pass"]
    if "pass" in legal and (ply >= PLIES or not others):
        return "pass"
    return chance.choice(others)


def _put_together(parts: tuple[Part, ...], chance: random.Random) -> str:
    """A set-up action (SPEC 8.1): the shooters by column, then row; then the stone."""
    written = []
    taken: set[str] = set()
    for part in parts:
        if part.numbers:
            return f"{part.what}:{part.numbers[len(part.numbers) // 2]}"
        free = [point for point in part.points if point not in taken]
        chosen = chance.sample(free, part.count)
        taken.update(chosen)
        written.append(",".join(sorted(chosen, key=lambda point: (point[0], int(point[1:])))))
    return "/".join(written)

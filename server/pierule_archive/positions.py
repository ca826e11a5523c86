"""Positions by which games are found. The same position has the same key, however the board is
turned.

The key covers game, version of the rules, size, phase, color to move, passes and cells; komi and
seats are columns of the game. Of all the ways in which the game's symmetries can turn the board,
the one with the smallest cells counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from pierule_archive.game import Game
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.package import Game as Package
from pierule_games.refusal import Refusal
from pierule_games.symmetry import Symmetry, inverse, moved, moved_action

PLIES = 30
"""The archive keeps the positions of this many plies, from the empty board on."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A position as queries look it up. `key` has 128 bits. `ways` are the symmetries that turn the
    board to the one in the key: several if the position is symmetric itself."""

    key: bytes
    ways: tuple[Symmetry, ...]
    size: int
    segments: bool

    def action(self, played: str) -> str:
        """An action of this position, on the turned board. Actions that a symmetry of the position
        takes to each other become the same action."""
        return min(
            moved_action(played, self.size, way, segments=self.segments) for way in self.ways
        )

    def back(self, action: str) -> str:
        """An action on the turned board, in this position."""
        return moved_action(action, self.size, inverse(self.ways[0]), segments=self.segments)


def canonical(game: Package, rules: int, position: Position) -> Canonical:
    """The position as queries look it up."""
    cells = position.cells
    laid = [(moved(cells, way), way) for way in game.symmetries(position.size)]
    least = min(board for board, _ in laid)
    head = (
        f"{game.id} {rules} {position.size} {position.phase} {_color(position)} {position.passes} "
    )
    key = sha256(head.encode() + least).digest()[:16]
    ways = tuple(way for board, way in laid if board == least)
    return Canonical(key, ways, position.size, game.segments)


def _color(position: Position) -> str:
    if position.to_act is None or position.black is None:
        return "-"
    return "black" if position.to_act == position.black else "white"


@dataclass(frozen=True, slots=True)
class Visit:
    """A position of a game: the action played there, on the turned board (None at the end), and the
    key of the position after it."""

    ply: int
    key: bytes
    action: str | None
    following: bytes | None


def visits(game: Game) -> Iterator[Visit]:
    """The positions of a game's first plies, from the opening on."""
    package = GAMES[game.game]
    position: Position = package.rules[game.rules].opening(game.size)
    here = canonical(package, game.rules, position)
    for ply, action in enumerate(game.actions[:PLIES]):
        after = position.play(action)
        assert not isinstance(after, Refusal), "the log was folded by the same rules"
        following = canonical(package, game.rules, after)
        yield Visit(ply, here.key, here.action(action), following.key)
        position, here = after, following
    yield Visit(min(len(game.actions), PLIES), here.key, None, None)

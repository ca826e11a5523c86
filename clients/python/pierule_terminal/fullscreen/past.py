"""Earlier positions of a game, for looking back.

They are played anew by the rules that come with this client: a server could be asked as well (SPEC
6.11), but here it takes no request and no wait, and goes on without a connection.
"""

from __future__ import annotations

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.messages import RoomState
from pierule_protocol.state.position import PositionState, position_state


class Unknown(Exception):
    """The rules to play the actions again are not installed; the text says so."""


class Past:
    """The positions of one game after another; each is computed once."""

    def __init__(self) -> None:
        self._game: tuple[str, int] | None = None
        self._actions: list[str] = []
        self._positions: list[Position] = []

    def position(self, state: RoomState, ply: int) -> PositionState:
        """The position after the first `ply` actions that stand. Raises Unknown."""
        game, size = state.position.game, state.position.size
        if game not in GAMES:
            raise Unknown(f"This version has no rules of {game}: it shows no earlier positions.")
        if self._game != (game, size):
            self._game, self._actions = (game, size), []
            self._positions = [GAMES[game].opening(size)]
        kept = 0
        while kept < min(len(self._actions), ply) and self._actions[kept] == state.actions[kept]:
            kept += 1
        if kept < ply:  # otherwise all that is asked for is there
            del self._actions[kept:], self._positions[kept + 1 :]
        for action in state.actions[kept:ply]:
            after = self._positions[-1].play(action)
            if isinstance(after, Refusal):
                raise Unknown(f"This version has other rules of {game}: {action}, {after.rule}")
            self._actions.append(action)
            self._positions.append(after)
        return position_state(self._positions[ply])

"""Earlier positions of a game, for looking back.

If this client has the room's rules, it replays them itself. That needs no request and no wait, and
works without a connection. Otherwise the server replays them (SPEC 6.11).
"""

from __future__ import annotations

from typing import TypeAlias

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.messages import RoomState
from pierule_protocol.state.position import PositionState, position_state

Kind: TypeAlias = tuple[str, int, int]
"""A game, a size, and the version of its rules."""


class Past:
    """The positions of the present game. Each is computed once."""

    def __init__(self) -> None:
        self._kind: Kind | None = None
        self._actions: list[str] = []
        self._positions: list[Position] = []
        self._told: tuple[Kind, list[str], list[PositionState]] | None = None

    def position(self, state: RoomState, ply: int) -> PositionState | None:
        """The position after the first `ply` actions that stand; None if only the server can tell
        it."""
        played = self._played(state, ply)
        if played is not None:
            return position_state(played)
        kind, actions, positions = self._told or (None, [], [])
        same = kind == _kind(state) and actions[:ply] == state.actions[:ply]
        return positions[ply] if same and ply < len(positions) else None

    def keep(self, state: RoomState, positions: list[PositionState]) -> None:
        """Keep the server's positions before and after each action of a state."""
        self._told = _kind(state), state.actions, positions

    def _played(self, state: RoomState, ply: int) -> Position | None:
        """The position by the rules that are installed here; None if they are not, or refuse an
        action."""
        kind = game, size, version = _kind(state)
        rules = GAMES[game].rules.get(version) if game in GAMES else None
        if rules is None or size not in rules.sizes:
            return None
        if self._kind != kind:
            self._kind, self._actions, self._positions = kind, [], [rules.opening(size)]
        kept = 0
        while kept < min(len(self._actions), ply) and self._actions[kept] == state.actions[kept]:
            kept += 1
        if kept < ply:  # otherwise it is already known
            del self._actions[kept:], self._positions[kept + 1 :]
        for action in state.actions[kept:ply]:
            after = self._positions[-1].play(action)
            if isinstance(after, Refusal):
                return None
            self._actions.append(action)
            self._positions.append(after)
        return self._positions[ply]


def _kind(state: RoomState) -> Kind:
    return state.position.game, state.position.size, state.rules

"""The offers between the players of a room: which ones stand, and how many there may be.

Pure. Whether players can agree on something at all, the room decides (`Room.hindrance`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pierule_games.game import Seat
from pierule_protocol.log.events import What

MOST = 100
"""The most offers that a seat may make in a room. Without it, offers alone could fill a log. This
is not a setting, because every node must fold a log in the same way."""


@dataclass(frozen=True, slots=True)
class Offers:
    """For each seat: its current offer, what it has offered since the latest action, and how many
    offers it has made."""

    standing: tuple[What | None, What | None] = (None, None)
    tried: frozenset[tuple[Seat, What]] = frozenset()
    made: tuple[int, int] = (0, 0)

    def hindrance(self, seat: Seat, what: What) -> str | None:
        """Why a seat may not make an offer now; None if it may."""
        if self.standing[seat] is not None:
            return "you already have an open offer; withdraw it first"
        if (seat, what) in self.tried:
            return "you have already offered this; offer it again after the next action"
        if self.made[seat] >= MOST:
            return f"you have made {MOST} offers, the most in one game"
        return None

    def make(self, seat: Seat, what: What) -> Self:
        """The offers after a seat has made another."""
        first, second = self.made
        made = (first + 1, second) if seat == 0 else (first, second + 1)
        return replace(
            self, standing=self._with(seat, what), tried=self.tried | {(seat, what)}, made=made
        )

    def without(self, seat: Seat) -> Self:
        """The offers after that of a seat was declined or withdrawn."""
        return replace(self, standing=self._with(seat, None))

    def settled(self) -> Self:
        """The offers after the players have agreed on one, or the game is over: none stands."""
        return replace(self, standing=(None, None))

    def lapsed(self) -> Self:
        """The offers after an action or takeback: none stands, and all may be made again."""
        return replace(self, standing=(None, None), tried=frozenset()) if self.tried else self

    def _with(self, seat: Seat, what: What | None) -> tuple[What | None, What | None]:
        first, second = self.standing
        return (what, second) if seat == 0 else (first, what)

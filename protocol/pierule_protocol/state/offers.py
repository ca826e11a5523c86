"""What the players of a room offer each other: the standing offers, and how many there may be.

Pure. The room decides whether anything can be offered in it at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pierule_games.game import Seat
from pierule_protocol.log.events import What

MOST = 100
"""The most offers that a seat may make in a room, so that no log grows by offers alone. Not a
setting: every node must fold a log alike."""


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
            return "an offer of yours stands already; withdraw it first"
        if (seat, what) in self.tried:
            return "you have offered this already; not again before the next action"
        if self.made[seat] >= MOST:
            return f"you have made {MOST} offers; there are no more in this game"
        return None

    def make(self, seat: Seat, what: What) -> Self:
        """A seat makes an offer."""
        first, second = self.made
        made = (first + 1, second) if seat == 0 else (first, second + 1)
        return replace(
            self, standing=self._with(seat, what), tried=self.tried | {(seat, what)}, made=made
        )

    def without(self, seat: Seat) -> Self:
        """The offer of a seat was declined or withdrawn."""
        return replace(self, standing=self._with(seat, None))

    def settled(self) -> Self:
        """No offer stands any more: the players have agreed on one, or the game is over."""
        return replace(self, standing=(None, None))

    def lapsed(self) -> Self:
        """The game has moved on: no offer stands, and everything may be offered again."""
        return replace(self, standing=(None, None), tried=frozenset()) if self.tried else self

    def _with(self, seat: Seat, what: What | None) -> tuple[What | None, What | None]:
        first, second = self.standing
        return (what, second) if seat == 0 else (first, what)

"""Which games of others the lobby lists. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pierule.listing import RoomFilter
from pierule.lobby import LobbyView
from pierule_protocol.messages import Card, FreeSeat, ListedStatus, LobbyRoom

FULL = 100
"""The most rooms of a status that the lobby includes (SPEC 23.6)."""

Kind: TypeAlias = tuple[str, ListedStatus | None, FreeSeat | None]

KINDS: tuple[Kind, ...] = (
    ("", None, None),
    ("waiting", "open", None),
    ("waiting, you cut", None, 0),
    ("waiting, you choose", None, 1),
    ("being played", "running", None),
)
"""What can be listed: its name, the status of such rooms, and their free seat."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A game, or (None) any, and one of `KINDS`."""

    game: str | None = None
    kind: int = 0

    @property
    def filter(self) -> RoomFilter:
        """Which rooms that are."""
        _, status, seat = KINDS[self.kind]
        return RoomFilter(self.game, None, status, seat)

    @property
    def text(self) -> str:
        """What is listed, in words; nothing if that is everything."""
        words = [self.game.capitalize() if self.game else "", KINDS[self.kind][0]]
        return ", ".join(word for word in words if word)

    def next_game(self, games: Sequence[str]) -> Choice:
        """The same of the next game, or of any game after the last."""
        around = [None, *games]
        at = around.index(self.game) if self.game in around else 0
        return replace(self, game=around[(at + 1) % len(around)])

    def next_kind(self) -> Choice:
        """The next kind of the same game."""
        return replace(self, kind=(self.kind + 1) % len(KINDS))

    def of(self, view: LobbyView, listed: Sequence[Card]) -> LobbyView:
        """The chosen part of the lobby, and of rooms that were listed besides."""
        known = {room.card.room for room in view.rooms}
        others = [LobbyRoom(card=card, spectators=0) for card in listed if card.room not in known]
        rooms = [room for room in (*view.rooms, *others) if self.filter.has(room.card)]
        rooms.sort(key=lambda room: (room.card.away, -room.card.at))
        seeks = self.filter.status != "running"
        pools = [pool for pool in view.pools if seeks and self.game in (None, pool.game)]
        return replace(view, rooms=rooms, pools=pools)


def is_full(view: LobbyView) -> bool:
    """Whether there may be rooms that the lobby does not include."""
    waiting = sum(room.card.status == "open" for room in view.rooms)
    return max(waiting, len(view.rooms) - waiting) >= FULL

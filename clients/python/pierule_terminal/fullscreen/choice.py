"""Which rooms of other users the lobby lists. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pierule.listing import RoomFilter
from pierule.lobby import LobbyView
from pierule_protocol.messages import Card, FreeSeat, ListedStatus, LobbyRoom

FULL = 100
"""The most rooms of each status in the lobby (SPEC 23.6)."""

Kind: TypeAlias = tuple[str, ListedStatus | None, FreeSeat | None]

KINDS: tuple[Kind, ...] = (
    ("", None, None),
    ("waiting", "open", None),
    ("waiting, you cut", None, 0),
    ("waiting, you choose", None, 1),
    ("being played", "running", None),
)
"""The kinds of rooms to list: name, status, and free seat."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A game (None: any), and an index of `KINDS`."""

    game: str | None = None
    kind: int = 0

    @property
    def filter(self) -> RoomFilter:
        """The filter for these rooms."""
        _, status, seat = KINDS[self.kind]
        return RoomFilter(self.game, None, status, seat)

    @property
    def text(self) -> str:
        """What is listed, in words; empty for everything."""
        words = [self.game.capitalize() if self.game else "", KINDS[self.kind][0]]
        return ", ".join(word for word in words if word)

    def next_game(self, games: Sequence[str]) -> Choice:
        """The same kind of the next game; after the last game, of any game."""
        around = [None, *games]
        at = around.index(self.game) if self.game in around else 0
        return replace(self, game=around[(at + 1) % len(around)])

    def next_kind(self) -> Choice:
        """The next kind of the same game."""
        return replace(self, kind=(self.kind + 1) % len(KINDS))

    def of(self, view: LobbyView, listed: Sequence[Card]) -> LobbyView:
        """The chosen part of the lobby, and of the rooms in `listed`."""
        known = {room.card.room for room in view.rooms}
        others = [LobbyRoom(card=card, spectators=0) for card in listed if card.room not in known]
        rooms = [room for room in (*view.rooms, *others) if self.filter.has(room.card)]
        rooms.sort(key=lambda room: (room.card.away, -room.card.at))
        seeks = self.filter.status != "running"
        pools = [pool for pool in view.pools if seeks and self.game in (None, pool.game)]
        return replace(view, rooms=rooms, pools=pools)


def is_full(view: LobbyView) -> bool:
    """Whether there may be more rooms than the lobby includes."""
    waiting = sum(room.card.status == "open" for room in view.rooms)
    return max(waiting, len(view.rooms) - waiting) >= FULL

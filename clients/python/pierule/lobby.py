"""The watched lobby: a snapshot, changes, and iterators over its states."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.messages import (
    FreeBots,
    LobbyChange,
    LobbyRoom,
    LobbyState,
    Pool,
    WatchLobby,
)


@dataclass(frozen=True, slots=True)
class LobbyView:
    """The lobby at one moment."""

    rooms: list[LobbyRoom]
    """The open and running rooms, the latest first; open rooms in which nobody waits come last."""
    pools: list[Pool]
    """Games, sizes and clocks for which somebody waits."""
    bots: int = 0
    """How many house bots are free (SPEC 23.16)."""
    bot_levels: tuple[FreeBots, ...] = ()
    """The levels of house bots that run (SPEC 23.21)."""


class LiveLobby:
    """What a session knows about the lobby. `watched` counts its iterators."""

    def __init__(self) -> None:
        self.watched = 0
        self.wanted = WatchLobby(id=0)
        self._seq: int | None = None
        self._rooms: dict[str, LobbyRoom] = {}
        self._pools: dict[tuple[str, int, ClockOptions | None], Pool] = {}
        self._bots = 0
        self._levels: tuple[FreeBots, ...] = ()
        self._news = asyncio.Event()
        self._error: Exception | None = None

    def hear(self, message: LobbyState | LobbyChange) -> bool:
        """Take a message. Returns False if changes before it are missing (SPEC 23.7)."""
        if isinstance(message, LobbyState):
            self._rooms, self._pools = {}, {}
        elif self._seq is None:
            return True  # a snapshot is on its way, or nobody watches any more
        elif message.seq != self._seq + 1:
            self._seq = None
            return False
        else:
            for room_id in message.gone:
                self._rooms.pop(room_id, None)
        self._seq = message.seq
        self._bots = self._bots if message.bots is None else message.bots
        if message.bot_levels is not None:
            self._levels = tuple(message.bot_levels)
        self._rooms |= {room.card.room: room for room in message.rooms}
        for pool in message.pools:
            self._pools.pop((pool.game, pool.size, pool.control), None)
            if pool.waiting:
                self._pools[pool.game, pool.size, pool.control] = pool
        self._tell()
        return True

    def end(self, error: Exception) -> None:
        """No more changes will come: end the iterators with this error."""
        self._error = error
        self._tell()

    def forget(self) -> None:
        """Forget the lobby, because nobody watches it any more."""
        self._seq = self._error = None

    @property
    def view(self) -> LobbyView | None:
        """The lobby as it is; None while its snapshot is on its way."""
        if self._seq is None:
            return None
        rooms = sorted(self._rooms.values(), key=lambda room: (room.card.away, -room.card.at))
        return LobbyView(rooms, list(self._pools.values()), self._bots, self._levels)

    async def views(self) -> AsyncIterator[LobbyView]:
        """The lobby as it is, and again whenever it changes. It may skip states in between."""
        while self._error is None:
            news = self._news
            if (view := self.view) is not None:
                yield view
            if news is self._news:
                await news.wait()
        raise self._error

    def _tell(self) -> None:
        """Wake all waiting callers once."""
        self._news.set()
        self._news = asyncio.Event()

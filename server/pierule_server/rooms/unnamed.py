"""Gives players their names back.

If the part of the store with their accounts is away, a node cannot know whether players have
deleted them, so it shows rooms that it reads then without names (see `store.tables.naming`). When
the store is back, those in memory are read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pierule_protocol import world
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_server.rooms.cache import RoomCache
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.recovery import Recovery
from pierule_server.store.room_log import RoomLog, StoreUnavailable

PAUSE = 1.0
"""Seconds between two attempts."""


class Unnamed:
    """The rooms that were read without names. `start` runs work in the background, and handles its
    errors."""

    def __init__(
        self,
        log: RoomLog,
        cache: RoomCache,
        recovery: Recovery,
        start: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        self._log = log
        self._cache = cache
        self._recovery = recovery
        self._start = start
        self._rooms: set[str] = set()
        self._works = False

    def note(self, room: str) -> None:
        """This room was read without names."""
        self._rooms.add(room)
        if not self._works:
            self._works = True
            self._start(self._work)

    async def _work(self) -> None:
        try:
            while self._rooms:
                await asyncio.sleep(PAUSE)
                # In any order, because each room may need another part of the store.
                for room in world.random().sample(sorted(self._rooms), len(self._rooms)):
                    self._rooms.discard(room)
                    await self._name(room)
                    if room in self._rooms:  # still away: the read has noted it again
                        break
        finally:
            self._works = False

    async def _name(self, room: str) -> None:
        try:
            live = await self._cache.loaded(room)
            if live is not None:
                entries = await self._log.read(room)
                live.name((await self._recovery.fold(room, entries)).seats if entries else [])
        except StoreUnavailable:
            self._rooms.add(room)
        except (Refused, CorruptLog, UnknownGame):
            pass  # whoever reads it next is told; the other rooms must not wait for it

"""`memberships` of a store in memory: see `pierule_server.store.tables.memberships`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container

from pierule_server.store.tables import memberships as real


class MemoryMemberships:
    """Memberships in the memory of one process; `going_on` has the rooms that are open or
    running."""

    def __init__(self, clock: Callable[[], int], going_on: Container[str]) -> None:
        self._clock = clock
        self._going_on = going_on
        self._notes: defaultdict[str, dict[str, int]] = defaultdict(dict)

    async def reserve(self, user: str, room: str, most: int) -> bool:
        rooms = self._notes[user]
        if room in rooms:
            return True
        if 0 < most <= len(rooms):
            return False
        rooms[room] = self._clock()
        return True

    async def release(self, user: str, room: str) -> None:
        self._notes[user].pop(room, None)

    async def held(self, user: str) -> list[tuple[int, str]]:
        return sorted(((at, room) for room, at in self._notes[user].items()), reverse=True)

    async def prune(self, user: str) -> None:
        before = self._clock() - real.FRESH_MS
        for at, room in await self.held(user):
            if at < before and room not in self._going_on:
                await self.release(user, room)

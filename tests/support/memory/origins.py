"""`origins` of a store in memory: see `pierule_server.store.tables.origins`."""

from __future__ import annotations

from pierule_server.store.tables import origins as real


class MemoryOrigins:
    """Origins in the memory of one process; `deadlines` are those of the rooms."""

    def __init__(self, deadlines: dict[str, int]) -> None:
        self._deadlines = deadlines
        self._rooms: dict[str, dict[str, None]] = {}

    async def note(self, origin: str, room: str, most: int, life: int = real.KEPT_MS) -> list[str]:
        rooms = self._rooms.setdefault(origin, {})
        rooms.pop(room, None)
        rooms[room] = None
        return list(rooms)[: min(max(0, len(rooms) - most), real.NAMED)]

    async def rooms(self, origin: str) -> list[str]:
        return list(self._rooms.get(origin, {}))

    async def drop(self, origin: str, room: str) -> None:
        self._rooms.get(origin, {}).pop(room, None)

    async def deadline(self, room: str) -> float | None:
        return self._deadlines.get(room)

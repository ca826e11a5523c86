"""`origins` of a store in memory: see `pierule_server.store.tables.origins`."""

from __future__ import annotations

from pierule_server.store.tables import origins as real


class MemoryOrigins:
    """Origins in the memory of one process."""

    def __init__(self) -> None:
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

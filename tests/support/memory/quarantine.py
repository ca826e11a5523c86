"""`quarantine` of a store in memory: see `pierule_server.store.tables.quarantine`."""

from __future__ import annotations

from collections.abc import Callable

from pierule_server.store.tables.quarantine import Damage


class MemoryQuarantine:
    """The quarantine in the memory of one process. `tell(room)` tells all nodes; `forget(room)`
    removes it from all lists."""

    def __init__(self, tell: Callable[[str], None], forget: Callable[[str], None]) -> None:
        self.kept: dict[str, Damage] = {}
        self._tell = tell
        self._forget = forget

    async def put(self, room: str, damage: Damage) -> bool:
        self._forget(room)
        self._tell(room)
        new = room not in self.kept
        self.kept.setdefault(room, damage)
        return new

    async def holds(self, room: str) -> bool:
        return room in self.kept

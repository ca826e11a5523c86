"""`quarantine` of a store in memory: see `pierule_server.store.tables.quarantine`."""

from __future__ import annotations

from collections.abc import Callable

from pierule_protocol.log.events import Entry
from pierule_server.store.tables.quarantine import Damage


class MemoryQuarantine:
    """The quarantine in the memory of one process. `tell(room)` tells all nodes; `forget(room)`
    removes it from all lists, and `entries(room)` has its log."""

    def __init__(
        self,
        tell: Callable[[str], None],
        forget: Callable[[str], None],
        entries: Callable[[str], list[Entry]],
    ) -> None:
        self.kept: dict[str, Damage] = {}
        self._tell = tell
        self._forget = forget
        self._entries = entries

    async def put(self, room: str, damage: Damage) -> bool:
        self._forget(room)
        self._tell(room)
        new = room not in self.kept
        self.kept.setdefault(room, damage)
        return new

    async def holds(self, room: str) -> bool:
        return room in self.kept

    async def readable(self, room: str) -> list[Entry]:
        return list(self._entries(room))

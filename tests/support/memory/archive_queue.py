"""`archive_queue` of a store in memory: see `pierule_server.store.tables.archive_queue`."""

from __future__ import annotations

from collections.abc import Callable

from pierule_server.store.tables.archive_queue import Backlog, Unarchived, in_order


class MemoryArchiveQueue:
    """The archive queue in the memory of one process. `keep(room, retention)` lets a room expire,
    if it is put away."""

    def __init__(self, clock: Callable[[], int], keep: Callable[[str, int], None]) -> None:
        self._clock = clock
        self._keep = keep
        self.waiting: dict[str, int] = {}
        self.wanted = False
        self.writer: tuple[str, int] = ("", 0)

    def holds(self, room: str) -> bool:
        """Whether the room must be kept."""
        return self.wanted and room in self.waiting

    async def look(self, *, archives: bool, more: int = 0) -> Backlog:
        self.wanted = self.wanted or archives
        oldest = in_order(Unarchived(name, at) for name, at in self.waiting.items())
        return Backlog(len(oldest), self.wanted, oldest)

    async def give_up(self) -> None:
        self.wanted = False

    async def forget(self, user: str) -> None:
        if self.wanted:
            self.waiting[f"@{user}"] = self._clock()

    async def done(self, entry: Unarchived, retention: int) -> bool:
        if self.waiting.get(entry.name) != entry.at:
            return False
        del self.waiting[entry.name]
        self._keep(entry.name, retention)
        return True

    async def lease(self, node: str, ms: int) -> bool:
        holder, until = self.writer
        if holder != node and until > self._clock():
            return False
        self.writer = (node, self._clock() + ms)
        return True

"""The room log in the memory of one process: for tests, and to read what `Log` means.

Several `MemoryLog`s may share one `MemoryStore`, as several nodes share a store. It knows nothing
of connections: it never fails, and loses everything with its process.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable

from pierule_protocol.events import EMPTY, Entry, Place, chain
from pierule_server.store.log import Conflict, Listener


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class MemoryStore:
    """What the logs of all nodes share."""

    def __init__(self, clock: Callable[[], int] = _milliseconds) -> None:
        self.clock = clock
        self.logs: dict[str, list[Entry]] = {}
        self.cards: dict[str, tuple[int, bytes]] = {}
        self.subscribers: defaultdict[str, set[Listener]] = defaultdict(set)

    def tell(self, room: str, call: Callable[[Listener], None]) -> None:
        """Have `call` told to those who are subscribed by now; later, as a real store would."""
        loop = asyncio.get_running_loop()
        for listener in self.subscribers[room]:
            loop.call_soon(call, listener)


class MemoryLog:
    """A node's view of a `MemoryStore`. See `Log`."""

    def __init__(self, store: MemoryStore, listener: Listener) -> None:
        self._store = store
        self._listener = listener

    async def append(
        self,
        room: str,
        expected: Place,
        record: bytes,
        *,
        card: bytes | None,
        renew: bool = False,
    ) -> Entry:
        store = self._store
        entries = store.logs.get(room, [])
        if expected != (entries[-1].place if entries else EMPTY):
            raise Conflict(room)
        epoch = expected.epoch + (renew or expected == EMPTY)
        seq = expected.seq + 1
        at = max(store.clock(), entries[-1].at if entries else 0)
        link = chain(expected.chain, epoch, seq, record, at)
        entry = Entry(epoch, seq, link, at, record.decode())
        store.logs.setdefault(room, []).append(entry)
        if card is None:
            store.cards.pop(room, None)
        else:
            store.cards[room] = (at, card)
        store.tell(room, lambda listener: listener.entry(room, entry))
        return entry

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        return self._store.logs.get(room, [])[max(first, 1) - 1 :]

    async def cards(self, limit: int) -> list[tuple[int, bytes]]:
        return sorted(self._store.cards.values(), reverse=True)[: max(limit, 0)]

    async def subscribe(self, room: str, /) -> None:
        self._store.subscribers[room].add(self._listener)

    async def unsubscribe(self, room: str, /) -> None:
        self._store.subscribers[room].discard(self._listener)

    async def announce(self, room: str, text: str) -> None:
        self._store.tell(room, lambda listener: listener.note(room, text))

    async def close(self) -> None:
        for listeners in self._store.subscribers.values():
            listeners.discard(self._listener)

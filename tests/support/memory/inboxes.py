"""`inboxes` of a store in memory: see `pierule_server.store.tables.inboxes`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from pierule_server.store.buckets import (
    topic_of,
)
from pierule_server.store.tables.inboxes import Put, Share


class MemoryInboxes:
    """Inboxes in the memory of one process; `tell(topic, text)` tells subscribers, `call(user,
    name, at)` queues a call of the user's webhook."""

    def __init__(
        self,
        clock: Callable[[], int],
        tell: Callable[[str, str], None],
        call: Callable[[str, str, int], None],
    ) -> None:
        self._clock = clock
        self._tell = tell
        self._call = call
        self._notes: defaultdict[str, dict[str, tuple[int, str]]] = defaultdict(dict)

    async def put(
        self,
        user: str,
        name: str,
        text: str,
        life: int,
        *,
        most: int = 0,
        instead: str = "",
        needed: bool = False,
        unless: Collection[str] = (),
        told: bool = True,
        call: int = 0,
        shares: Sequence[Share] = (),
    ) -> Put | tuple[str] | int:
        notes = await self.read(user)
        kind = name.partition(":")[0] + ":"
        if notes.keys() & unless:
            return "barred"
        if name in notes:
            return (notes[name],)
        if needed and instead not in notes:
            return "missing"
        if 0 < most <= sum(each.startswith(kind) for each in notes):
            return "full"
        for number, (piece, bound) in enumerate(shares):
            held = sum(piece in note for each, note in notes.items() if each.startswith(kind))
            if piece in text and held >= bound:
                return number
        self._notes[user].pop(instead, None)
        self._notes[user][name] = (self._clock() + life, text)
        if call:
            self._call(user, name, self._clock() + call)
        if told:
            self._tell(topic_of(user), f"{user} {name} {text}")
        return "put"

    async def extend(self, user: str, name: str, life: int) -> bool:
        text = (await self.read(user)).get(name)
        if text is not None:
            self._notes[user][name] = (self._clock() + life, text)
        return text is not None

    async def drop(self, user: str, name: str) -> bool:
        return self._notes[user].pop(name, None) is not None

    async def read(self, user: str) -> dict[str, str]:
        now = self._clock()
        kept = {name: note for name, note in self._notes[user].items() if note[0] >= now}
        self._notes[user] = kept
        return {name: text for name, (_, text) in kept.items()}

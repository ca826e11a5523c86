"""`listing` of a store in memory: see `pierule_server.store.tables.listing`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from pierule_server.store.tables import listing as real
from pierule_server.store.tables.listing import LobbyContents, _pairs, _waiting
from pierule_server.store.tables.paging import (
    OPEN,
    STAY,
    Listed,
    Page,
    Part,
    Position,
    RoomFilter,
    Share,
    page,
)
from support.memory.pools import MemoryPools


class MemoryListing:
    """The listing in the memory of one process."""

    def __init__(
        self,
        clock: Callable[[], int],
        cards: dict[str, tuple[int, bytes]],
        deadlines: dict[str, int],
        pools: MemoryPools,
    ) -> None:
        self._clock = clock
        self._cards = cards
        self._deadlines = deadlines
        self._pools = pools
        self._origins: dict[str, str] = {}
        self._audience: dict[tuple[str, int], tuple[int, str]] = {}

    async def read(self) -> LobbyContents:
        now = self._clock()
        spectators = Counter[str]()
        for until, counts in self._audience.values():
            for room, count in _pairs(counts.split()) if until >= now else []:
                spectators[room] += int(count)
        seekers = (
            (each.pool, each.seeker.user)
            for each in self._pools.seeks.values()
            if each.lease >= now
        )
        rooms = [
            Listed(self._part(room), score, room, card, self._origins.get(room, ""))
            for room, (score, card) in self._cards.items()
        ]
        return LobbyContents(rooms, _waiting(seekers), spectators)

    async def page(self, wanted: RoomFilter, after: Position | None, limit: int) -> Page:
        async def look(position: Position, most: int) -> list[Share]:
            part, score, room = position
            listed = sorted(((at, room) for room, (at, _) in self._cards.items()), reverse=True)
            found: list[Share] = []
            for at, each in listed:
                card = self._cards[each][1]
                fits = all(needle.encode() in card for needle in wanted.needles)
                beyond = not room or (at, each) < (score, room)
                if fits and beyond and self._part(each) == part:
                    found.append((at, each.encode(), card))
            stop = found[most - 1][:2] if len(found) >= most else (0, b"")
            return [(*stop, [value for share in found[:most] for value in share])]

        return await page(look, wanted.parts, after, limit)

    def _part(self, room: str) -> Part:
        score, card = self._cards[room]
        if score < OPEN:
            return "running"
        stay = STAY[b'"kind":"correspondence"' in card]
        return "here" if self._deadlines.get(room, 0) - self._clock() > stay else "away"

    async def note_origin(self, room: str, origin: str) -> None:
        if room in self._cards:
            self._origins.setdefault(room, origin)

    async def count_spectators(self, node: str, counts: Mapping[int, str]) -> None:
        for bucket, text in counts.items():
            self._audience[node, bucket] = (self._clock() + real.SPECTATORS_MS, text)

"""What the lobby is made of: cards of rooms that are open or running, seeks that wait, and how
many spectators each node serves. Derived from the rooms' own keys and from leases, so that there
are no ghosts; asked for by a look at all buckets, and kept nowhere else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from pierule_server.store.buckets import (
    BUCKETS,
    audience_key,
    bucket_of,
    cards_key,
    rooms_key,
    seeks_key,
)
from pierule_server.store.pools import LIFE_MS, MemoryPools, PoolKey

ATTEND_MS = 25_000
"""Milliseconds for which a node's part of the audience counts after it was told."""

EACH = 16
"""Rooms of each status that a look takes from a bucket: four times what a lobby of 200 has room
for, evenly spread."""

SCANNED = 128
"""Rooms of a bucket that a look goes through for that."""


@dataclass(frozen=True, slots=True)
class Look:
    """Times and cards (JSON) of rooms, how many users wait in each pool, and how many spectators
    each room has."""

    cards: list[tuple[int, bytes]]
    waiting: dict[PoolKey, int]
    spectators: Counter[str]


class Listing(Protocol):
    """The lobby's sources. Every method may raise `StoreUnavailable`."""

    async def look(self) -> Look:
        """All of it. What part of the store cannot be reached is left out."""
        ...

    async def attend(self, node: str, counts: Mapping[int, str]) -> None:
        """Tell how many spectators a node serves: for some buckets, `ROOM COUNT ROOM COUNT ...`."""
        ...


class RedisListing:
    """The listing in Redis or Valkey. `everywhere(file, rest_of, buckets)` runs a script."""

    def __init__(self, everywhere: Callable[..., Awaitable[list[Any]]]) -> None:
        self._everywhere = everywhere

    async def look(self) -> Look:
        replies = await self._everywhere(
            "look.lua",
            lambda each: (
                *(4, rooms_key(each), cards_key(each), seeks_key(each), audience_key(each)),
                *(EACH, SCANNED, LIFE_MS),
            ),
        )
        cards = [(int(float(at)), card) for rooms, _, _ in replies for at, card in _pairs(rooms)]
        seekers = [pair for _, seeks, _ in replies for pair in _pairs(seeks)]
        spectators = Counter[str]()
        for _, _, audiences in replies:
            for counts in audiences:
                for room, count in _pairs(counts.decode().split()):
                    spectators[room] += int(count)
        return Look(
            cards, _waiting((_pools.decode(pool), user) for pool, user in seekers), spectators
        )

    async def attend(self, node: str, counts: Mapping[int, str]) -> None:
        await self._everywhere(
            "attend.lua",
            lambda each: (1, audience_key(each), node, counts[each], ATTEND_MS),
            counts,
        )


_pools: msgspec.json.Decoder[PoolKey] = msgspec.json.Decoder(PoolKey)


def _pairs(flat: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _waiting(seekers: Any) -> dict[PoolKey, int]:
    """How many different users wait in each pool."""
    users: defaultdict[PoolKey, set[Any]] = defaultdict(set)
    for pool, user in seekers:
        users[pool].add(user)
    return {pool: len(each) for pool, each in users.items()}


class MemoryListing:
    """The listing in the memory of one process."""

    def __init__(
        self, clock: Callable[[], int], cards: dict[str, tuple[int, bytes]], pools: MemoryPools
    ) -> None:
        self._clock = clock
        self._cards = cards
        self._pools = pools
        self._audience: dict[tuple[str, int], tuple[int, str]] = {}

    async def look(self) -> Look:
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
        return Look(list(self._cards.values()), _waiting(seekers), spectators)

    async def attend(self, node: str, counts: Mapping[int, str]) -> None:
        for bucket, text in counts.items():
            self._audience[node, bucket] = (self._clock() + ATTEND_MS, text)


def by_bucket(counts: Mapping[str, int]) -> dict[int, str]:
    """Counts of rooms as `attend` takes them, for every bucket."""
    parts: dict[int, list[str]] = {bucket: [] for bucket in range(BUCKETS)}
    for room, count in sorted(counts.items()):
        parts[bucket_of(room)] += (room, str(count))
    return {bucket: " ".join(part) for bucket, part in parts.items()}

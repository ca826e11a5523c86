"""Reads what the lobby shows: cards of open and running rooms, waiting seeks, and the number of
spectators at each node. It comes from the rooms' own keys and from leases, so there are no ghosts.
A look reads all buckets, and nothing else keeps the result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from pierule_server.store.buckets import (
    BUCKETS,
    audience_key,
    bucket_of,
    cards_key,
    deadlines_key,
    rooms_key,
    seeks_key,
)
from pierule_server.store.driver.access import Access, Rest, Script
from pierule_server.store.tables.paging import (
    SCANNED,
    SPANS,
    STAY,
    Listed,
    Page,
    Position,
    RoomFilter,
    Share,
    page,
)
from pierule_server.store.tables.pools import LIFE_MS, PoolKey

SPECTATORS_MS = 25_000
"""Milliseconds for which a node's count of spectators is valid."""

EACH = 16
"""Rooms of each game and part that a look takes from a bucket: with an even spread, eight times
what a lobby shows."""

EACH_OF_ORIGIN = 4
"""So many of them of one origin come before those of other origins."""

LOOKED_AT = 128
"""For that, a look goes through this many open and this many running rooms of a bucket."""


@dataclass(frozen=True, slots=True)
class LobbyContents:
    """The rooms, the number of users who wait in each pool, and the spectators of each room."""

    rooms: list[Listed]
    waiting: dict[PoolKey, int]
    spectators: Counter[str]


class Listing:
    """The lobby's sources. Every method may raise `StoreUnavailable`."""

    def __init__(self, store: Access) -> None:
        self._store = store

    async def read(self) -> LobbyContents:
        """Everything that the lobby shows. It lacks unreachable parts of the store."""
        replies = await self._store.everywhere(
            _LOOK,
            lambda each: (
                *(5, *_room_keys(each), seeks_key(each), audience_key(each)),
                *(EACH, LOOKED_AT, LIFE_MS, *STAY, EACH_OF_ORIGIN),
            ),
        )
        rooms = [
            Listed(part.decode(), int(score), room.decode(), card, origin.decode())
            for flat, _, _ in replies
            for part, score, room, card, origin in zip(
                *(flat[each::5] for each in range(5)), strict=True
            )
        ]
        seekers = [pair for _, seeks, _ in replies for pair in _pairs(seeks)]
        spectators = Counter[str]()
        for _, _, audiences in replies:
            for counts in audiences:
                for room, count in _pairs(counts.decode().split()):
                    spectators[room] += int(count)
        return LobbyContents(
            rooms, _waiting((_pools.decode(pool), user) for pool, user in seekers), spectators
        )

    async def page(self, wanted: RoomFilter, after: Position | None, limit: int) -> Page:
        """A page of at most `limit` wanted rooms after a position, or from the beginning; perhaps
        fewer. It lacks unreachable parts of the store."""

        async def look(position: Position, most: int) -> list[Share]:
            part, score, room = position
            lowest, highest = SPANS[part]
            rest: Rest = (part, lowest, highest, score, room, most, SCANNED, *STAY, *wanted.needles)

            def rest_of(*buckets: int) -> Rest:
                keys = [key for bucket in buckets for key in _room_keys(bucket)]
                return len(keys), *keys, *rest

            replies = await self._store.everywhere(_PAGE, rest_of, joint=True)
            return [share for reply in replies for share in reply]

        return await page(look, wanted.parts, after, limit)

    async def note_origin(self, room: str, origin: str) -> None:
        """Note what stands for the address from which a listed room comes, unless that is known.
        What is read says it of each room."""
        bucket = bucket_of(room)
        await _ORIGIN.run(self._store.request, bucket, 1, cards_key(bucket), room, origin)

    async def count_spectators(self, node: str, counts: Mapping[int, str]) -> None:
        """Set how many spectators a node serves, for some buckets: `ROOM COUNT ROOM COUNT ...`."""
        await self._store.everywhere(
            _ATTEND,
            lambda each: (1, audience_key(each), node, counts[each], SPECTATORS_MS),
            counts,
        )


def _room_keys(bucket: int) -> tuple[str, str, str]:
    return rooms_key(bucket), cards_key(bucket), deadlines_key(bucket)


_pools: msgspec.json.Decoder[PoolKey] = msgspec.json.Decoder(PoolKey)


def _pairs(flat: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _waiting(seekers: Any) -> dict[PoolKey, int]:
    """How many different users wait in each pool."""
    users: defaultdict[PoolKey, set[Any]] = defaultdict(set)
    for pool, user in seekers:
        users[pool].add(user)
    return {pool: len(each) for pool, each in users.items()}


def by_bucket(counts: Mapping[str, int]) -> dict[int, str]:
    """Counts by room, in the form that `count_spectators` takes, for every bucket."""
    parts: dict[int, list[str]] = {bucket: [] for bucket in range(BUCKETS)}
    for room, count in sorted(counts.items()):
        parts[bucket_of(room)] += (room, str(count))
    return {bucket: " ".join(part) for bucket, part in parts.items()}


_LOOK = Script("list_lobby.lua")
_PAGE = Script("page_of_rooms.lua")
_ORIGIN = Script("note_room_origin.lua")
_ATTEND = Script("count_spectators.lua")

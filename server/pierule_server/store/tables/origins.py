"""The table of origins: the rooms that were made from each address and may still be open, and the
games without a clock that were played from it (under another name).

A room stays in the table after it is no longer open. `note` names the oldest, and the caller looks
at them. The store forgets an address some time after its last room.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pierule_server.store.buckets import bucket_of, origin_key
from pierule_server.store.driver.access import Script

KEPT_MS = 90_000_000
"""Milliseconds for which the store keeps the rooms made from an address. No room stays open that
long by itself."""

NAMED = 4
"""The most rooms that one `note` names. One would do, because a note adds one room."""


class Origins:
    """The rooms of addresses. Any text can stand for an address: the store does not need to know
    the address. Every method may raise `StoreUnavailable`. `request(bucket, *command)` asks the
    primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def note(self, origin: str, room: str, most: int, life: int = KEPT_MS) -> list[str]:
        """Note that a room was just made from this address, and forget its rooms `life`
        milliseconds after the last. If it has more than `most` rooms, returns the oldest of those
        that are too many."""
        found = await _NOTE.run(
            self._request, bucket_of(origin), 1, origin_key(origin), room, most, life, NAMED
        )
        return [each.decode() for each in found]

    async def rooms(self, origin: str) -> list[str]:
        """All rooms of this address, the oldest first."""
        found = await self._request(bucket_of(origin), "ZRANGE", origin_key(origin), 0, -1)
        return [each.decode() for each in found]

    async def drop(self, origin: str, room: str) -> None:
        """The room no longer counts."""
        await self._request(bucket_of(origin), "ZREM", origin_key(origin), room)


_NOTE = Script("note_origin.lua")

"""Which rooms were made from each address and may still be open, over all nodes.

Nobody takes out what is not open any more: `note` names the oldest, and whoever asked looks. An
address that makes no more rooms is forgotten after a day.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from pierule_server.store.buckets import bucket_of, deadlines_key, origin_key
from pierule_server.store.driver.access import Script

KEPT_MS = 90_000_000
"""Milliseconds for which an address's rooms are known: longer than any stays open by itself."""

NAMED = 4
"""Rooms that are named at once: one for each that is made would do."""


class Origins(Protocol):
    """The rooms of addresses. An address goes by any text, for the store need not know it. Every
    method may raise `StoreUnavailable`."""

    async def note(self, origin: str, room: str, most: int) -> list[str]:
        """Note that a room was made from there, now; the oldest, as far as they are more than
        `most`."""
        ...

    async def drop(self, origin: str, room: str) -> None:
        """The room counts no more."""
        ...

    async def deadline(self, room: str) -> float | None:
        """Until when an open or running room stays, in the store's milliseconds; None if it is over
        or has no deadline."""
        ...


class RedisOrigins:
    """Origins in Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def note(self, origin: str, room: str, most: int) -> list[str]:
        found = await _NOTE.run(
            self._request, bucket_of(origin), 1, origin_key(origin), room, most, KEPT_MS, NAMED
        )
        return [each.decode() for each in found]

    async def drop(self, origin: str, room: str) -> None:
        await self._request(bucket_of(origin), "ZREM", origin_key(origin), room)

    async def deadline(self, room: str) -> float | None:
        bucket = bucket_of(room)
        score = await self._request(bucket, "ZSCORE", deadlines_key(bucket), room)
        return None if score is None else float(score)


_NOTE = Script("note_origin.lua")

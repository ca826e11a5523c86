"""The table of memberships: the open and running rooms that each user made or sits in.

A room and a user are in different buckets, so no script changes both. The node first notes that a
user is about to hold a room (`reserve`), then the user takes it, and when the room is over the node
removes the note (`release`). Each step is safe to repeat. A crash may leave a note too many, never
one too few; `prune` removes those, after a look at the rooms themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pierule_server.store.buckets import bucket_of, deadlines_key, user_key
from pierule_server.store.driver.access import Script

FRESH_MS = 60_000
"""Milliseconds for which a noted room may not exist yet."""


class Memberships:
    """The rooms of users. Every method may raise `StoreUnavailable`. `request(bucket, *command)`
    asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def reserve(self, user: str, room: str, most: int) -> bool:
        """Note that the user is about to hold a room. False if the user has `most` other rooms
        already (0: no bound)."""
        return bool(
            await _RESERVE.run(self._request, bucket_of(user), 1, user_key(user), room, most)
        )

    async def release(self, user: str, room: str) -> None:
        """Remove the note: the user does not hold the room, or no longer does."""
        await self._ask(user, "ZREM", user_key(user), room)

    async def held(self, user: str) -> list[tuple[int, str]]:
        """The user's rooms, the latest first, each as a pair: since when (the store's ms since
        1970), and the room's id. Some may be over, or may never have existed."""
        reply = await self._ask(user, "ZREVRANGE", user_key(user), 0, -1, "WITHSCORES")
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return [(int(score), room.decode()) for room, score in pairs]

    async def prune(self, user: str) -> None:
        """Release rooms that are neither open nor running, unless they were noted just now."""
        seconds, _ = await self._ask(user, "TIME")
        before = int(seconds) * 1_000 - FRESH_MS
        old = [room for at, room in await self.held(user) if at < before]
        going_on = await asyncio.gather(*map(self._goes_on, old))
        stale = [room for room, on in zip(old, going_on, strict=True) if not on]
        if stale:
            await self._ask(user, "ZREM", user_key(user), *stale)

    async def _goes_on(self, room: str) -> bool:
        """Whether the room is open or running: then it has a deadline, listed or not."""
        bucket = bucket_of(room)
        return await self._request(bucket, "ZSCORE", deadlines_key(bucket), room) is not None

    async def _ask(self, user: str, *command: str | bytes | int) -> Any:
        return await self._request(bucket_of(user), *command)


_RESERVE = Script("reserve_room.lua")

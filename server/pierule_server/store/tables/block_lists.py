"""The table of block lists: whom each user mutes or blocks. A list is in the bucket of its user's
id. This module does not know what follows from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pierule_protocol.messages import BlockLevel
from pierule_server.store.buckets import blocks_key, bucket_of
from pierule_server.store.driver.access import Script

KEPT_MS = 2_592_000_000
"""Milliseconds (30 days) for which the store keeps a list that its user neither reads nor
changes."""


class BlockLists:
    """Users' block lists. Every method may raise `StoreUnavailable`. `request(bucket, *command)`
    asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def put(self, user: str, other: str, level: BlockLevel | None, most: int) -> bool:
        """Mute or block a user, or neither (None). False if the list has `most` users already."""
        change = other, level or "", most, KEPT_MS
        done = await _SET_BLOCK.run(self._request, bucket_of(user), 1, blocks_key(user), *change)
        return bool(done)

    async def read(self, user: str) -> dict[str, BlockLevel]:
        """A user's block list: levels by user id."""
        reply = await self._ask(user, "HGETALL", blocks_key(user))
        if reply and await self._ask(user, "PTTL", blocks_key(user)) < KEPT_MS / 2:
            await self._ask(user, "PEXPIRE", blocks_key(user), KEPT_MS)
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return {other.decode(): level.decode() for other, level in pairs}

    async def _ask(self, user: str, *command: str | bytes | int) -> Any:
        return await self._request(bucket_of(user), *command)


_SET_BLOCK = Script("set_block.lua")

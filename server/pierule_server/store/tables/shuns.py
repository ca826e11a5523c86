"""Whom each user shuns: mutes, or blocks. The user's own choice, kept in the bucket of the user's
id; what follows from it is not known here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from pierule_protocol.messages import Distance
from pierule_server.store.buckets import bucket_of, shuns_key
from pierule_server.store.scripts.script import Script


class Shuns(Protocol):
    """Whom users shun. Every method may raise `StoreUnavailable`."""

    async def shun(self, user: str, other: str, how: Distance | None, most: int) -> bool:
        """Have a user shun another, or no longer; False if there are `most` already."""
        ...

    async def shunned(self, user: str) -> dict[str, Distance]:
        """All whom a user shuns."""
        ...


class RedisShuns:
    """In Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def shun(self, user: str, other: str, how: Distance | None, most: int) -> bool:
        return bool(
            await _SHUN.run(
                self._request, bucket_of(user), 1, shuns_key(user), other, how or "", most
            )
        )

    async def shunned(self, user: str) -> dict[str, Distance]:
        reply = await self._ask(user, "HGETALL", shuns_key(user))
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return {other.decode(): how.decode() for other, how in pairs}

    async def _ask(self, user: str, *command: str | bytes | int) -> Any:
        return await self._request(bucket_of(user), *command)


_SHUN = Script("shun.lua")

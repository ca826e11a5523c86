"""Where users are called who are not connected, and the calls that are to be made.

A call belongs to a note in an inbox and is put together with it (`inbox.lua`); whoever tells the
user takes it out. When it is due, one node claims it, which also says when it is to be tried again:
so a node that dies at it has only failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from pierule_server.store.buckets import bucket_of, calls_key, topic_of, webhook_key
from pierule_server.store.driver.access import Script

WAIT_MS = 30_000
"""Milliseconds from the first try to the second; four times as long after each that follows. It is
much longer than a try."""

TRIES = 3
"""Times that a call is tried."""

FAILURES = 10
"""Calls in a row that came to nothing, after which a webhook is removed."""

NAMED = 100
"""Users of a bucket who are named at a time, each with one call."""

SCANNED = 1_000
"""Calls of a bucket that are gone through for that."""

End: TypeAlias = Literal["made", "moot", "failed"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a user is called. `nonce` is that of the request that has set it; by the node's `key`
    with this id calls are signed."""

    url: str
    nonce: str
    key: str


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """A note of a user's inbox, by its name, of which the webhook is to be told."""

    user: str
    name: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """A call that is ours to try now, for the so manieth time."""

    webhook: Webhook
    tries: int


class Webhooks(Protocol):
    """The webhooks of all users. Every method may raise `StoreUnavailable`."""

    async def read(self, user: str) -> Webhook | None:
        """The user's webhook, if there is one."""
        ...

    async def keep(self, user: str, webhook: Webhook | None) -> None:
        """Have this be the user's webhook from now on; None: have none."""
        ...

    async def due(self) -> list[Call]:
        """Calls that are to be made by now, of each user the first."""
        ...

    async def claim(self, call: Call) -> Claimed | None:
        """Have a call be ours, unless it is another's, or not due any more."""
        ...

    async def settle(self, call: Call, end: End, nonce: str = "") -> bool:
        """A call need not be tried again. True if it is the last failure that the webhook with
        this nonce was allowed, which is removed."""
        ...


class RedisWebhooks:
    """Webhooks in Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket,
    `everywhere(script, rest_of)` runs a script for each."""

    def __init__(
        self,
        request: Callable[..., Awaitable[Any]],
        everywhere: Callable[..., Awaitable[list[Any]]],
    ) -> None:
        self._request = request
        self._everywhere = everywhere

    async def read(self, user: str) -> Webhook | None:
        command = ("HMGET", webhook_key(user), "url", "nonce", "key")
        known = await self._request(_bucket(user), *command)
        return None if known[0] is None else Webhook(*(each.decode() for each in known))

    async def keep(self, user: str, webhook: Webhook | None) -> None:
        if webhook is None:
            await self._request(_bucket(user), "DEL", webhook_key(user), write=True)
        else:
            await self._run(user, "set", webhook.url, webhook.nonce, webhook.key)

    async def due(self) -> list[Call]:
        replies = await self._everywhere(_CALLS, lambda each: (1, calls_key(each), NAMED, SCANNED))
        return [Call(*text.decode().split(" ", 1)) for reply in replies for text in reply]

    async def claim(self, call: Call) -> Claimed | None:
        reply = await self._run(call.user, "claim", call.user, call.name, WAIT_MS, TRIES)
        if reply is None:
            return None
        *webhook, tries = reply
        return Claimed(Webhook(*(each.decode() for each in webhook)), int(tries))

    async def settle(self, call: Call, end: End, nonce: str = "") -> bool:
        arguments = ("settle", call.user, call.name, end, nonce, FAILURES)
        return bool(await self._run(call.user, *arguments))

    async def _run(self, user: str, *arguments: str | int) -> Any:
        keys = webhook_key(user), calls_key(_bucket(user))
        return await _WEBHOOK.run(self._request, _bucket(user), 2, *keys, *arguments, write=True)


def _bucket(user: str) -> int:
    return bucket_of(topic_of(user))


_CALLS = Script("due_calls.lua")
_WEBHOOK = Script("webhook.lua")

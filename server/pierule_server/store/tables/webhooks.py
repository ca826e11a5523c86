"""The table of webhooks, and of the calls that are due.

A call belongs to a note in an inbox, and one script puts both (`inbox.lua`). A node that tells the
user removes the call. When the call is due, one node claims it; the claim also sets when it is
tried again. So if that node dies, the call has only failed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pierule_server.store.buckets import bucket_of, calls_key, topic_of, webhook_key
from pierule_server.store.driver.access import Access, Script

WAIT_MS = 30_000
"""Milliseconds from the first try to the second. The pause after each further try is four times as
long. It is much longer than a try takes."""

TRIES = 3
"""How often a call is tried."""

FAILURES = 10
"""Failed calls in a row after which a webhook is removed."""

NAMED = 100
"""The most users of a bucket that one look names, each with one call."""

SCANNED = 1_000
"""The most calls of a bucket that one look goes through to find them."""

End: TypeAlias = Literal["made", "moot", "failed"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """A user's webhook. `nonce` is that of the request that set it. `key` is the id of the nodes'
    key from which the secret for its calls is derived."""

    url: str
    nonce: str
    key: str


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """A call: the user, and the name of the note that the webhook must be told."""

    user: str
    name: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """A call that this node has claimed. `tries` counts the tries, including this one."""

    webhook: Webhook
    tries: int


class Webhooks:
    """The webhooks of all users. Every method may raise `StoreUnavailable`."""

    def __init__(self, store: Access) -> None:
        self._store = store

    async def read(self, user: str) -> Webhook | None:
        """The user's webhook, if there is one."""
        command = ("HMGET", webhook_key(user), "url", "nonce", "key")
        known = await self._store.request(_bucket(user), *command)
        return None if known[0] is None else Webhook(*(each.decode() for each in known))

    async def keep(self, user: str, webhook: Webhook | None) -> None:
        """Set the user's webhook, or remove it (None)."""
        if webhook is None:
            await self._store.request(_bucket(user), "DEL", webhook_key(user), write=True)
        else:
            await self._run(user, "set", webhook.url, webhook.nonce, webhook.key)

    async def due(self) -> list[Call]:
        """The first due call of each user."""
        replies = await self._store.everywhere(
            _CALLS, lambda each: (1, calls_key(each), NAMED, SCANNED)
        )
        return [Call(*text.decode().split(" ", 1)) for reply in replies for text in reply]

    async def claim(self, call: Call) -> Claimed | None:
        """Claim a call. None if another node has claimed it, or it is no longer due."""
        reply = await self._run(call.user, "claim", call.user, call.name, WAIT_MS, TRIES)
        if reply is None:
            return None
        *webhook, tries = reply
        return Claimed(Webhook(*(each.decode() for each in webhook)), int(tries))

    async def settle(self, call: Call, end: End, nonce: str = "") -> bool:
        """End a call: do not try it again. True if the webhook with this nonce has now failed too
        often: then it is removed."""
        arguments = ("settle", call.user, call.name, end, nonce, FAILURES)
        return bool(await self._run(call.user, *arguments))

    async def _run(self, user: str, *arguments: str | int) -> Any:
        keys = webhook_key(user), calls_key(_bucket(user))
        return await _WEBHOOK.run(
            self._store.request, _bucket(user), 2, *keys, *arguments, write=True
        )


def _bucket(user: str) -> int:
    return bucket_of(topic_of(user))


_CALLS = Script("due_calls.lua")
_WEBHOOK = Script("webhook.lua")

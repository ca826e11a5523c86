"""What users are to learn wherever they are connected: one inbox each, bounded, with expiry.

A note has a name `KIND:...`, unique in its inbox, so that putting it twice is putting it once. It
is told on a channel as it is put and read by whoever serves the user from then on, so nothing is
lost between two connections. What the texts say is not a matter of this file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from pierule_server.store.buckets import (
    bucket_of,
    calls_key,
    channel,
    inbox_key,
    topic_of,
    webhook_key,
)
from pierule_server.store.driver.access import Script

Share: TypeAlias = tuple[str, int]
"""How many notes of a kind may have this piece in their text."""

Put: TypeAlias = Literal["put", "full", "missing", "barred"]


class Inboxes(Protocol):
    """The inboxes of all users. Every method may raise `StoreUnavailable`."""

    async def put(
        self,
        user: str,
        name: str,
        text: str,
        life: int,
        *,
        most: int = 0,
        instead: str = "",
        needed: bool = False,
        unless: Collection[str] = (),
        told: bool = True,
        call: int = 0,
        shares: Sequence[Share] = (),
    ) -> Put | tuple[str] | int:
        """Put a note that is forgotten after `life` milliseconds; the note `instead` goes as this
        one comes (`needed`: only if that is there). The text, in a tuple, of the one that has this
        name already. `barred` if one of the notes `unless` is there, `full` if there are `most`
        of its kind already (0: no bound), a number if that of the `shares` of its kind is full. A
        user's webhook is called `call` milliseconds later
        (0: never; see `store.webhooks`)."""
        ...

    async def extend(self, user: str, name: str, life: int) -> bool:
        """Have a note be forgotten `life` milliseconds from now; whether it was there."""
        ...

    async def drop(self, user: str, name: str) -> bool:
        """Take a note out; whether it was there."""
        ...

    async def read(self, user: str) -> dict[str, str]:
        """The texts of the user's notes, by their names."""
        ...


class RedisInboxes:
    """Inboxes in Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def put(
        self,
        user: str,
        name: str,
        text: str,
        life: int,
        *,
        most: int = 0,
        instead: str = "",
        needed: bool = False,
        unless: Collection[str] = (),
        told: bool = True,
        call: int = 0,
        shares: Sequence[Share] = (),
    ) -> Put | tuple[str] | int:
        where = channel(topic_of(user)) if told else ""
        arguments = ("put", where, user, name, text, life, most, instead, int(needed), call)
        bounds = msgspec.json.encode(shares)
        keys = inbox_key(user), webhook_key(user), calls_key(bucket_of(topic_of(user)))
        reply = await _INBOX.run(
            self._request, bucket_of(topic_of(user)), 3, *keys, *arguments, bounds, *unless
        )
        match reply:
            case [b"there", bytes(known)]:
                return (known.decode(),)
            case [b"full", int(share)]:
                return share
        done: Put = reply[0].decode()
        return done

    async def extend(self, user: str, name: str, life: int) -> bool:
        arguments = ("extend", "", user, name, "", life, 0, "", 0, 0)
        return bool(
            await _INBOX.run(
                self._request, bucket_of(topic_of(user)), 1, inbox_key(user), *arguments
            )
        )

    async def drop(self, user: str, name: str) -> bool:
        return bool(await self._ask(user, "HDEL", inbox_key(user), name))

    async def read(self, user: str) -> dict[str, str]:
        reply = await _INBOX.run(
            self._request, bucket_of(topic_of(user)), 1, inbox_key(user), "read"
        )
        texts = [each.decode() for each in reply]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def _ask(self, user: str, *command: str | bytes | int) -> Any:
        return await self._request(bucket_of(topic_of(user)), *command)


_INBOX = Script("inbox.lua")

"""The table of inboxes: bounded lists of notes for users, wherever they are connected.

A note has a name `KIND:...`, unique in its inbox, so putting it twice is the same as putting it
once. The store publishes it on a channel. A node that serves the user later reads it. So nothing is
lost between two connections. This module does not know what the texts mean.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Literal, TypeAlias

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
"""A piece of text, and how many notes of a kind may contain it."""

Put: TypeAlias = Literal["put", "full", "missing", "barred"]


class Inboxes:
    """The inboxes of all users. Every method may raise `StoreUnavailable`. `request(bucket,
    *command)` asks the primary of a bucket."""

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
        """Put a note that expires after `life` milliseconds, in place of the note `instead`, if
        given. If `told`, publish it. The user's webhook is called `call` milliseconds later (0:
        never; see `store.tables.webhooks`).

        Returns `put`; or, in a tuple, the text of the note that has this name already; or `missing`
        if `instead` is `needed` and not there; `barred` if one of the notes `unless` is there;
        `full` if there are `most` notes of this kind (0: no bound); or the index of the first of
        the `shares` that is full."""
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
        """Let a note expire `life` milliseconds from now. False if it is not there."""
        arguments = ("extend", "", user, name, "", life, 0, "", 0, 0)
        return bool(
            await _INBOX.run(
                self._request, bucket_of(topic_of(user)), 1, inbox_key(user), *arguments
            )
        )

    async def drop(self, user: str, name: str) -> bool:
        """Take a note out. False if it was not there."""
        return bool(await self._ask(user, "HDEL", inbox_key(user), name))

    async def read(self, user: str) -> dict[str, str]:
        """The texts of the user's notes, by name."""
        reply = await _INBOX.run(
            self._request, bucket_of(topic_of(user)), 1, inbox_key(user), "read"
        )
        texts = [each.decode() for each in reply]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def _ask(self, user: str, *command: str | bytes | int) -> Any:
        return await self._request(bucket_of(topic_of(user)), *command)


_INBOX = Script("inbox.lua")

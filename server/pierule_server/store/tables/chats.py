"""The table of chat messages. They stand beside a room's log and are never part of it.

A channel numbers its messages 1, 2, 3, … and keeps the latest. They are in the room's bucket, so
messages and events of a room are published in one order, and they go when the room goes. This
module does not know who may say or hear what.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from pierule_protocol.messages import Channel, ChatMessage
from pierule_server.store.buckets import bucket_of, log_key, messages_key
from pierule_server.store.buckets import channel as event_channel
from pierule_server.store.driver.access import Script


class NewMessage(msgspec.Struct, frozen=True):
    """A message before it has a number."""

    user: str
    name: str
    text: str

    def message(self, seq: int, at: int) -> ChatMessage:
        """The message with its number, and its time in ms since 1970."""
        return ChatMessage(seq=seq, at=at, user=self.user, name=self.name, text=self.text)


class Rate(NamedTuple):
    """How many messages there may be per second (0: any number) and in a burst (at least 1)."""

    rate: float = 0
    burst: int = 1

    def wait(self, spoke: list[int], now: int) -> int:
        """Milliseconds until there may be another message after those at these times; 0 for now. It
        is a token bucket, as in `post_message.lua`, which says why it holds one more token."""
        if not self.rate:
            return 0
        most = float(self.burst + 1)
        tokens, before = most, (spoke or [now])[0]
        for at in spoke:
            tokens = min(most, tokens + (at - before) * self.rate / 1_000) - 1
            before = at
        tokens = min(most, tokens + (now - before) * self.rate / 1_000)
        return max(0, math.ceil((1 - tokens) * 1_000 / self.rate))


class Pace(NamedTuple):
    """The limits of a channel: how many messages it keeps, how many of these the store looks at for
    a nonce and for the rates (both 1 or more), and the rates of one user and of all together."""

    kept: int
    seen: int = 1_000
    user: Rate = Rate()
    all: Rate = Rate()


_saying = msgspec.json.Decoder(NewMessage)


def read_line(seq: int, at: int, text: bytes) -> ChatMessage:
    """A message from the text that the store keeps and publishes."""
    return _saying.decode(text).message(seq, at)


class Chats:
    """The messages of rooms. Every method may raise `StoreUnavailable`. `request(bucket, *command,
    write=…)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def say(
        self,
        room: str,
        channel: Channel,
        saying: NewMessage,
        nonce: str,
        pace: Pace,
        known: int = 0,
    ) -> ChatMessage | int | None:
        """Keep a message, and publish it to all subscribers of the room (`Listener.chat_message`).
        Returns the message. Its number is higher than `known`, that of the last message that this
        node knows, which a fail-over may have lost (SPEC 21.5). If this user has already said one
        with this nonce, returns that one. If this user, or all together, have said too much in the
        channel, at whichever nodes, returns the milliseconds until the next message may come.
        Returns None if the room does not exist or is put away."""
        keys = (log_key(room), messages_key(room, channel))
        mark = f"{nonce} {saying.user}"
        arguments = (
            event_channel(room), channel, mark, msgspec.json.encode(saying), pace.kept,
            saying.user, *pace.user, *pace.all, pace.seen, known,
        )  # fmt: skip
        reply = await _SAY.run(
            self._request, bucket_of(room), len(keys), *keys, *arguments, write=True
        )
        match reply:
            case None:
                return None
            case [int(wait)]:
                return wait
        return read_line(*reply)

    async def messages(
        self, room: str, channel: Channel, first: int, limit: int
    ) -> list[ChatMessage]:
        """Up to `limit` messages with `seq >= first`, in order; if `first` is 0, the latest."""
        key = messages_key(room, channel)
        way = ("XRANGE", key, f"{first}-0", "+") if first else ("XREVRANGE", key, "+", "-")
        reply = await self._request(bucket_of(room), *way, "COUNT", limit)
        found = [
            read_line(int(number.partition(b"-")[0]), int(fields[1]), fields[5])
            for number, fields in reply
        ]
        return found if first else found[::-1]


_SAY = Script("post_message.lua")

"""What was said in rooms: beside a room's log, never part of it.

A channel numbers its messages 1, 2, 3, … and keeps the latest. They lie in the room's bucket, so
that a message is published behind the room's events in the order of the store, and go when the room
goes. Who may say or hear what is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

import msgspec

from pierule_protocol.messages import Channel, ChatMessage
from pierule_server.store.buckets import bucket_of, log_key, messages_key
from pierule_server.store.buckets import channel as event_channel
from pierule_server.store.driver.access import Script


class NewMessage(msgspec.Struct, frozen=True):
    """What a user says, before it has a number."""

    user: str
    name: str
    text: str

    def message(self, seq: int, at: int) -> ChatMessage:
        """The message that it has become."""
        return ChatMessage(seq=seq, at=at, user=self.user, name=self.name, text=self.text)


class Rate(NamedTuple):
    """How many messages there may be a second (0: any number) and at once (at least 1)."""

    rate: float = 0
    burst: int = 1

    def wait(self, spoke: list[int], now: int) -> int:
        """In how many ms there may be another message, behind those of these times; 0 for now. A
        token bucket, as in `post_message.lua`, which says why it holds one more."""
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
    """How many messages a channel keeps, and how many of them are looked at for a nonce and for the
    rates (both 1 or more); what one user may say there, and all together."""

    kept: int
    seen: int = 1_000
    user: Rate = Rate()
    all: Rate = Rate()


class Chats(Protocol):
    """The messages of rooms. Every method may raise `StoreUnavailable`."""

    async def say(
        self, room: str, channel: Channel, saying: NewMessage, nonce: str, pace: Pace
    ) -> ChatMessage | int | None:
        """Keep a message, and publish it to all who are subscribed to the room
        (`Listener.message`). The message that this user has said with this nonce, if it is among
        those that are kept. In how many ms there may be one, if this user, or all, have said too
        much in the channel, at whichever node.
        None if the room does not exist or was put away."""
        ...

    async def messages(
        self, room: str, channel: Channel, first: int, limit: int
    ) -> list[ChatMessage]:
        """Up to `limit` messages with `seq >= first`, in order; for a `first` of 0 the latest."""
        ...


_saying = msgspec.json.Decoder(NewMessage)


def read_line(seq: int, at: int, text: bytes) -> ChatMessage:
    """A message as it is kept and published."""
    return _saying.decode(text).message(seq, at)


class RedisChats:
    """Messages in Redis or Valkey. `request(bucket, *command, write=…)` asks the primary of a
    bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def say(
        self, room: str, channel: Channel, saying: NewMessage, nonce: str, pace: Pace
    ) -> ChatMessage | int | None:
        keys = (log_key(room), messages_key(room, channel))
        mark = f"{nonce} {saying.user}"
        arguments = (
            event_channel(room), channel, mark, msgspec.json.encode(saying), pace.kept,
            saying.user, *pace.user, *pace.all, pace.seen,
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
        key = messages_key(room, channel)
        way = ("XRANGE", key, f"{first}-0", "+") if first else ("XREVRANGE", key, "+", "-")
        reply = await self._request(bucket_of(room), *way, "COUNT", limit)
        found = [
            read_line(int(number.partition(b"-")[0]), int(fields[1]), fields[5])
            for number, fields in reply
        ]
        return found if first else found[::-1]


_SAY = Script("post_message.lua")

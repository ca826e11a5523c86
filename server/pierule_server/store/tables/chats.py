"""What was said in rooms: beside a room's log, never part of it.

A channel numbers its lines 1, 2, 3, … and keeps the latest. They lie in the room's bucket, so that
a line is published behind the room's events in the order of the store, and go when the room goes.
Who may say or hear what is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

import msgspec

from pierule_protocol.messages import Channel, Line
from pierule_server.store.buckets import bucket_of, lines_key, log_key
from pierule_server.store.buckets import channel as event_channel
from pierule_server.store.scripts.script import Script


class Saying(msgspec.Struct, frozen=True):
    """What a user says, before it has a number."""

    user: str
    name: str
    text: str

    def line(self, seq: int, at: int) -> Line:
        """The line that it has become."""
        return Line(seq=seq, at=at, user=self.user, name=self.name, text=self.text)


class Rate(NamedTuple):
    """How many lines there may be a second (0: any number) and at once (at least 1)."""

    rate: float = 0
    burst: int = 1

    def wait(self, spoke: list[int], now: int) -> int:
        """In how many ms there may be another line, behind those of these times; 0 for now. A token
        bucket, as in `say.lua`, which says why it holds one more."""
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
    """How many lines a channel keeps, and how many of them are looked at for a nonce and for the
    rates (both 1 or more); what one user may say there, and all together."""

    kept: int
    seen: int = 1_000
    user: Rate = Rate()
    all: Rate = Rate()


class Chats(Protocol):
    """The lines of rooms. Every method may raise `StoreUnavailable`."""

    async def say(
        self, room: str, channel: Channel, saying: Saying, nonce: str, pace: Pace
    ) -> Line | int | None:
        """Keep a line, and publish it to all who are subscribed to the room (`Listener.line`). The
        line that this user has said with this nonce, if it is among those that are kept. In how
        many ms there may be one, if this user, or all, have said too much in the channel, at
        whichever node.
        None if the room does not exist or is archived."""
        ...

    async def lines(self, room: str, channel: Channel, first: int, limit: int) -> list[Line]:
        """Up to `limit` lines with `seq >= first`, in order; for a `first` of 0 the latest."""
        ...


_saying = msgspec.json.Decoder(Saying)


def read_line(seq: int, at: int, text: bytes) -> Line:
    """A line as it is kept and published."""
    return _saying.decode(text).line(seq, at)


class RedisChats:
    """Lines in Redis or Valkey. `request(bucket, *command, write=…)` asks the primary of a
    bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def say(
        self, room: str, channel: Channel, saying: Saying, nonce: str, pace: Pace
    ) -> Line | int | None:
        keys = (log_key(room), lines_key(room, channel))
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

    async def lines(self, room: str, channel: Channel, first: int, limit: int) -> list[Line]:
        key = lines_key(room, channel)
        way = ("XRANGE", key, f"{first}-0", "+") if first else ("XREVRANGE", key, "+", "-")
        reply = await self._request(bucket_of(room), *way, "COUNT", limit)
        found = [
            read_line(int(number.partition(b"-")[0]), int(fields[1]), fields[5])
            for number, fields in reply
        ]
        return found if first else found[::-1]


_SAY = Script("say.lua")

"""The table of rooms in quarantine. Their logs are damaged, so every node leaves them alone until
an operator has looked after them. The logs stay as they are.

A log is damaged if no room can have it (`CorruptLog`). A log that this release cannot read because
it lacks the game (`UnknownGame`) is not damaged, and no node puts its room here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec

from pierule_protocol.log.events import Entry
from pierule_protocol.state.room import CorruptLog
from pierule_server.store.buckets import (
    BUCKETS,
    bucket_of,
    cards_key,
    channel,
    clock_key,
    damaged_key,
    deadlines_key,
    finished_key,
    log_key,
    put_away_key,
    quarantine_key,
    rooms_key,
    unarchived_key,
)
from pierule_server.store.driver.access import Script
from pierule_server.store.tables.reading import entry_of


class Damage(msgspec.Struct, frozen=True):
    """What is wrong with a room's log, and at which entry (0: the log as a whole)."""

    seq: int
    why: str


class QuarantinedRoom(msgspec.Struct, frozen=True):
    """A room in quarantine, since when (the store's ms since 1970), and why."""

    room: str
    at: int
    damage: Damage


class Quarantine:
    """The rooms in quarantine. Every method may raise `StoreUnavailable`. `request(bucket,
    *command, write=…)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def put(self, room: str, damage: Damage) -> bool:
        """Put a room in quarantine and tell all nodes; False if it was there already."""
        return await self._run(room, msgspec.json.encode(damage))

    async def holds(self, room: str) -> bool:
        """Whether the room is in quarantine."""
        bucket = bucket_of(room)
        return bool(await self._request(bucket, "HEXISTS", quarantine_key(bucket), room))

    async def let_out(self, room: str) -> bool:
        """Release the room, with the deadline that it had; False if it was not in quarantine."""
        return await self._run(room, b"")

    async def forget(self, room: str) -> bool:
        """Remove everything that names a room without a log: its entry here and in listings, its
        card and its deadline. False if there was nothing."""
        return await self._run(room, b"forget")

    async def all(self) -> list[QuarantinedRoom]:
        """All rooms in quarantine, the oldest entry first."""
        tables = await asyncio.gather(
            *(self._request(each, "HGETALL", quarantine_key(each)) for each in range(BUCKETS))
        )
        pairs = (pair for table in tables for pair in zip(table[::2], table[1::2], strict=True))
        return sorted((_quarantined(*pair) for pair in pairs), key=lambda aside: aside.at)

    async def raw(self, room: str) -> list[tuple[str, str]]:
        """The raw content of the room's log: the number and the text of each entry. If there is
        something else, one pair that says what it is."""
        bucket = bucket_of(room)
        kind = (await self._request(bucket, "TYPE", log_key(room))).decode()
        if kind == "stream":
            reply = await self._request(bucket, "XRANGE", log_key(room), "-", "+")
            return [(number.decode(), _text(fields)) for number, fields in reply]
        if kind != "none":
            return [("0", f"is not a stream but a {kind}")]
        packed = await self._request(bucket, "GET", put_away_key(room))
        return [] if packed is None else [("0", f"is put away, in {len(packed)} bytes")]

    async def readable(self, room: str) -> list[Entry]:
        """The entries of a log, up to the first that cannot be read."""
        bucket, found = bucket_of(room), list[Entry]()
        if await self._request(bucket, "TYPE", log_key(room)) == b"stream":
            reply = await self._request(bucket, "XRANGE", log_key(room), "-", "+")
            with suppress(CorruptLog):
                found.extend(entry_of(room, *item) for item in reply)
        return found

    async def cut(self, room: str, good: int, retention: int) -> bool:
        """Cut a log after its first `good` entries. For `retention` milliseconds, the whole log
        stays at `buckets.damaged_key`. False if there is no log."""
        keys = (log_key(room), put_away_key(room), damaged_key(room))
        rest = (len(keys), *keys, good, retention)
        return bool(await _CUT.run(self._request, bucket_of(room), *rest, write=True))

    async def _run(self, room: str, text: bytes) -> bool:
        bucket = bucket_of(room)
        keys = [quarantine_key(bucket), deadlines_key(bucket), finished_key(bucket)]
        keys += [rooms_key(bucket), cards_key(bucket), clock_key(bucket), unarchived_key(bucket)]
        rest = (len(keys), *keys, room, channel(room), text)
        return bool(await _QUARANTINE.run(self._request, bucket, *rest, write=True))


_QUARANTINE = Script("quarantine.lua")
_CUT = Script("cut_log.lua")


class _Kept(msgspec.Struct, frozen=True):
    why: str
    at: str


def _quarantined(room: bytes, text: bytes) -> QuarantinedRoom:
    kept = msgspec.json.decode(text, type=_Kept)
    return QuarantinedRoom(room.decode(), int(kept.at), msgspec.json.decode(kept.why, type=Damage))


def _text(fields: list[bytes]) -> str:
    return " ".join(field.decode(errors="backslashreplace") for field in fields)


def damage_of(error: CorruptLog) -> Damage:
    """The damage that an error reports."""
    return Damage(error.seq, error.why)

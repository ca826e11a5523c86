"""The room log in Redis or Valkey: single, embedded or a cluster, by the same code.

It turns requests into commands and replies into entries. Which server gets a command is the
topology's matter, hearing of events that of the subscriptions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha1
from importlib.resources import files

from redis.exceptions import NoScriptError, RedisError

from pierule_protocol.events import EMPTY, Entry, Place, chain_record
from pierule_server.store import preflight
from pierule_server.store.buckets import BUCKETS, bucket_of, cards_key, channel, log_key, rooms_key
from pierule_server.store.log import Conflict, Listener, StoreUnavailable
from pierule_server.store.primary import DEFAULT_TIMEOUTS, Reply, Timeouts
from pierule_server.store.subscriptions import Subscriptions
from pierule_server.store.topology import Topology

_SCRIPT = files(__package__).joinpath("append.lua").read_bytes()
_SCRIPT_SHA = sha1(_SCRIPT, usedforsecurity=False).hexdigest()


class RedisLog:
    """A node's view of the store at a URL. Made by `open`. See `Log`."""

    def __init__(self, topology: Topology, listener: Listener, timeouts: Timeouts) -> None:
        self._topology = topology
        self._timeouts = timeouts
        self._subscriptions = Subscriptions(topology, listener)

    @classmethod
    async def open(
        cls, url: str, listener: Listener, timeouts: Timeouts = DEFAULT_TIMEOUTS
    ) -> RedisLog:
        """Connect to the store at `url`: `redis://`, `rediss://` (TLS) or `unix://`, with the
        options that redis-py knows. Whether it is a cluster is found out by asking; of a cluster,
        the URL of any member will do.

        Raises `StoreUnavailable` if it does not answer, `StoreUnusable` if it must not be used,
        `ValueError` if the URL is none."""
        topology = Topology(url, timeouts)
        log = cls(topology, listener, timeouts)
        try:
            async with log._bounded():
                await topology.discover()
                await preflight.check(topology)
        except BaseException:
            await log.close()
            raise
        return log

    async def append(
        self,
        room: str,
        expected: Place,
        record: bytes,
        *,
        card: bytes | None,
        renew: bool = False,
    ) -> Entry:
        text = record.decode()
        epoch = expected.epoch + (renew or expected == EMPTY)
        partial = chain_record(expected.chain, epoch, expected.seq + 1, record)
        place = (expected.epoch, expected.seq, expected.chain)
        keys = (log_key(room), rooms_key(bucket_of(room)), cards_key(bucket_of(room)))
        arguments = (channel(room), room, *place, int(renew), partial, record, card or b"")
        async with self._bounded():
            reply = await self._run_script(bucket_of(room), len(keys), *keys, *arguments)
        if reply is None:
            raise Conflict(room)
        epoch, seq, link, at = reply
        return Entry(epoch, seq, link, at, text)

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        async with self._bounded():
            reply = await self._topology.request(
                bucket_of(room), "XRANGE", log_key(room), f"{max(first, 1)}-0", "+"
            )
        return [_entry(*item) for item in reply]

    async def cards(self, limit: int) -> list[tuple[int, bytes]]:
        if limit < 1:
            return []
        async with self._bounded():
            listed = await asyncio.gather(*(self._newest(each, limit) for each in range(BUCKETS)))
            newest = sorted((item for items in listed for item in items), reverse=True)[:limit]
            wanted: dict[int, list[bytes]] = {}
            for _, room, bucket in newest:
                wanted.setdefault(bucket, []).append(room)
            found = await asyncio.gather(*(self._cards_of(*item) for item in wanted.items()))
        cards = {room: card for each in found for room, card in each.items()}
        return [(int(at), cards[room]) for at, room, _ in newest if room in cards]

    async def subscribe(self, room: str, /) -> None:
        async with self._bounded():
            await self._subscriptions.subscribe(room)

    async def unsubscribe(self, room: str, /) -> None:
        self._subscriptions.unsubscribe(room)

    async def announce(self, room: str, text: str) -> None:
        async with self._bounded():
            message = f"note {text}"
            await self._topology.request(bucket_of(room), "SPUBLISH", channel(room), message)

    async def close(self) -> None:
        await self._subscriptions.close()
        await self._topology.close()

    @asynccontextmanager
    async def _bounded(self) -> AsyncIterator[None]:
        """Whatever goes wrong with the store inside is `StoreUnavailable`, and in time."""
        try:
            async with asyncio.timeout(self._timeouts.request):
                yield
        except (RedisError, OSError) as error:  # TimeoutError is an OSError.
            self._topology.refresh_soon()
            reason = str(error) or f"no answer within {self._timeouts.request} s"
            raise StoreUnavailable(reason) from error

    async def _run_script(self, bucket: int, *rest: str | bytes | int) -> Reply:
        try:
            return await self._topology.request(bucket, "EVALSHA", _SCRIPT_SHA, *rest)
        except NoScriptError:  # A new or restarted primary, or SCRIPT FLUSH: nothing was done.
            return await self._topology.request(bucket, "EVAL", _SCRIPT, *rest)

    async def _newest(self, bucket: int, limit: int) -> list[tuple[float, bytes, int]]:
        """Time, room and bucket of the bucket's rooms with the latest events."""
        reply = await self._topology.request(
            bucket, "ZREVRANGE", rooms_key(bucket), 0, limit - 1, "WITHSCORES"
        )
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return [(float(score), room, bucket) for room, score in pairs]

    async def _cards_of(self, bucket: int, rooms: list[bytes]) -> dict[bytes, bytes]:
        reply = await self._topology.request(bucket, "HMGET", cards_key(bucket), *rooms)
        pairs = zip(rooms, reply, strict=True)
        return {room: card for room, card in pairs if card is not None}


def _entry(place: bytes, fields: list[bytes]) -> Entry:
    """The entry that `append.lua` put into the stream."""
    seq = int(place.partition(b"-")[0])
    _, epoch, _, link, _, at, _, record = fields
    return Entry(int(epoch), seq, int(link), int(at), record.decode())

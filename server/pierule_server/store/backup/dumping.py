"""Writes a store into a dump, and a dump into a store of any kind and version.

It reads and writes keys by their types, never by their meaning, so it also keeps what a later
release adds. It reads a bucket in one step: each room, its deadline and its chat are as they were
at one moment, even while nodes serve the store.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import BinaryIO

from redis.exceptions import RedisError, ResponseError

from pierule_protocol import world
from pierule_server.store.backup.dumpfile import BadDump, Head, Key, Reader, Writer
from pierule_server.store.buckets import (
    BUCKETS,
    TOPICS,
    bucket_of,
    channel,
    format_key,
    mark_key,
    secrets_key,
)
from pierule_server.store.driver import preflight
from pierule_server.store.driver.access import Script
from pierule_server.store.driver.pipeline import Command
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable

TIMEOUTS = Timeouts(request=120.0)
"""They are long, because it takes a while to read a bucket of a large store."""

PART = 500
"""The most fields, members or entries that one command writes."""

BATCH = 256
"""A batch of commands has at most this many commands, and ends at `BATCH_BYTES`."""
BATCH_BYTES = 1 << 20

_READ = Script("dump_bucket.lua")
_OURS = re.compile(rb"\{(\d{1,2})\}")

Tell = Callable[[str], None]


class Summary:
    """Counts the keys of a dump, by the first part of their names."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.buckets = 0

    def count(self, key: Key) -> None:
        """Count one more key."""
        self.kinds[key.name.partition(b"}")[2].partition(b":")[0].decode(errors="replace")] += 1

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.kinds.items()))
        return f"{self.kinds.total():,} keys ({kinds or 'none'})"


async def dump(url: str, file: BinaryIO, tell: Tell = lambda _: None) -> Summary:
    """Write everything in the store at `url` to a file. `tell` gets texts about the progress.

    Raises BadDump if the file cannot be written, StoreUnavailable or StoreUnusable.
    """
    async with _opened(url) as topology:
        kept = await topology.request(0, "GET", format_key())
        if kept is None:
            raise StoreUnusable("Pierule has nothing in this store")
        preflight.check_layout(kept)
        head = Head(preflight.FORMAT, BUCKETS, await _now(topology), version("pierule"))
        writer = Writer(file, head)
        done = Summary()
        for bucket in range(BUCKETS):
            began = world.monotonic()
            key, pattern = mark_key(bucket), f"{{{bucket}}}*"
            found = await _READ.run(topology.request, bucket, 1, key, pattern)
            took = world.monotonic() - began
            for name, kind, until, values in found:
                read = Key(name, kind.decode(), None if until < 0 else until, values)
                writer.add(read)
                done.count(read)
            tell(f"{bucket + 1} of {BUCKETS} buckets, {writer.keys:,} keys, {writer.bytes:,} bytes")
            await asyncio.sleep(took)  # let the store serve others for as long
        writer.end()
        return done


def verify(file: BinaryIO) -> Head:
    """Check that a dump is complete and that this release can load it. Returns its head. Raises
    BadDump."""
    reader = Reader(file)
    head = reader.head
    if head.format != preflight.FORMAT or head.buckets != BUCKETS:
        raise BadDump(
            f"release {head.release} wrote this dump, of a store with format {head.format} and "
            f"{head.buckets} buckets; this release serves format {preflight.FORMAT} and "
            f"{BUCKETS} buckets"
        )
    for key in reader:
        _bucket(key)
        for _ in _commands(key):  # find a bad key before anything is written
            pass
    return head


async def load(
    url: str, file: BinaryIO, *, replace: bool = False, tell: Tell = lambda _: None
) -> Summary:
    """Write a dump into the store at `url`. The store must be empty; with `replace`, it is emptied
    first.

    No node can start on the store until everything is written. After an interruption, call this
    again. Raises BadDump, StoreUnavailable or StoreUnusable.
    """
    head = verify(file)
    async with _opened(url) as topology:
        await preflight.check_servers(topology, accept_volatile=True)
        await _refuse_if_served(topology)
        kept = await topology.request(0, "GET", format_key())
        broken_off = kept is not None and preflight.read_layout(kept) == preflight.LOADING
        if not (replace or broken_off) and await _holds_something(topology):
            raise StoreUnusable(
                "the store is not empty; --replace deletes everything that Pierule has in it"
            )
        await preflight.lay_out(topology, preflight.LOADING)
        await _clear(topology)
        file.seek(0)
        done = await _write(topology, Reader(file), tell)
        await preflight.lay_out(topology, head.format)
        return done


async def _write(topology: Topology, reader: Reader, tell: Tell) -> Summary:
    done, bucket, batch, size = Summary(), 0, list[Command](), 0
    for key in reader:
        done.count(key)
        if key.name == format_key().encode():
            continue  # the format comes last
        if _bucket(key) != bucket:
            await _send(topology, bucket, batch)
            bucket, size = _bucket(key), 0
            tell(f"{bucket} of {BUCKETS} buckets, {done.kinds.total():,} keys")
        for command in _commands(key):
            batch.append(command)
            size += sum(len(part) for part in command if isinstance(part, bytes))
            if len(batch) >= BATCH or size >= BATCH_BYTES:
                await _send(topology, bucket, batch)
                size = 0
    await _send(topology, bucket, batch)
    return done


async def _send(topology: Topology, bucket: int, batch: list[Command]) -> None:
    """Send the commands of a batch, and empty it."""
    for reply in await topology.primary(bucket).run(*batch) if batch else ():
        if isinstance(reply, ResponseError):
            raise reply
    batch.clear()


def _commands(key: Key) -> Iterator[Command]:
    """The commands that create a key. The key must not exist. Raises BadDump."""
    values = [value for value in key.values if isinstance(value, bytes)]
    if key.kind == "stream":
        entries = [value for value in key.values if isinstance(value, list)]
        fits = len(values) == 1 and all(len(entry) % 2 for entry in entries)
        commands = _stream(key.name, values, entries)
    else:
        fits = len(values) == len(key.values) > 0 and len(values) % _EACH[key.kind] == 0
        commands = _plain(key.name, key.kind, values)
    if not fits:
        raise BadDump(f"the values of the dump's key {key.name!r} do not make a {key.kind}")
    yield from commands
    if key.until is not None:
        yield ("PEXPIREAT", key.name, key.until)


_WRITES = {"string": "SET", "hash": "HSET", "zset": "ZADD", "list": "RPUSH", "set": "SADD"}
_EACH = {"string": 1, "hash": 2, "zset": 2, "list": 1, "set": 1}
"""By type: the command that writes a key, and how many values belong together."""


def _plain(name: bytes, kind: str, values: list[bytes]) -> Iterator[Command]:
    for first in range(0, len(values), 2 * PART):
        part = values[first : first + 2 * PART]
        if kind == "zset":
            part.reverse()  # ZADD takes the score first
        yield (_WRITES[kind], name, *part)


def _stream(name: bytes, last: list[bytes], entries: list[list[bytes]]) -> Iterator[Command]:
    if not entries:  # only a stream that exists can have a last id, so add an entry and trim it
        yield ("XADD", name, *last, "", "")
        yield ("XTRIM", name, "MAXLEN", 0)
    for id_, *pairs in entries:
        yield ("XADD", name, id_, *pairs)
    yield ("XSETID", name, *last)


def _bucket(key: Key) -> int:
    found = _OURS.match(key.name)
    if found is None or int(found[1]) >= BUCKETS:
        raise BadDump(f"the dump's key {key.name!r} is in no bucket")
    return int(found[1])


# --- the store -----------------------------------------------------------------------------------


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Topology]:
    topology = Topology(url, TIMEOUTS)
    try:
        await topology.discover()
        yield topology
    except (RedisError, OSError) as error:
        raise StoreUnavailable(str(error) or "no answer in time") from error
    finally:
        await topology.close()


async def _now(topology: Topology) -> int:
    seconds, micros = await topology.request(0, "TIME")
    return int(seconds) * 1_000 + int(micros) // 1_000


async def _refuse_if_served(topology: Topology) -> None:
    """Raise StoreUnusable if a node serves the store: every node subscribes to every topic."""
    for topic in TOPICS:
        asked = ("PUBSUB", "SHARDNUMSUB", channel(topic))
        _, listeners = await topology.request(bucket_of(topic), *asked)
        if listeners:
            raise StoreUnusable("a node serves the store; stop all nodes before you load a dump")


async def _keys(topology: Topology) -> AsyncIterator[tuple[int, list[bytes]]]:
    """All our keys except the format key: some keys of one bucket at a time."""
    for primary in topology.primaries:
        cursor = b"0"
        while True:
            cursor, names = await primary.ask("SCAN", cursor, "MATCH", "{*}*", "COUNT", 1_000)
            buckets: dict[int, list[bytes]] = {}
            for name in names:
                found = _OURS.match(name)
                if found and int(found[1]) < BUCKETS and name != format_key().encode():
                    buckets.setdefault(int(found[1]), []).append(name)
            for item in buckets.items():
                yield item
            if cursor == b"0":
                break


async def _holds_something(topology: Topology) -> bool:
    """Whether the store has more than the keys that a node writes when it starts."""
    async for _, names in _keys(topology):
        if set(names) - {secrets_key().encode()}:
            return True
    return False


async def _clear(topology: Topology) -> None:
    async for bucket, names in _keys(topology):
        await topology.request(bucket, "UNLINK", *names)

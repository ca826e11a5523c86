"""A dump holds all that a store keeps, and any store takes it."""

from __future__ import annotations

import asyncio
import inspect
import io
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pierule_server.store import buckets
from pierule_server.store.backup.dumpfile import BadDump, Head, Key, Reader, Writer
from pierule_server.store.backup.dumping import dump, load, verify
from pierule_server.store.buckets import BUCKETS, format_key
from pierule_server.store.driver import preflight
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from support import stores
from support.examples import up_to
from support.listening import RecordingListener

OWN = 2
"""Keys that every store of ours has: its format and its secrets."""

FAR = 4_102_444_800_000
"""A time at which keys of these tests expire."""


@pytest.fixture(params=["valkey", "cluster", *stores.OTHERS])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty store of any kind."""
    url: str = request.getfixturevalue(request.param).url
    empty(url)
    yield url
    empty(url)


@pytest.fixture
def source() -> Iterator[str]:
    """A store to fill."""
    with stores.single() as server:
        yield server.url


def client_of(url: str) -> Any:
    kind: Any = redis.RedisCluster if url.startswith("redis:") else redis.Redis
    return kind.from_url(url)


def empty(url: str) -> None:
    with closing(client_of(url)) as client:
        client.flushall(**({"target_nodes": "primaries"} if url.startswith("redis:") else {}))


def run(url: str, *commands: tuple[Any, ...]) -> list[Any]:
    """What the store says to these, one after the other."""
    with closing(client_of(url)) as client:
        return [client.execute_command(*command) for command in commands]


async def dumped(url: str) -> bytes:
    file = io.BytesIO()
    await dump(url, file)
    return file.getvalue()


def keys_of(data: bytes) -> dict[bytes, Any]:
    """What a dump holds, whatever the order in which a hash or a set was told."""
    found = {}
    for key in Reader(io.BytesIO(data)):
        values: Any = key.values
        if key.kind == "hash":
            values = dict(zip(values[::2], values[1::2], strict=True))
        elif key.kind == "set":
            values = set(values)
        found[key.name] = (key.kind, key.until, values)
    return found


ALL_TYPES: list[tuple[Any, ...]] = [
    ("SET", "{0}text", b"\x00\xff any bytes"),
    ("SET", "{63}passing:x", "y", "PXAT", FAR),
    ("HSET", "{5}hash", "", "empty", "f", b"\xfe"),
    ("ZADD", "{5}scored", "1.5", "half", "+inf", "", "-inf", "least", "1800000000000.5", "at"),
    ("RPUSH", "{7}list", "b", "a", "b"),
    ("SADD", "{7}set", "x", "y"),
    ("XADD", "{8}stream", "1-0", "f", "v", "f", "w"),
    ("XADD", "{8}stream", "7-1", "g", ""),
    ("XADD", "{9}emptied", "4-0", "f", "v"),
    ("XTRIM", "{9}emptied", "MAXLEN", "0"),
    ("HSET", "{11}large", *(str(n) for n in range(5_000))),
    ("ZADD", "{11}long", *(str(n) for n in range(5_000))),
]


async def laid_out(url: str, *commands: tuple[Any, ...]) -> None:
    """Make a store of Pierule's with these keys."""
    log = await RedisRoomLog.open(url, RecordingListener())
    await log.close()
    await asyncio.to_thread(run, url, *commands)


async def test_every_type_comes_back_in_every_store(source: str, target: str) -> None:
    await laid_out(source, *ALL_TYPES)
    first = await dumped(source)
    done = await load(target, io.BytesIO(first))
    assert done.kinds.total() == len({command[1] for command in ALL_TYPES}) + OWN
    assert keys_of(await dumped(target)) == keys_of(first)
    # A stream goes on where it was.
    (error,) = await asyncio.to_thread(run_to_error, target, ("XADD", "{9}emptied", "4-0", "f", ""))
    assert "equal or smaller" in error


def run_to_error(url: str, command: tuple[Any, ...]) -> list[str]:
    with pytest.raises(redis.ResponseError) as error:
        run(url, command)
    return [str(error.value)]


NAMES = st.text(st.characters(codec="utf-8"), max_size=8)
BLOBS = st.binary(max_size=40)
VALUES = st.one_of(
    BLOBS.map(lambda blob: ("SET", blob)),
    st.dictionaries(BLOBS, BLOBS, min_size=1).map(
        lambda all_: ("HSET", *(part for item in all_.items() for part in item))
    ),
    st.dictionaries(BLOBS, st.floats(allow_nan=False), min_size=1).map(
        lambda all_: ("ZADD", *(part for name, score in all_.items() for part in (score, name)))
    ),
    st.sets(BLOBS, min_size=1).map(lambda all_: ("SADD", *all_)),
    st.lists(BLOBS, min_size=1).map(lambda all_: ("RPUSH", *all_)),
)


@settings(max_examples=up_to(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.tuples(st.integers(0, BUCKETS - 1), NAMES), VALUES, max_size=10))
@pytest.mark.long(13)
def test_any_keys_and_values_survive_dump_and_load(
    valkey: stores.Server, kept: dict[tuple[int, str], tuple[Any, ...]]
) -> None:
    empty(valkey.url)
    commands = [
        (command, f"{{{bucket}}}any{name}", *rest)
        for (bucket, name), (command, *rest) in kept.items()
    ]
    asyncio.run(laid_out(valkey.url, *commands))
    data = asyncio.run(dumped(valkey.url))
    assert len(keys_of(data)) == len(kept) + OWN
    asyncio.run(load(valkey.url, io.BytesIO(data), replace=True))
    assert keys_of(asyncio.run(dumped(valkey.url))) == keys_of(data)
    empty(valkey.url)


def test_every_key_of_this_release_is_in_a_bucket() -> None:
    """What is not would be in no dump: `buckets` alone spells keys out."""
    made = 0
    for name, function in inspect.getmembers(buckets, inspect.isfunction):
        if not name.endswith("_key") or function.__module__ != buckets.__name__:
            continue
        given_ = {"int": 7, "str": "kobadimu"}
        kinds = [
            parameter.annotation for parameter in inspect.signature(function).parameters.values()
        ]
        key = function(*(given_[kind] for kind in kinds))
        assert re.match(r"\{([0-9]|[1-5][0-9]|6[0-3])\}", key), name
        made += 1
    assert made > 20


async def test_a_dump_refuses_a_stream_with_consumer_groups(source: str) -> None:
    await laid_out(
        source, ("XADD", "{8}s", "1-0", "f", "v"), ("XGROUP", "CREATE", "{8}s", "g", "0")
    )
    with pytest.raises(StoreUnavailable, match=r"\{8\}s has consumer groups"):
        await dumped(source)


async def test_a_foreign_store_is_not_dumped(source: str) -> None:
    with pytest.raises(StoreUnusable, match="nothing in this store"):
        await dumped(source)


async def test_a_store_that_is_not_empty_takes_no_dump(source: str, target: str) -> None:
    await laid_out(source, ("SET", "{3}new", "x"))
    data = await dumped(source)
    await laid_out(target, ("SET", "{3}old", "x"))
    before = keys_of(await dumped(target))
    with pytest.raises(StoreUnusable, match="not empty"):
        await load(target, io.BytesIO(data))
    assert keys_of(await dumped(target)) == before
    await load(target, io.BytesIO(data), replace=True)
    assert keys_of(await dumped(target)) == keys_of(data)


async def test_an_empty_store_that_a_node_has_seen_takes_a_dump(source: str) -> None:
    await laid_out(source, ("SET", "{3}new", "x"))
    with stores.single() as other:
        await laid_out(other.url)
        await load(other.url, io.BytesIO(await dumped(source)))
        assert run(other.url, ("GET", "{3}new")) == [b"x"]


async def test_a_store_that_a_node_serves_takes_no_dump(source: str, target: str) -> None:
    await laid_out(source)
    data = await dumped(source)
    log = await RedisRoomLog.open(target, RecordingListener())
    await log.subscribe(buckets.TOPICS[9])
    try:
        with pytest.raises(StoreUnusable, match="stop all nodes"):
            await load(target, io.BytesIO(data), replace=True)
    finally:
        await log.close()


async def test_an_interrupted_load_can_be_repeated(source: str, target: str) -> None:
    await laid_out(source, *ALL_TYPES)
    data = await dumped(source)

    def break_off(text: str) -> None:
        if text.startswith("11 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await load(target, io.BytesIO(data), tell=break_off)
    assert run(target, ("EXISTS", "{5}hash"), ("EXISTS", "{63}passing:x")) == [1, 0]
    for use in (RedisRoomLog.open(target, RecordingListener()), dumped(target)):
        with pytest.raises(StoreUnusable, match="repeat `pierule admin load`"):
            await use
    run(target, ("SET", "{5}left", "over"))
    await load(target, io.BytesIO(data))
    assert keys_of(await dumped(target)) == keys_of(data)
    await (await RedisRoomLog.open(target, RecordingListener())).close()


async def test_loading_into_a_full_store_says_that_it_is_full(source: str) -> None:
    await laid_out(source, ("SET", "{3}large", "x" * 3_000_000))
    data = await dumped(source)
    with stores.single() as small:
        run(small.url, ("CONFIG", "SET", "maxmemory", "2mb"))
        with pytest.raises(StoreUnavailable, match="maxmemory"):
            await load(small.url, io.BytesIO(data))


def small_dump(layout: int = preflight.FORMAT) -> bytes:
    file = io.BytesIO()
    writer = Writer(file, Head(layout, BUCKETS, 1, "0"))
    writer.add(Key(b"{3}log:kobadimu", "stream", None, [b"1-0", [b"1-0", b"f", b"v"]]))
    writer.add(Key(format_key().encode(), "string", None, [b'{"format":3,"buckets":64}']))
    writer.end()
    return file.getvalue()


SMALL = small_dump()


@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_a_damaged_byte_in_a_dump_is_found(place: int, change: int) -> None:
    data = bytearray(SMALL)
    data[place] ^= change
    with pytest.raises(BadDump):
        verify(io.BytesIO(data))


@given(st.integers(0, len(SMALL) - 1))
def test_a_dump_with_its_end_cut_off_is_found(length: int) -> None:
    with pytest.raises(BadDump):
        verify(io.BytesIO(SMALL[:length]))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"REDIS0011", "not a dump"),
        (SMALL.replace(b"DUMP 1\n", b"DUMP 2\n"), "has format 2; this release reads format 1"),
        (small_dump(2), "a store with format 2 and 64 buckets"),
        (SMALL + b"x", "there are bytes after its end"),
    ],
)
def test_a_file_that_is_not_a_dump_is_refused_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(BadDump, match=says):
        verify(io.BytesIO(data))


@pytest.mark.parametrize(
    "key",
    [
        Key(b"format", "string", None, [b"x"]),
        Key(b"{64}log:x", "string", None, [b"x"]),
        Key(b"{3}log:x", "string", None, []),
        Key(b"{3}log:x", "hash", None, [b"x"]),
        Key(b"{3}log:x", "zset", None, [[b"x"]]),
        Key(b"{3}log:x", "stream", None, [[b"1-0", b"f", b"v"]]),
        Key(b"{3}log:x", "stream", None, [b"1-0", [b"1-0", b"f"]]),
    ],
)
def test_a_key_that_cannot_be_is_found_before_anything_is_written(key: Key) -> None:
    file = io.BytesIO()
    writer = Writer(file, Head(preflight.FORMAT, BUCKETS, 1, "0"))
    writer.add(key)
    writer.end()
    file.seek(0)
    with pytest.raises(BadDump, match="key"):
        verify(file)


async def test_a_dump_sees_each_room_at_one_moment(source: str) -> None:
    """Rooms come and go while dumps are made: what names a room and the room itself agree."""
    await laid_out(source)
    stop = asyncio.Event()

    async def change() -> None:
        number = 0
        client = redis.asyncio.Redis.from_url(source)
        while not stop.is_set():
            number += 1
            async with client.pipeline(transaction=True) as step:
                step.set(f"{{9}}log:{number}", number)
                step.zadd("{9}rooms", {str(number): number})
                step.delete(f"{{9}}log:{number - 20}")
                step.zrem("{9}rooms", str(number - 20))
                await step.execute()
        await client.aclose()

    changing = asyncio.create_task(change())
    try:
        for _ in range(10):
            found = keys_of(await dumped(source))
            _, _, listed = found.get(b"{9}rooms", ("zset", None, []))
            logs = {name.rpartition(b":")[2] for name in found if name.startswith(b"{9}log:")}
            assert logs == set(listed[::2])
    finally:
        stop.set()
        await changing

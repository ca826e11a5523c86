"""Rooms that are over are put away: the same log, kept differently, and then not at all (law 3)."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import msgspec
import pytest
import redis

from pierule_protocol.log.events import EMPTY, Entry, Place
from pierule_server.store.buckets import bucket_of, slot_of
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.redis_room_log import _PUT_AWAY, RedisRoomLog
from pierule_server.store.room_log import FINISHED_LEASE_MS, Conflict
from pierule_server.store.tables.put_away import Unpackable, pack, unpack
from pierule_server.terms import KEEP_DEADLINE, NO_DEADLINE, AppendOptions, Deadline
from support import stores
from support.backend import Backend
from support.listening import BOUND, RecordingListener
from support.logs import write

LONG = 1_000_000


async def finished(log: RedisRoomLog, room: str, length: int = 3) -> list[Entry]:
    """A room that has come to its end after so many entries."""
    place, entries = EMPTY, []
    for number in range(1, length + 1):
        over = number == length
        entries.append(
            await log.append(
                room,
                place,
                b'{"kind":"test","number":%d}' % number,
                AppendOptions(
                    card=None if over else b"card",
                    deadline=NO_DEADLINE if over else Deadline("in", LONG),
                ),
            )
        )
        place = entries[-1].place
    return entries


async def claimed(log: RedisRoomLog, room: str, after: int = 0) -> None:
    """Wait until the room is ours to put away; other rooms are leased on the way."""
    async with asyncio.timeout(BOUND):
        while room not in await log.lease_finished(after, 10_000):
            pass


def keys_of(backend: Backend, room: str) -> list[bytes]:
    """Whatever the store holds by the room's name: keys, and members of keys. Not what waits for an
    archive, for which see `test_archive_queue`."""
    name, found = room.encode(), []
    with backend.client() as client:
        for key in client.scan_iter(count=1000):
            held = name in key
            if key.endswith(b"}unarchived"):
                continue
            match client.type(key):
                case b"zset":
                    held |= client.zscore(key, name) is not None
                case b"hash":
                    held |= client.hexists(key, name)
            if held:
                found.append(key)
    return found


async def test_a_room_put_away_reads_as_before(backend: Backend, room: str) -> None:
    log = await backend.log()
    entries = await finished(log, room, 5)
    await log.put_away(room, entries, LONG)
    assert await log.read(room) == entries
    assert await log.read(room, first=4) == entries[3:]
    assert await log.read(room, first=6) == []
    assert await log.read(room, first=0) == entries
    other = await backend.log()
    assert await other.read(room) == entries
    (key,) = keys_of(backend, room)
    assert key.endswith(b"}arch:" + room.encode())


async def test_a_room_put_away_accepts_no_events(backend: Backend, room: str) -> None:
    """Neither at its end, nor as if there had never been such a room."""
    log = await backend.log()
    entries = await finished(log, room)
    await log.put_away(room, entries, LONG)
    for place in (EMPTY, entries[-1].place, entries[0].place):
        for epoch in (None, 99):
            with pytest.raises(Conflict):
                await log.append(room, place, b"{}", AppendOptions(card=b"card", epoch=epoch))
    assert await log.read(room) == entries


async def test_putting_away_loses_no_concurrent_append(backend: Backend, room: str) -> None:
    log = await backend.log()
    entries = await finished(log, room)
    renewed = await log.append(
        room, entries[-1].place, b"{}", AppendOptions(deadline=KEEP_DEADLINE, epoch=2)
    )
    with pytest.raises(Conflict):
        await log.put_away(room, entries, LONG)
    assert await log.read(room) == [*entries, renewed]
    await claimed(log, room)
    await log.put_away(room, [*entries, renewed], LONG)
    assert await log.read(room) == [*entries, renewed]


async def test_only_one_of_many_nodes_puts_a_room_away(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(4)]
    entries = await finished(logs[0], room)
    found = await asyncio.gather(
        *(log.put_away(room, entries, LONG) for log in logs), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in found) == [
        *("Conflict", "Conflict", "Conflict", "NoneType")
    ]
    assert await logs[1].read(room) == entries


async def test_nothing_of_a_room_is_left_after_its_retention(backend: Backend, room: str) -> None:
    log = await backend.log()
    entries = await finished(log, room)
    await claimed(log, room)
    await log.put_away(room, entries, 50)
    async with asyncio.timeout(BOUND):
        while await log.read(room):
            pass
    assert keys_of(backend, room) == []
    again = await log.append(room, EMPTY, b"{}", AppendOptions(deadline=NO_DEADLINE))
    assert await log.read(room) == [again]


async def test_a_room_without_retention_is_deleted_at_once(backend: Backend, room: str) -> None:
    log = await backend.log()
    await log.put_away(room, await finished(log, room), None)
    assert await log.read(room) == []
    assert keys_of(backend, room) == []


async def test_only_rooms_that_ended_long_enough_ago_are_leased(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    running = f"{room}-running"
    await log.append(
        running, EMPTY, b"{}", AppendOptions(card=b"card", deadline=Deadline("in", LONG))
    )
    await finished(log, room)
    assert room not in await log.lease_finished(LONG, 10_000)
    named = await log.lease_finished(0, 10_000)
    assert room in named
    assert running not in named
    assert "" not in named


async def test_a_leased_room_is_left_to_one_node(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(4)]
    await finished(logs[0], room)
    named = await asyncio.gather(*(log.lease_finished(0, 10_000) for log in logs))
    assert sum(room in each for each in named) == 1
    await claimed(logs[2], room, after=-FINISHED_LEASE_MS)  # a minute later, that is


async def test_a_room_put_away_is_not_named_again(backend: Backend, room: str) -> None:
    log = await backend.log()
    entries = await finished(log, room)
    await log.put_away(room, entries, LONG)
    assert room not in await log.lease_finished(-FINISHED_LEASE_MS, 10_000)


async def test_a_lease_takes_a_bounded_number_of_rooms(backend: Backend, room: str) -> None:
    log = await backend.log()
    for number in range(10):
        await finished(log, f"{room}-{number}", 1)
    assert len(await log.lease_finished(0, 1)) <= 64  # one for each bucket


# --- the value ---------------------------------------------------------------------------------


def test_packed_entries_are_unpacked_unchanged() -> None:
    entries = write(EMPTY, '{"kind":"created"}', "Łukasz 🎲 \\u0000\n\x01", "", "x" * 100_000)
    entries += write(Place(2, 4, entries[-1].chain), "{}")
    assert unpack(pack(entries)) == entries
    assert len(pack(entries)) < 1_000


def test_names_are_packed_with_their_entries() -> None:
    entries = write(EMPTY, "{}", "{}")
    named = [msgspec.structs.replace(entries[0], names={"u": "Łukasz 🎲"}), entries[1]]
    assert unpack(pack(named)) == named


def test_a_log_that_would_come_back_differently_is_not_packed() -> None:
    entries = write(EMPTY, "{}", "{}")
    for wrong in (entries[1:], [entries[0], entries[0]], [*entries, entries[1]]):
        with pytest.raises(Unpackable):
            pack(wrong)


@pytest.mark.parametrize("value", [b"", b"\x02", b"\x03", b"\x01", b"\x01junk", b"{}"])
def test_unpacking_a_damaged_value_fails(value: bytes) -> None:
    with pytest.raises(ValueError, match=r"unknown format|damaged"):
        unpack(value)


# --- the real stores ---------------------------------------------------------------------------


def test_a_room_can_be_put_away_in_a_full_store(valkey: stores.Server) -> None:
    """What makes room may run when there is none."""
    room = secrets.token_hex(6)

    async def run() -> list[Entry]:
        log = await RedisRoomLog.open(valkey.url, RecordingListener())
        try:
            entries = await finished(log, room)
            valkey.command("CONFIG", "SET", "maxmemory", "1")
            await claimed(log, room)
            await log.put_away(room, entries, LONG)
        finally:
            valkey.command("CONFIG", "SET", "maxmemory", "0")
            kept = await log.read(room)
            await log.close()
        assert kept == entries
        return kept

    asyncio.run(run())


@pytest.mark.parametrize(
    "arguments",
    [
        ("", 1, 1, 1, "x", 1),
        ("room", 1, 1, 1, "", 1),
        ("room", 1, 1, 1, "x", -1),
        ("room", 1, 1, 1, "x", "soon"),
        ("room", 1, 1, 1, "x", "1" * 16),
        ("room", 1, 1, 1, "x"),
    ],
)
def test_the_put_away_script_refuses_wrong_arguments_before_writing(
    valkey: stores.Server, arguments: tuple[Any, ...]
) -> None:
    tag = secrets.token_hex(4)
    keys = [f"{{{tag}}}{name}" for name in ("log", "away", "finished", "c", "d", "seen", "u")]
    valkey.command("XADD", keys[0], "1-0", "epoch", 1, "chain", 1, "at", 1, "record", "{}")
    with pytest.raises(redis.ResponseError, match="put_away"):
        valkey.command("EVAL", _PUT_AWAY.text, len(keys), *keys, *arguments)
    assert valkey.command("EXISTS", *keys) == 1


async def test_a_room_can_end_and_be_put_away_while_its_slot_migrates(
    cluster: stores.Cluster, room: str
) -> None:
    """A room can end and be read while its slot moves; putting it away waits for the move."""
    slot = slot_of(bucket_of(room))
    target = next(each for each in cluster.servers if each is not cluster.owner(slot))
    put_away, new = (
        next(
            n for n in (f"{room}-{k}-{i}" for i in range(10_000)) if bucket_of(n) == bucket_of(room)
        )
        for k in ("away", "new")
    )
    log = await RedisRoomLog.open(cluster.url, RecordingListener(), Timeouts(request=BOUND))
    try:
        await log.put_away(put_away, kept := await finished(log, put_away), LONG)
        first = await log.append(
            room, EMPTY, b"{}", AppendOptions(card=b"card", deadline=Deadline("in", LONG))
        )
        cluster.begin_migration(slot, target)
        last = await log.append(room, first.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
        assert await log.read(put_away) == kept
        assert await log.read(new) == []
        waiting = [
            asyncio.create_task(log.put_away(room, [first, last], LONG)),
            asyncio.create_task(log.append(put_away, EMPTY, b"{}", AppendOptions())),
        ]
        done, _ = await asyncio.wait(waiting, timeout=0.2)
        assert not done
        cluster.finish_migration(slot, target)
        none, refused = await asyncio.gather(*waiting, return_exceptions=True)
        assert none is None
        assert isinstance(refused, Conflict)
        assert await log.read(room) == [first, last]
        assert await log.read(put_away) == kept
    finally:
        await log.close()

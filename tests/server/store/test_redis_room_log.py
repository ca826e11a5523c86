"""What goes wrong with real stores: they die, hang, forget their scripts, move their slots."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count

import msgspec
import pytest

from pierule_protocol.log.events import EMPTY
from pierule_server.store import subscriptions
from pierule_server.store.buckets import (
    BUCKETS,
    bucket_of,
    channel,
    format_key,
    slot_of,
)
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from pierule_server.store.tables import deadlines
from pierule_server.store.tables.paging import RoomFilter
from pierule_server.terms import AppendOptions, Deadline
from support import stores
from support.listening import BOUND, RecordingListener

QUICK = Timeouts(request=1.0, connect=0.5)


@asynccontextmanager
async def opened(
    url: str, ear: RecordingListener | None = None, timeouts: Timeouts = QUICK
) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(url, ear or RecordingListener(), timeouts)
    try:
        yield log
    finally:
        await log.close()


async def returned(log: RedisRoomLog) -> None:
    """Wait until the log finds its store there."""
    async with asyncio.timeout(BOUND):
        for primary in log._topology.primaries:
            await primary.health.here()


@pytest.fixture
def server() -> Iterator[stores.Server]:
    """A store to be killed."""
    with stores.single() as server:
        yield server


@pytest.fixture
def room() -> str:
    return f"room-{secrets.token_hex(6)}"


async def test_a_killed_store_is_unavailable_until_it_returns(
    server: stores.Server, room: str
) -> None:
    ear = RecordingListener()
    async with opened(server.url, ear) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        await log.subscribe(room)
        server.kill()
        for request in (
            log.append(room, first.place, b"2", AppendOptions()),
            log.read(room),
            log.tables.listing.page(RoomFilter(), None, 3),
            log.announce(room, "hello"),
            log.subscribe(f"{room}-other"),
        ):
            async with asyncio.timeout(BOUND):
                with pytest.raises(StoreUnavailable):
                    await request
        assert ear.gaps == []
        server.start()
        await ear.until(lambda: ear.gaps == [room])
        assert await log.read(room) == [first]
        second = await log.append(room, first.place, b"2", AppendOptions())
        await log.subscribe(f"{room}-other")
        await ear.until(lambda: ear.entries == [(room, second)])


async def test_a_hanging_store_is_unavailable_in_time(server: stores.Server, room: str) -> None:
    async with opened(server.url) as log:
        server.pause()
        try:
            began = time.monotonic()
            requests = [log.read(room) for _ in range(40)]  # More than there are connections.
            results = await asyncio.gather(*requests, return_exceptions=True)
            assert all(isinstance(result, StoreUnavailable) for result in results)
            with pytest.raises(StoreUnavailable):
                await log.subscribe(room)
            assert time.monotonic() - began < 20 * QUICK.request, "not one after the other"
        finally:
            server.resume()
        await returned(log)
        # Late answers are not taken for those to later requests.
        entry = await log.append(room, EMPTY, b"1", AppendOptions())
        for _ in range(40):
            assert await log.read(room) == [entry]
        await log.subscribe(room)


async def test_a_silent_subscription_is_noticed(
    server: stores.Server, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is open but dead: nothing tells but the heartbeat."""
    monkeypatch.setattr(subscriptions, "HEARTBEAT", 0.2)
    ear = RecordingListener()
    async with opened(server.url, ear) as log:
        await log.subscribe(room)
        (reader,) = log._subscriptions._readers.values()
        server.pause()
        try:
            async with asyncio.timeout(BOUND):
                while reader._resp:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        finally:
            server.resume()
        await ear.until(lambda: ear.gaps == [room])


async def test_a_listener_that_raises_does_not_make_rooms_deaf(
    server: stores.Server, room: str
) -> None:
    class Clumsy(RecordingListener):
        def note(self, room: str, text: str) -> None:
            super().note(room, text)
            if text == "fall":
                raise ZeroDivisionError

    ear = Clumsy()
    async with opened(server.url, ear) as log:
        await log.subscribe(room)
        await log.announce(room, "fall")
        await ear.until(lambda: ear.gaps == [room])
        await log.announce(room, "rise")
        await ear.until(lambda: (room, "rise") in ear.notes)


async def test_a_foreign_publication_counts_as_a_gap(server: stores.Server, room: str) -> None:
    ear = RecordingListener()
    async with opened(server.url, ear) as log:
        await log.subscribe(room)
        server.command("SPUBLISH", channel(room), "entry what is this")
        await ear.until(lambda: ear.gaps == [room])
        assert ear.entries == []


async def test_scripts_are_loaded_again_after_a_flush(server: stores.Server, room: str) -> None:
    async with opened(server.url) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        server.command("SCRIPT", "FLUSH")
        assert (await log.append(room, first.place, b"2", AppendOptions())).seq == 2


async def test_an_unreachable_server_is_reported() -> None:
    with pytest.raises(StoreUnavailable):
        await RedisRoomLog.open("unix:///nowhere/at/all.sock", RecordingListener(), QUICK)


@pytest.mark.parametrize("url", ["http://localhost", "redis://localhost?clutser=1"])
async def test_an_invalid_store_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        await RedisRoomLog.open(url, RecordingListener(), QUICK)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (b'{"format":3,"buckets":32}', "32 buckets"),
        (b'{"format":1,"buckets":64}', "format 1"),
        (b'{"format":2,"buckets":64}', "format 2 and 64 buckets; .* uses format 3"),
        (b'{"format":4,"buckets":64}', "format 4"),
        (b"something else", "not Pierule's"),
    ],
)
async def test_a_store_with_another_layout_is_refused(
    server: stores.Server, kept: bytes, message: str
) -> None:
    async with opened(server.url):
        layout = msgspec.json.decode(server.command("GET", format_key()))
        assert layout == {"format": 3, "buckets": BUCKETS}
    server.command("SET", format_key(), kept)
    with pytest.raises(StoreUnusable, match=message):
        await RedisRoomLog.open(server.url, RecordingListener(), QUICK)
    assert server.command("GET", format_key()) == kept


async def test_cluster_subscriptions_are_at_their_primaries(cluster: stores.Cluster) -> None:
    tag = secrets.token_hex(4)
    rooms = [f"{tag}-{number}" for number in range(60)]
    async with opened(cluster.url) as log:
        await asyncio.gather(*map(log.subscribe, rooms))
        for server in cluster.servers:
            heard = server.command("PUBSUB", "SHARDCHANNELS", f"*{tag}*")
            mine = {channel(r) for r in rooms if cluster.owner(slot_of(bucket_of(r))) is server}
            assert {name.decode() for name in heard} == mine
            assert mine


def elsewhere(cluster: stores.Cluster, slot: int) -> stores.Server:
    return next(server for server in cluster.servers if server is not cluster.owner(slot))


async def test_a_migrated_slot_is_followed(cluster: stores.Cluster, room: str) -> None:
    """Requests are redirected; a subscription that has gone deaf is repaired, and reported."""
    ear, other = RecordingListener(), RecordingListener()
    slot = slot_of(bucket_of(room))
    async with opened(cluster.url, ear) as log, opened(cluster.url, other) as idle:
        first = await log.append(room, EMPTY, b"1", AppendOptions(card=b"card"))
        await log.subscribe(room)
        await idle.subscribe(room)
        cluster.migrate(slot, elsewhere(cluster, slot))
        second = await log.append(room, first.place, b"2", AppendOptions(card=b"card"))
        for each in (ear, other):
            await each.until(lambda each=each: room in each.gaps)  # type: ignore[misc]
        assert await idle.read(room) == [first, second]
        third = await idle.append(room, second.place, b"3", AppendOptions())
        for each in (ear, other):
            await each.until(lambda each=each: (room, third) in each.entries)  # type: ignore[misc]


async def test_a_slot_under_migration_is_served(cluster: stores.Cluster, room: str) -> None:
    """Rooms of the slot that were not moved yet are served; others wait until the keys have moved,
    or, if they have no key at all yet, are asked for at the target."""
    slot = slot_of(bucket_of(room))
    target = elsewhere(cluster, slot)
    async with opened(cluster.url, timeouts=Timeouts(request=BOUND)) as log:
        new = next(
            name
            for name in (f"{room}-{number}" for number in range(10_000))
            if bucket_of(name) == bucket_of(room)
        )
        first = await log.append(room, EMPTY, b"1", AppendOptions(card=b"card"))
        cluster.begin_migration(slot, target)
        second = await log.append(room, first.place, b"2", AppendOptions(card=b"card"))
        assert await log.read(new) == []
        waiting = asyncio.create_task(log.append(new, EMPTY, b"1", AppendOptions(card=b"new")))
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done
        cluster.finish_migration(slot, target)
        assert (await waiting).seq == 1
        assert await log.read(room) == [first, second]


async def test_a_cluster_can_be_opened_by_any_member(cluster: stores.Cluster, room: str) -> None:
    for number, server in enumerate(cluster.servers):
        async with opened(server.url) as log:
            await log.append(f"{room}-{number}", EMPTY, b"1", AppendOptions())
            assert len(log._topology.primaries) == 3


async def test_a_cancelled_subscriber_does_not_cancel_others(
    server: stores.Server, room: str
) -> None:
    async with opened(server.url) as log:
        first = asyncio.create_task(log.subscribe(room))
        second = asyncio.create_task(log.subscribe(room))
        await asyncio.sleep(0)
        first.cancel()
        await second
        alone = asyncio.create_task(log.subscribe(f"{room}-alone"))
        await asyncio.sleep(0)
        alone.cancel()
        await asyncio.gather(first, alone, return_exceptions=True)
        assert log._subscriptions._rooms.keys() == {room}
        await log.subscribe(f"{room}-alone")


async def test_rooms_that_come_and_go_leave_nothing_behind(
    server: stores.Server, room: str
) -> None:
    async with opened(server.url) as log:
        for number in range(20):
            await log.subscribe(f"{room}-{number}")
            await log.unsubscribe(f"{room}-{number}")
        await log.subscribe(room)  # confirmed after all that went before
        (reader,) = log._subscriptions._readers.values()
        assert reader.rooms == {room}
        assert not reader._joining
        assert not reader._leaving


async def test_a_primary_that_hangs_does_not_keep_the_others_from_their_heartbeats(
    cluster: stores.Cluster,
) -> None:
    async with opened(cluster.url, timeouts=Timeouts(request=600.0, connect=600.0)) as log:
        hanging = cluster.owner(slot_of(0))
        rooms = (f"room-{secrets.token_hex(6)}" for _ in count())
        other = next(r for r in rooms if cluster.owner(slot_of(bucket_of(r))) is not hanging)
        await log.append(other, EMPTY, b"{}", AppendOptions(deadline=Deadline("in", 0)))
        await asyncio.sleep(0.005)  # the deadline is over when the next millisecond has begun
        hanging.pause()
        try:
            async with asyncio.timeout(BOUND):  # it does not wait for the timeouts
                sweep = await log.tables.deadlines.sweep()
        finally:
            hanging.resume()
        assert other in sweep.due


async def test_rooms_that_cannot_be_settled_do_not_hide_others(
    server: stores.Server, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "SWEEP_ROOMS", 2)
    async with opened(server.url) as log:
        names = (f"{room}-{number}" for number in count())
        same = [n for n, _ in zip(_of_bucket(names, 7), range(4), strict=False)]
        for name in same:
            await log.append(name, EMPTY, b"{}", AppendOptions(deadline=Deadline("idle", 0)))
        await asyncio.sleep(0.01)
        for more in (0, 1, 2):
            due = (await log.tables.deadlines.sweep(more)).due
            assert len(due) == 2 + more
            assert set(due) <= set(same)


def _of_bucket(names: Iterator[str], bucket: int) -> Iterator[str]:
    return (name for name in names if bucket_of(name) == bucket)

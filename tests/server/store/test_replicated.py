"""A replicated store: fail-overs by Sentinel, what they may lose, and what replicas confirm."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import pytest
from redis import ResponseError

from pierule_protocol.log.events import EMPTY, Entry, Place
from pierule_server.store.buckets import bucket_of, deadlines_key
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import Conflict, StoreUnavailable
from pierule_server.terms import NO_DEADLINE, AppendOptions, Deadline
from support.listening import BOUND, RecordingListener
from support.replicated import Replicated, replicated

T = TypeVar("T")
QUICK = Timeouts(request=2.0, connect=1.0)
AGAIN = 5.0
"""Seconds after which a fail-over is ordered again: Sentinel gives one up that takes 3 s, as it may
on a busy machine."""


@asynccontextmanager
async def opened(
    url: str, ear: RecordingListener | None = None, replicas: int = 0
) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(url, ear or RecordingListener(), QUICK, replicas)
    try:
        yield log
    finally:
        await log.close()


async def eventually(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives as soon as the store lets it."""
    async with asyncio.timeout(BOUND):
        while True:
            try:
                return await work()
            except StoreUnavailable:
                await asyncio.sleep(0.02)


async def appended(log: RedisRoomLog, room: str, place: Place, record: bytes) -> Entry:
    """Append as soon as the store lets us; an unknown outcome is looked up, as nodes do."""
    end = time.monotonic() + BOUND
    while True:
        try:
            return await eventually(lambda: log.append(room, place, record, AppendOptions()))
        except Conflict:
            entries = await eventually(lambda: log.read(room, place.seq + 1))
            if entries:
                found = entries[0]
                if await eventually(lambda place=found.place: log.confirm(room, place)):  # type: ignore[misc]
                    return found
            assert time.monotonic() < end, f"nobody appends after {place}: {await log.ends([room])}"
            await asyncio.sleep(0.02)


@pytest.fixture
def room() -> str:
    return f"room-{secrets.token_hex(6)}"


@pytest.fixture
def store() -> Iterator[Replicated]:
    with replicated() as store:
        yield store


async def test_a_killed_primary_is_replaced(store: Replicated, room: str) -> None:
    ear = RecordingListener()
    async with opened(store.url, ear, replicas=2) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        await log.subscribe(room)
        old = store.primary()
        old.kill()
        with pytest.raises(StoreUnavailable):
            await log.append(room, first.place, b"2", AppendOptions())
        await ear.until(lambda: ear.news == [False])
        away = time.monotonic()
        for _ in range(50):
            with pytest.raises(StoreUnavailable):
                await log.read(room)
        assert time.monotonic() - away < 10 * QUICK.request, "requests fail at once"
        await ear.until(lambda: ear.news == [False, True])
        assert await log.read(room) == [first]
        await ear.until(lambda: room in ear.gaps)
    async with opened(store.url, ear, replicas=1) as log:
        await log.subscribe(room)
        second = await appended(log, room, first.place, b"2")
        await ear.until(lambda: (room, second) in ear.entries)
        # The old primary comes back as a replica; nobody writes to it.
        old.start()
        third = await appended(log, room, second.place, b"3")
        assert await log.read(room) == [first, second, third]


async def test_an_ordered_fail_over_is_followed(store: Replicated, room: str) -> None:
    """The old primary goes on answering for a while, and keeps nothing of what it then takes. It
    is found by what it refuses; nothing that all replicas have confirmed is lost."""
    ear = RecordingListener()
    async with opened(store.url, ear, replicas=2) as log:
        entries = [await log.append(room, EMPTY, b"1", AppendOptions())]
        await log.subscribe(room)
        old = store.primary()
        since, ordered = time.monotonic(), -AGAIN
        while log._topology.primary(0).port == old.port:
            waited = time.monotonic() - since
            assert waited < 60, f"Sentinel's primary is {store.primary().port}, ours {old.port}"
            if waited - ordered >= AGAIN and store.primary().port == old.port:
                ordered = waited
                with suppress(ResponseError):  # one is under way
                    store.sentinels[0].command("SENTINEL", "FAILOVER", "rooms", "COORDINATED")
            entries.append(await appended(log, room, entries[-1].place, b"%d" % len(entries)))
            await asyncio.sleep(0.01)
        assert log._topology.primary(0).port == store.primary().port
        entries.append(await appended(log, room, entries[-1].place, b"last"))
        assert await log.read(room) == entries
        await ear.until(lambda: (room, entries[-1]) in ear.entries)


@pytest.mark.long(11)
async def test_without_replicas_a_fail_over_may_lose_the_end(store: Replicated, room: str) -> None:
    """What `--replicas 0` does not promise; and that it is seen."""
    async with opened(store.url) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        await asyncio.sleep(0.2)
        for replica in store.replicas():
            store.hold(replica)
        second = await log.append(room, first.place, b"2", AppendOptions())
        assert await log.confirm(room, second.place)
        old = store.primary()
        old.kill()
        await asyncio.to_thread(store.promoted, old)
        again = await appended(log, room, first.place, b"other")
        assert not await log.confirm(room, second.place)
        assert await log.confirm(room, again.place)
        assert await log.ends([room, "nowhere"]) == {room: again.place, "nowhere": EMPTY}


async def test_with_replicas_nothing_acknowledged_is_lost(store: Replicated, room: str) -> None:
    async with opened(store.url, replicas=2) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        for replica in store.replicas():
            store.hold(replica)
        with pytest.raises(StoreUnavailable, match="of 2 replicas"):
            await log.append(room, first.place, b"2", AppendOptions())
        # It is in the log, but must not be acknowledged by anybody who finds it there.
        _, second = await log.read(room)
        with pytest.raises(StoreUnavailable):
            await log.confirm(room, second.place)
        # Who comes too late is told so all the same.
        with pytest.raises(Conflict):
            await log.append(room, first.place, b"3", AppendOptions())
        old = store.primary()
        old.kill()
        await asyncio.to_thread(store.promoted, old)
        left = await eventually(lambda: log.read(room))
        assert left == [first], "it had never been acknowledged"


async def test_a_deposed_primary_reads_but_confirms_nothing(store: Replicated, room: str) -> None:
    """It has not heard of the fail-over, nor has the node that asks it."""
    async with opened(store.url, replicas=2) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        assert await log.confirm(room, first.place, last=True)
        assert await log.confirm("nowhere", EMPTY)
        for replica in store.replicas():
            replica.command("REPLICAOF", "NO", "ONE")
        assert await log.read(room) == [first]
        for place, where in ((first.place, room), (EMPTY, "nowhere")):
            with pytest.raises(StoreUnavailable, match="of 2 replicas"):
                await log.confirm(where, place, last=True)


async def test_a_room_put_away_is_confirmed(store: Replicated, room: str) -> None:
    async with opened(store.url, replicas=2) as log:
        entries = [await log.append(room, EMPTY, b"1", AppendOptions(deadline=NO_DEADLINE))]
        await log.put_away(room, entries, 1_000_000)
        assert await log.confirm(room, entries[0].place, last=True)
        assert not await log.confirm(room, EMPTY)


async def test_the_deadline_after_a_fail_over_is_that_of_the_remaining_log(
    store: Replicated, room: str
) -> None:
    """A script's writes reach a replica together or not at all: a new epoch may keep it."""
    bucket = bucket_of(room)
    async with opened(store.url) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions(deadline=Deadline("in", 600_000)))
        await asyncio.to_thread(store.settle)
        for replica in store.replicas():
            store.hold(replica)
        await log.append(room, first.place, b"2", AppendOptions(deadline=Deadline("in", 900_000)))
        old = store.primary()
        old.kill()
        new = await asyncio.to_thread(store.promoted, old)
        renewed = await eventually(
            lambda: log.append(room, first.place, b"3", AppendOptions(epoch=9))
        )
        assert renewed.epoch == 9
        kept = new.command("ZSCORE", deadlines_key(bucket), room)
        assert int(kept) == first.at + 600_000


async def test_an_event_is_confirmed_once_the_replicas_are_back(
    store: Replicated, room: str
) -> None:
    async with opened(store.url, replicas=2) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        for replica in store.replicas():
            store.hold(replica)
        with pytest.raises(StoreUnavailable):
            await log.append(room, first.place, b"2", AppendOptions())
        for replica in store.replicas():
            store.let_go(replica)
        _, second = await log.read(room)
        assert await eventually(lambda: log.confirm(room, second.place))


async def test_one_sentinel_is_enough_to_find_the_store(store: Replicated, room: str) -> None:
    for sentinel in store.sentinels[1:]:
        sentinel.kill()
    async with opened(store.url) as log:
        await log.append(room, EMPTY, b"1", AppendOptions())


async def test_unreachable_sentinels_are_reported() -> None:
    with pytest.raises(StoreUnavailable, match="no Sentinel knows rooms"):
        await RedisRoomLog.open(
            "redis+sentinel://127.0.0.1:1,127.0.0.1:2/rooms", RecordingListener(), QUICK
        )


async def test_a_service_that_no_sentinel_watches_is_reported(store: Replicated) -> None:
    url = store.url.replace("/rooms", "/others")
    with pytest.raises(StoreUnavailable, match="No such master"):
        await RedisRoomLog.open(url, RecordingListener(), QUICK)


async def test_missing_passwords_are_told_with_their_place_and_not_shown() -> None:
    with replicated(replicas=0, sentinels=1) as store:

        async def refused(login: str, options: str) -> str:
            url = store.url.replace("://", f"://{login}") + options
            with pytest.raises(StoreUnavailable) as caught:
                await RedisRoomLog.open(url, RecordingListener(), QUICK)
            assert "seven" not in str(caught.value)
            return str(caught.value)

        for server in (store.servers[0], store.sentinels[0]):
            server.command("ACL", "SETUSER", "default", "resetpass", ">seven")
        both = (":seven@", "?sentinel_password=seven")
        async with opened(store.url.replace("://", f"://{both[0]}") + both[1]):
            pass
        for wrong in ("", "?sentinel_password=sevenfold"):
            assert "are the options sentinel_username and" in await refused(both[0], wrong)
        for wrong in ("", ":sevenfold@"):
            assert "before the @ of the store's URL" in await refused(wrong, both[1])


@pytest.mark.parametrize(
    "url", ["redis+sentinel://host", "redis+sentinel:///rooms", "redis+sentinel://h/rooms?x=1"]
)
async def test_an_invalid_sentinel_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        await RedisRoomLog.open(url, RecordingListener(), QUICK)

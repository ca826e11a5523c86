"""A log behind a network that delays, cuts and swallows: it fails in time, and finds its way."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count

import pytest

from pierule_protocol.log.events import EMPTY
from pierule_server.store import subscriptions
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.terms import AppendOptions
from support import stores
from support.listening import BOUND, RecordingListener
from support.proxy import Way, proxied

QUICK = Timeouts(request=1.6, connect=0.8)


@pytest.fixture(scope="module")
def server() -> Iterator[stores.Server]:
    with stores.single_on_port() as server:
        yield server


@pytest.fixture
def room() -> str:
    return f"room-{secrets.token_hex(6)}"


@asynccontextmanager
async def opened(
    port: int, ear: RecordingListener | None = None, timeouts: Timeouts = QUICK
) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(f"redis://127.0.0.1:{port}", ear or RecordingListener(), timeouts)
    try:
        yield log
    finally:
        await log.close()


async def returned(log: RedisRoomLog) -> None:
    """Wait until requests get through again."""
    async with asyncio.timeout(BOUND):
        while True:
            with suppress(StoreUnavailable):
                await log.read("anything")
                break
            await asyncio.sleep(0.01)


async def failing(log: RedisRoomLog) -> None:
    with pytest.raises(StoreUnavailable):
        await log.read("anything")


@pytest.mark.parametrize("ways", [(), ("up",), ("down",)], ids=["both", "up", "down"])
async def test_half_open_connections_fail_in_time_and_are_renewed(
    server: stores.Server, room: str, ways: tuple[Way, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told that the other end has gone; requests fail in time, later ones at once, and
    both requests and subscriptions are there again on new connections."""
    monkeypatch.setattr(subscriptions, "HEARTBEAT", 0.3)
    ear = RecordingListener()
    async with proxied(server.port) as proxy, opened(proxy.port, ear) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        await log.subscribe(room)
        proxy.black_hole(*ways)
        began = time.monotonic()
        await asyncio.gather(*(failing(log) for _ in range(50)))  # more than there are connections
        assert time.monotonic() - began < 20 * QUICK.request, "not one after the other"
        began = time.monotonic()
        for _ in range(100):
            await failing(log)
        assert time.monotonic() - began < 20 * QUICK.request, "known to be away"
        await ear.until(lambda: False in ear.news)
        monkeypatch.setattr(subscriptions, "HEARTBEAT", BOUND)  # however slow this machine is
        proxy.heal()
        await returned(log)
        await ear.until(lambda: ear.news[-1] and room in ear.gaps)
        entries = await log.read(room)
        assert entries[0] == first
        last = await log.append(room, entries[-1].place, b"2", AppendOptions())
        await ear.until(lambda: (room, last) in ear.entries)


async def test_silence_of_a_busy_subscription_is_noticed(
    server: stores.Server, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much is sent: what matters is that nothing comes back."""
    monkeypatch.setattr(subscriptions, "HEARTBEAT", 0.3)
    ear = RecordingListener()
    async with proxied(server.port) as proxy, opened(proxy.port, ear) as log:
        await log.subscribe(room)
        proxy.black_hole("down")
        asyncio.get_running_loop().call_later(1, proxy.heal)
        numbers = count()
        async with asyncio.timeout(BOUND):
            while room not in ear.gaps:
                with suppress(StoreUnavailable, TimeoutError):
                    async with asyncio.timeout(0.05):
                        await log.subscribe(f"{room}-{next(numbers)}")
                await asyncio.sleep(0.02)


@pytest.mark.parametrize("way", ["up", "down"])
async def test_a_connection_cut_in_mid_frame_leaves_no_half_request(
    server: stores.Server, room: str, way: Way
) -> None:
    """Half a request is none; half a reply leaves it unknown. The next one is whole."""
    async with proxied(server.port) as proxy, opened(proxy.port) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        proxy.cut_in_mid_frame(way)
        with pytest.raises(StoreUnavailable):
            await log.append(room, first.place, b"2", AppendOptions())
        await returned(log)
        entries = await log.read(room)
        assert len(entries) == (1 if way == "up" else 2)
        assert await log.append(room, entries[-1].place, b"3", AppendOptions())


async def test_connections_that_are_cut_are_made_again(server: stores.Server, room: str) -> None:
    ear = RecordingListener()
    async with proxied(server.port) as proxy, opened(proxy.port, ear) as log:
        await log.subscribe(room)
        await asyncio.gather(*(log.read(room) for _ in range(20)))
        proxy.cut()
        await ear.until(lambda: ear.gaps == [room])
        await asyncio.gather(*(log.read(room) for _ in range(20)))
        assert ear.news == [], "a hiccup is no news"


async def test_requests_over_a_slow_network_succeed(server: stores.Server, room: str) -> None:
    patient = Timeouts(request=BOUND, connect=BOUND)
    async with proxied(server.port) as proxy, opened(proxy.port, timeouts=patient) as log:
        proxy.delay["down"] = 0.2
        began = time.monotonic()
        entry = await log.append(room, EMPTY, b"1", AppendOptions())
        assert time.monotonic() - began > 0.2
        assert await log.read(room) == [entry]


async def test_a_lost_publication_does_not_stop_later_ones(
    server: stores.Server, room: str
) -> None:
    """What a position check is for: the log itself cannot notice."""
    ear = RecordingListener()
    async with proxied(server.port) as proxy, opened(proxy.port, ear) as log:
        first = await log.append(room, EMPTY, b"1", AppendOptions())
        await log.subscribe(room)
        proxy.drop_next(b"smessage")
        second = await log.append(room, first.place, b"2", AppendOptions())
        third = await log.append(room, second.place, b"3", AppendOptions())
        await ear.until(lambda: (room, third) in ear.entries)
        assert proxy.dropped
        assert ear.entries == [(room, third)]
        assert ear.gaps == []
        assert await log.ends([room]) == {room: third.place}


async def test_a_hanging_connection_with_unsent_data_can_be_closed(room: str) -> None:
    with stores.single_on_port() as server:
        log = await RedisRoomLog.open(
            server.url, RecordingListener(), Timeouts(request=5.0, connect=0.4)
        )
        server.pause()
        writing = asyncio.create_task(log.append(room, EMPTY, b"x" * 50_000_000, AppendOptions()))
        await asyncio.sleep(0.2)  # more than any buffer on the way holds
        assert not writing.done()
        async with asyncio.timeout(BOUND):
            await log.close()
            with pytest.raises(StoreUnavailable):
                await writing
        server.kill()
        await asyncio.sleep(0.1)  # for the loop to see what that has broken

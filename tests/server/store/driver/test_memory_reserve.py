"""What is left of the store's memory is kept for games that run, by real stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
import redis

from pierule_server.store.driver import memory_reserve
from pierule_server.store.driver.memory_reserve import PLENTY, SHORT
from pierule_server.store.driver.primary import Primary
from pierule_server.store.redis_room_log import RedisRoomLog
from support import stores
from support.listening import BOUND, RecordingListener


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_reserve, "INTERVAL", 0.02)


@pytest.fixture
def server() -> Iterator[stores.Server]:
    with stores.single_on_port() as server:
        yield server


@pytest.fixture
def store(server: stores.Server) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as store:
        yield store


@asynccontextmanager
async def opened(server: stores.Server) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(server.url, RecordingListener())
    try:
        yield log
    finally:
        await log.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - it is only polled here
            await asyncio.sleep(0.01)


def fill(store: redis.Redis, part: float) -> None:
    """Have the store use this part of its memory."""
    store.config_set("maxmemory", int(store.info("memory")["used_memory"] / part))


async def looks(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Wait until the store was asked so often."""
    asked = 0
    real = memory_reserve._used

    async def used(primary: Primary) -> memory_reserve._Memory | None:
        nonlocal asked
        asked += 1
        return await real(primary)

    with monkeypatch.context() as patched:
        patched.setattr(memory_reserve, "_used", used)
        await until(lambda: asked >= number)


async def test_the_store_is_short_of_memory_from_three_quarters_on(
    server: stores.Server, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(server) as log:
        assert not log.short, "no bound, no shortage"
        fill(store, SHORT - 0.02)
        await looks(monkeypatch, 3)
        assert not log.short
        fill(store, SHORT + 0.02)
        await until(lambda: log.short)
        assert any("memory" in trouble for trouble in log.troubles)
        fill(store, PLENTY + 0.02)
        await looks(monkeypatch, 3)
        assert log.short
        fill(store, PLENTY - 0.02)
        await until(lambda: not log.short)
        assert not log.troubles


async def test_a_store_that_is_full_at_the_start_is_short(
    server: stores.Server, store: redis.Redis
) -> None:
    fill(store, SHORT + 0.1)
    async with opened(server) as log:
        assert log.short


async def test_a_store_that_does_not_tell_its_memory_is_not_short(
    server: stores.Server, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(server) as log:
        store.acl_setuser("default", enabled=True, nopass=True, commands=["-info"])
        store.config_set("maxmemory", 4_000_000)
        await looks(monkeypatch, 3)
        assert not log.short

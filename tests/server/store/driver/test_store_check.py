"""A store that may forget is refused, and one that has forgotten is noticed while nodes run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from pierule_server.metrics import REGISTRY
from pierule_server.store.buckets import BUCKETS, format_key
from pierule_server.store.driver import store_check
from pierule_server.store.driver.preflight import FORMAT, inspect_server
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreRefused, StoreUnavailable, StoreUnusable
from support import stores
from support.listening import BOUND, RecordingListener

FIT = {"redis_version": "7.0.15", "aof_enabled": "1", "maxmemory_policy": "noeviction"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_check, "INTERVAL", 0.1)


@pytest.fixture(params=["valkey", *stores.OTHERS])
def store(request: pytest.FixtureRequest) -> Iterator[stores.Server]:
    binary = stores.VALKEY if request.param == "valkey" else stores.REDIS
    assert binary is not None
    with stores.single(binary) as server:
        yield server


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(url, RecordingListener(), **options)
    try:
        yield log
    finally:
        await log.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - it is only polled here
            await asyncio.sleep(0.02)


def emptied() -> float:
    return REGISTRY.get_sample_value("pierule_store_emptied_total") or 0


@pytest.mark.parametrize(
    ("told", "grade", "message"),
    [
        ({"redis_version": "6.2.14"}, "unfit", "Redis 6.2.14"),
        ({"redis_version": "7.2.4", "valkey_version": "7.1.9"}, "unfit", "Valkey 7.1.9"),
        ({"redis_version": "0.0"}, "unfit", "Redis 0.0"),
        ({"maxmemory": "5", "maxmemory_policy": "allkeys-lru"}, "volatile", "allkeys-lru"),
        ({"maxmemory": "5", "maxmemory_policy": "volatile-ttl"}, "volatile", "volatile-ttl"),
        ({"aof_enabled": "0"}, "volatile", "appendonly no"),
    ],
)
def test_unfit_stores_are_found_with_the_reason(
    told: dict[str, str], grade: str, message: str
) -> None:
    (finding,) = inspect_server("somewhere", FIT | told)
    assert finding.grade == grade
    assert message in finding.text
    assert "somewhere" in finding.text


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"redis_version": "10.0.0"},
        {"redis_version": "7.2.4", "valkey_version": "7.2.5"},
        {"maxmemory": "5"},
        {"maxmemory": "0", "maxmemory_policy": "allkeys-lru"},  # Nothing ever has to go.
    ],
)
def test_fit_stores_are_accepted(told: dict[str, str]) -> None:
    assert inspect_server("somewhere", FIT | told) == []


@pytest.mark.parametrize("missing", ["aof_enabled", "maxmemory_policy"])
def test_stores_that_do_not_tell_their_settings_are_found(missing: str) -> None:
    told = {name: value for name, value in FIT.items() if name != missing}
    (finding,) = inspect_server("somewhere", told)
    assert finding.grade == "silent"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (("appendonly", "no"), "appendonly no"),
        (("maxmemory", "1gb", "maxmemory-policy", "allkeys-lfu"), "allkeys-lfu"),
    ],
)
async def test_a_store_that_may_lose_data_is_refused_unless_the_operator_accepts_it(
    store: stores.Server, setting: tuple[str, ...], words: str
) -> None:
    store.command("CONFIG", "SET", *setting)
    with pytest.raises(StoreUnusable, match=rf"{words}.*--accept-volatile-store"):
        await RedisRoomLog.open(store.url, RecordingListener())
    assert store.command("GET", format_key()) is None, "nothing is laid out there"
    async with opened(store.url, accept_volatile=True) as log:
        (trouble,) = log.troubles
        assert words in trouble


async def test_a_store_that_is_loading_is_reported(store: stores.Server) -> None:
    """Until it has loaded, its INFO says that it is not append-only."""
    sets = "for i = 1, 4096 do redis.call('SET', 'k' .. i, i) end"
    store.command("EVAL", sets, 0)
    store.kill()
    store._command += ["--key-load-delay", "500"]
    starting = asyncio.create_task(asyncio.to_thread(store.start))
    said = ""
    async with asyncio.timeout(BOUND):
        while not said:
            try:
                await RedisRoomLog.open(store.url, RecordingListener())
            except StoreRefused as error:
                said = f"{error.kind} {error}"
            except StoreUnavailable:
                await asyncio.sleep(0.02)
    assert said.startswith("LOADING ")
    assert "still loading its data" in said
    await starting
    async with opened(store.url) as log:
        assert log.troubles == []


async def test_a_setting_that_is_changed_later_is_noticed(store: stores.Server) -> None:
    async with opened(store.url) as log:
        assert log.troubles == []
        store.command("CONFIG", "SET", "appendonly", "no")
        await until(lambda: "appendonly no" in str(log.troubles))
        store.command("CONFIG", "SET", "appendonly", "yes")
        await until(lambda: not log.troubles)


async def test_a_store_that_cannot_be_inspected_is_used_with_a_warning(
    store: stores.Server,
) -> None:
    rules = ("on", ">secret", "~*", "&*", "+@all", "-info", "-config")
    store.command("ACL", "SETUSER", "pierule", *rules)
    url = store.url.replace("unix://", "unix://pierule:secret@")
    with capture_logs() as logged:
        async with opened(url) as log:
            (trouble,) = log.troubles
            await asyncio.sleep(0.3)
    assert "does not tell how it keeps data" in trouble
    assert [line.get("trouble") for line in logged].count(trouble) == 1


async def test_a_store_that_comes_back_empty_is_noticed_once(store: stores.Server) -> None:
    before = emptied()
    async with opened(store.url) as log, opened(store.url) as other:
        with capture_logs() as logged:
            store.command("FLUSHALL")
            await until(lambda: store.command("GET", format_key()))
            await asyncio.sleep(0.3)
        layout = msgspec.json.decode(store.command("GET", format_key()))
        assert layout == {"format": FORMAT, "buckets": BUCKETS}
        assert emptied() == before + 1
        assert sum("empty" in line["event"] for line in logged) == 1
        assert log.troubles == other.troubles == []


async def test_a_store_whose_layout_changes_is_noticed(
    store: stores.Server,
) -> None:
    async with opened(store.url) as log:
        store.command("SET", format_key(), b'{"format":9,"buckets":64}')
        await until(lambda: "format 9" in str(log.troubles))
        assert b'"format":9' in store.command("GET", format_key())


async def test_a_node_can_start_with_a_full_store(store: stores.Server) -> None:
    """Its games are there, and can be read; to make room somebody has to see what there is."""
    async with opened(store.url):
        pass
    store.command("CONFIG", "SET", "maxmemory", "1")
    async with opened(store.url) as log:
        assert await log.read("room") == []

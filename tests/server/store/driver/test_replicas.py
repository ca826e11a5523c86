"""A node counts the replicas, at its start and while it runs, and says what to mend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from pierule_server.metrics import REGISTRY
from pierule_server.store.driver import store_check
from pierule_server.store.redis_room_log import RedisRoomLog
from support import stores
from support.listening import BOUND, RecordingListener
from support.replicated import Replicated, replicated


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_check, "INTERVAL", 0.1)


@pytest.fixture(scope="module")
def store() -> Iterator[Replicated]:
    with replicated() as store:
        yield store


@asynccontextmanager
async def opened(url: str, awaited: int) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(url, RecordingListener(), replicas=awaited)
    try:
        yield log
    finally:
        await log.close()


async def until(log: RedisRoomLog, text: str | None) -> None:
    """Wait until the node says this, or nothing."""
    async with asyncio.timeout(BOUND):
        while not (text in str(log.troubles) if text else not log.troubles):  # noqa: ASYNC110 - it is only polled here
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("awaited", [0, 1])
async def test_operators_are_warned_if_fewer_replicas_confirm_than_there_are(
    store: Replicated, awaited: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(store.url, awaited) as log:
        (trouble,) = log.troubles
        assert f"{awaited} of 2 replicas must confirm" in trouble
        assert "--replicas 2" in trouble
        assert capsys.readouterr().out.count(trouble) == 1
        assert REGISTRY.get_sample_value("pierule_store_replicas", {"which": "online"}) == 2
        assert REGISTRY.get_sample_value("pierule_store_replicas", {"which": "awaited"}) == awaited


async def test_a_replica_that_returns_ends_the_warning(store: Replicated) -> None:
    async with opened(store.url, 2) as log:
        assert not log.troubles
        held = store.replicas()[0]
        store.hold(held)
        await until(log, "a primary has only 1: nobody can act")
        store.let_go(held)
        await until(log, None)


async def test_a_store_without_replicas_has_no_warning() -> None:
    with stores.single_on_port() as server:
        async with opened(server.url, 0) as log:
            assert not log.troubles
            server.kill()
            await asyncio.sleep(0.3)  # it is looked for in vain
            assert not any("replicas" in trouble for trouble in log.troubles)

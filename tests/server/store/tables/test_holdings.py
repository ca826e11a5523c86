"""Which rooms a user holds: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from pierule_protocol.log.events import EMPTY
from pierule_server.store.tables import holdings as module
from pierule_server.store.tables.holdings import Holdings
from pierule_server.terms import NO_DEADLINE, Deadline, Terms
from support.backend import Backend


@pytest.fixture
def user() -> str:
    return secrets.token_hex(8)


async def rooms(holdings: Holdings, user: str) -> set[str]:
    return {room for _, room in await holdings.held(user)}


async def test_up_to_so_many(backend: Backend, user: str) -> None:
    holdings = (await backend.log()).tables.holdings
    assert [await holdings.reserve(user, room, 2) for room in "abc"] == [True, True, False]
    assert await rooms(holdings, user) == {"a", "b"}
    await holdings.release(user, "a")
    assert await holdings.reserve(user, "c", 2)
    assert await rooms(holdings, user) == {"b", "c"}


async def test_again_is_the_same(backend: Backend, user: str) -> None:
    holdings = (await backend.log()).tables.holdings
    assert [await holdings.reserve(user, "a", 1) for _ in range(3)] == [True] * 3
    before = await holdings.held(user)
    assert await holdings.reserve(user, "a", 1)
    assert await holdings.held(user) == before
    for _ in range(2):
        await holdings.release(user, "a")
    assert await holdings.held(user) == []


async def test_no_bound(backend: Backend, user: str) -> None:
    holdings = (await backend.log()).tables.holdings
    assert all([await holdings.reserve(user, str(number), 0) for number in range(70)])
    assert len(await holdings.held(user)) == 70


async def test_many_at_once_do_not_pass_the_bound(backend: Backend, user: str) -> None:
    logs = [await backend.log() for _ in range(2)]
    tries = (logs[number % 2].tables.holdings.reserve(user, str(number), 5) for number in range(20))
    assert sum(await asyncio.gather(*tries)) == 5


async def test_users_do_not_share(backend: Backend, user: str) -> None:
    holdings = (await backend.log()).tables.holdings
    assert await holdings.reserve(user, "a", 1)
    assert await holdings.reserve(user + "x", "b", 1)
    assert await rooms(holdings, user) == {"a"}


async def test_prune_asks_the_rooms(
    backend: Backend, user: str, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is open or running stays, listed or not; one that is over or never came to be goes,
    unless it is new."""
    log = await backend.log()
    day = Deadline("idle", 86_400_000)
    await log.append(f"{room}-open", EMPTY, b"{}", Terms(deadline=day))
    entry = await log.append(f"{room}-over", EMPTY, b"{}", Terms(card=b"card", deadline=day))
    await log.append(f"{room}-over", entry.place, b"{}", Terms(deadline=NO_DEADLINE))
    holdings = log.tables.holdings
    for name in ("open", "over", "never"):
        assert await holdings.reserve(user, f"{room}-{name}", 0)
    await holdings.prune(user)
    assert len(await holdings.held(user)) == 3
    monkeypatch.setattr(module, "FRESH_MS", -1_000)
    await holdings.prune(user)
    assert await rooms(holdings, user) == {f"{room}-open"}
    await holdings.prune(user)

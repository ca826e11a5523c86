"""Which rooms a user holds: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from pierule_protocol.log.events import EMPTY
from pierule_server.store.tables import memberships as module
from pierule_server.store.tables.memberships import Memberships
from pierule_server.terms import NO_DEADLINE, AppendOptions, Deadline
from support.backend import Backend


@pytest.fixture
def user() -> str:
    return secrets.token_hex(8)


async def rooms(memberships: Memberships, user: str) -> set[str]:
    return {room for _, room in await memberships.held(user)}


async def test_memberships_of_a_user_are_bounded(backend: Backend, user: str) -> None:
    memberships = (await backend.log()).tables.memberships
    assert [await memberships.reserve(user, room, 2) for room in "abc"] == [True, True, False]
    assert await rooms(memberships, user) == {"a", "b"}
    await memberships.release(user, "a")
    assert await memberships.reserve(user, "c", 2)
    assert await rooms(memberships, user) == {"b", "c"}


async def test_reserving_a_room_twice_counts_once(backend: Backend, user: str) -> None:
    memberships = (await backend.log()).tables.memberships
    assert [await memberships.reserve(user, "a", 1) for _ in range(3)] == [True] * 3
    before = await memberships.held(user)
    assert await memberships.reserve(user, "a", 1)
    assert await memberships.held(user) == before
    for _ in range(2):
        await memberships.release(user, "a")
    assert await memberships.held(user) == []


async def test_a_bound_of_zero_is_no_bound(backend: Backend, user: str) -> None:
    memberships = (await backend.log()).tables.memberships
    assert all([await memberships.reserve(user, str(number), 0) for number in range(70)])
    assert len(await memberships.held(user)) == 70


async def test_simultaneous_reservations_respect_the_bound(backend: Backend, user: str) -> None:
    logs = [await backend.log() for _ in range(2)]
    tries = (
        logs[number % 2].tables.memberships.reserve(user, str(number), 5) for number in range(20)
    )
    assert sum(await asyncio.gather(*tries)) == 5


async def test_memberships_of_users_are_separate(backend: Backend, user: str) -> None:
    memberships = (await backend.log()).tables.memberships
    assert await memberships.reserve(user, "a", 1)
    assert await memberships.reserve(user + "x", "b", 1)
    assert await rooms(memberships, user) == {"a"}


async def test_pruning_drops_rooms_that_are_over_or_were_never_made(
    backend: Backend, user: str, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is open or running stays, listed or not; one that is over or never came to be goes,
    unless it is new."""
    log = await backend.log()
    day = Deadline("idle", 86_400_000)
    await log.append(f"{room}-open", EMPTY, b"{}", AppendOptions(deadline=day))
    entry = await log.append(
        f"{room}-over", EMPTY, b"{}", AppendOptions(card=b"card", deadline=day)
    )
    await log.append(f"{room}-over", entry.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    memberships = log.tables.memberships
    for name in ("open", "over", "never"):
        assert await memberships.reserve(user, f"{room}-{name}", 0)
    await memberships.prune(user)
    assert len(await memberships.held(user)) == 3
    monkeypatch.setattr(module, "FRESH_MS", -1_000)
    await memberships.prune(user)
    assert await rooms(memberships, user) == {f"{room}-open"}
    await memberships.prune(user)

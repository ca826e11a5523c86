"""What the lobby is made of: the same for every kind of store."""

from __future__ import annotations

import secrets

import pytest

from pierule_protocol.controls import Turnwise
from pierule_protocol.events import EMPTY
from pierule_server.store import listing as module
from pierule_server.store.listing import by_bucket
from pierule_server.store.log import Terms
from pierule_server.store.pools import PoolKey, Seeker
from support.backend import Backend


def card(room: str, status: str) -> bytes:
    return b'{"room":"%b","status":"%b"}' % (room.encode(), status.encode())


async def test_rooms_are_there_until_they_are_over(backend: Backend, room: str) -> None:
    log = await backend.log()
    entry = await log.append(room, EMPTY, b"{}", Terms(card(room, "open")))
    assert (entry.at, card(room, "open")) in (await log.listing.look()).cards
    entry = await log.append(room, entry.place, b"{}", Terms(card(room, "running")))
    found = (await log.listing.look()).cards
    assert [each for each in found if room.encode() in each[1]] == [
        (entry.at, card(room, "running"))
    ]
    await log.append(room, entry.place, b"{}", Terms(None))
    assert not [each for each in (await log.listing.look()).cards if room.encode() in each[1]]


async def test_users_who_wait_are_counted_once(backend: Backend) -> None:
    log = await backend.log()
    pool = PoolKey("loose", 9, Turnwise(time=1 + secrets.randbelow(3_000)))
    for nonce in ("a", "b"):
        await log.pools.seek("seek", pool, Seeker("one", nonce, "One"), "t")
    assert (await log.listing.look()).waiting[pool] == 1
    for nonce in ("a", "b"):
        await log.pools.seek("away", pool, Seeker("one", nonce, "One"), "t")
    assert pool not in (await log.listing.look()).waiting


async def test_audiences_of_all_nodes_are_added_up(
    backend: Backend, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = (await backend.log()).listing
    for node, count in (("a", 3), ("b", 4), ("a", 2)):
        await listing.attend(node, by_bucket({room: count, f"{room}x": 1}))
    look = await listing.look()
    assert (look.spectators[room], look.spectators[f"{room}x"]) == (6, 2)
    await listing.attend("a", by_bucket({}))
    assert (await listing.look()).spectators[room] == 4
    monkeypatch.setattr(module, "ATTEND_MS", -1)
    await listing.attend("b", by_bucket({room: 4}))
    assert (await listing.look()).spectators[room] == 0

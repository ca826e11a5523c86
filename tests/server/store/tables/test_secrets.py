"""The secrets that nodes share: the same for every kind of store."""

from __future__ import annotations

import asyncio

from pierule_server.store.buckets import secrets_key
from support.backend import Backend


async def test_all_nodes_have_the_same_secrets(backend: Backend) -> None:
    one, two = await backend.log(), await backend.log()
    assert one.tables.secrets.rooms == two.tables.secrets.rooms
    assert one.tables.secrets.ids == two.tables.secrets.ids
    assert one.tables.secrets.proofs == two.tables.secrets.proofs
    kept = one.tables.secrets
    every = [kept.rooms, kept.ids, *kept.proofs.values()]
    assert len(set(every)) == 2 + len(kept.proofs)
    assert min(map(len, every)) == 64


async def test_a_store_of_an_earlier_release_gets_the_missing_secrets(backend: Backend) -> None:
    log = await backend.log()
    former = log.tables.secrets.rooms, log.tables.secrets.proofs
    await log._store.request(0, "HDEL", secrets_key(), "ids", write=True)
    await log.tables.secrets.read()
    assert (log.tables.secrets.rooms, log.tables.secrets.proofs) == former
    assert len(log.tables.secrets.ids) == 64


async def test_nodes_that_start_at_the_same_time_agree(backend: Backend) -> None:
    logs = [await backend.log() for _ in range(3)]
    for log in logs:
        await log._store.request(0, "DEL", secrets_key(), write=True)
    await asyncio.gather(*(log.tables.secrets.read() for log in logs))
    assert len({log.tables.secrets.rooms for log in logs}) == 1
    assert len({log.tables.secrets.key for log in logs}) == 1


async def test_rotation_keeps_earlier_secrets_until_they_are_dropped(backend: Backend) -> None:
    one, two = (await backend.log()).tables.secrets, (await backend.log()).tables.secrets
    rooms, ids, old, key = one.rooms, one.ids, one.kid, one.key
    new = await one.rotate()
    await two.read()
    assert (one.kid, one.key) == (two.kid, two.key)
    assert (one.kid, one.key != key) == (new, True)
    assert two.proofs[old] == key
    assert not await two.drop(new), "it is in use"
    assert not await two.drop("rooms")
    assert not await two.drop("ids")
    assert await two.drop(old)
    assert not await two.drop(old)
    await one.read()
    assert old not in one.proofs
    assert (one.rooms, one.ids) == (rooms, ids)
    assert int(await one.rotate()) == int(new) + 1

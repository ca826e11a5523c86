"""Block lists: the same for every kind of store."""

from __future__ import annotations

import secrets

from pierule_server.store.buckets import blocks_key
from pierule_server.store.tables.block_lists import KEPT_MS
from support.backend import Backend


async def test_a_user_can_be_blocked_and_unblocked(backend: Backend) -> None:
    user, other = secrets.token_hex(8), secrets.token_hex(8)
    one, two = await backend.log(), await backend.log()
    assert await one.tables.block_lists.put(user, "eve", "mute", 5)
    assert await one.tables.block_lists.put(user, "bob", "block", 5)
    assert await two.tables.block_lists.read(user) == {"eve": "mute", "bob": "block"}
    assert await two.tables.block_lists.put(user, "eve", "block", 5)
    for _ in range(2):
        assert await two.tables.block_lists.put(user, "bob", None, 5)
    assert await one.tables.block_lists.read(user) == {"eve": "block"}
    assert await one.tables.block_lists.read(other) == {}


async def test_an_unused_block_list_expires(backend: Backend) -> None:
    """Law 10: guests cost nothing, so what they leave behind must not stay for ever."""
    user = secrets.token_hex(8)
    block_lists = (await backend.log()).tables.block_lists
    await block_lists.put(user, "eve", "mute", 5)
    with backend.client() as client:
        assert KEPT_MS / 2 < client.pttl(blocks_key(user)) <= KEPT_MS
        client.pexpire(blocks_key(user), 60_000)
        assert await block_lists.read(user) == {"eve": "mute"}
        assert client.pttl(blocks_key(user)) > KEPT_MS / 2, "whoever uses it keeps it"


async def test_a_block_list_has_a_bounded_length(backend: Backend) -> None:
    """Law 10; a full list still takes another level for a user on it."""
    user = secrets.token_hex(8)
    block_lists = (await backend.log()).tables.block_lists
    assert [await block_lists.put(user, name, "mute", 2) for name in "abc"] == [True, True, False]
    assert await block_lists.put(user, "a", "block", 2)
    assert await block_lists.put(user, "b", None, 2)
    assert await block_lists.put(user, "c", "mute", 2)
    assert await block_lists.read(user) == {"a": "block", "c": "mute"}

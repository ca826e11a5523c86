"""Whom users shun: the same for every kind of store."""

from __future__ import annotations

import secrets

from support.backend import Backend


async def test_shun_and_no_longer(backend: Backend) -> None:
    user, other = secrets.token_hex(8), secrets.token_hex(8)
    one, two = await backend.log(), await backend.log()
    assert await one.tables.shuns.shun(user, "eve", "mute", 5)
    assert await one.tables.shuns.shun(user, "bob", "block", 5)
    assert await two.tables.shuns.shunned(user) == {"eve": "mute", "bob": "block"}
    assert await two.tables.shuns.shun(user, "eve", "block", 5)
    for _ in range(2):
        assert await two.tables.shuns.shun(user, "bob", None, 5)
    assert await one.tables.shuns.shunned(user) == {"eve": "block"}
    assert await one.tables.shuns.shunned(other) == {}


async def test_up_to_so_many(backend: Backend) -> None:
    """Law 10; whom one shuns already one may still shun otherwise."""
    user = secrets.token_hex(8)
    shuns = (await backend.log()).tables.shuns
    assert [await shuns.shun(user, name, "mute", 2) for name in "abc"] == [True, True, False]
    assert await shuns.shun(user, "a", "block", 2)
    assert await shuns.shun(user, "b", None, 2)
    assert await shuns.shun(user, "c", "mute", 2)
    assert await shuns.shunned(user) == {"a": "block", "c": "mute"}

"""Which rooms were made from an address, and how long open rooms stay: by every kind of store."""

from __future__ import annotations

import secrets

from pierule_server.store.tables.origins import NAMED
from support.backend import Backend


async def test_the_oldest_open_rooms_of_an_address_beyond_the_limit_are_named(
    backend: Backend,
) -> None:
    origins, origin = (await backend.log()).tables.origins, secrets.token_hex(8)
    assert [await origins.note(origin, room, 2) for room in "ab"] == [[], []]
    assert await origins.note(origin, "c", 2) == ["a"]
    assert await origins.note(origin, "a", 2) == ["b"], "it is the latest now"
    await origins.drop(origin, "b")
    assert await origins.note(origin, "a", 2) == []
    assert await origins.rooms(origin) == ["c", "a"]
    assert await origins.rooms(secrets.token_hex(8)) == []
    assert await origins.note(secrets.token_hex(8), "x", 2) == []
    for number in range(2 * NAMED):
        named = await origins.note(origin, f"r{number}", 2)
    assert len(named) == NAMED

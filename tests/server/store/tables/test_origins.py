"""Which rooms were made from an address, and how long open rooms stay: by every kind of store."""

from __future__ import annotations

import secrets

from pierule_protocol.log.events import EMPTY
from pierule_server.store.tables.origins import NAMED
from pierule_server.terms import NO_DEADLINE, AppendOptions, Deadline
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


async def test_an_open_room_can_be_given_more_time_and_no_other(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    first = await log.append(room, EMPTY, b"{}", AppendOptions(deadline=Deadline("idle", 10_000)))

    async def left() -> float | None:
        deadline = await log.tables.origins.deadline(room)
        return None if deadline is None else deadline - first.at

    await log.extend({room: 50_000, f"{room}b": 50_000})
    assert 50_000 <= (await left() or 0) < 60_000
    await log.extend({room: 1_000})
    assert (await left() or 0) >= 50_000, "it never falls"
    assert await log.tables.origins.deadline(f"{room}b") is None
    timed = await log.append(
        room, first.place, b"{}", AppendOptions(deadline=Deadline("in", 5_000))
    )
    await log.extend({room: 50_000})
    assert (await left() or 0) <= timed.at - first.at + 5_000, "it is on a clock now"
    await log.append(room, timed.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    await log.extend({room: 50_000})
    assert await left() is None

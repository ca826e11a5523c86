"""Who was there, and that a claim is kept only of one who was not, by every kind of store."""

from __future__ import annotations

import asyncio

import pytest

from pierule_protocol.log.events import EMPTY, Entry
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import Conflict, Returned, StillAwaited, TooLate
from pierule_server.terms import KEEP_CARD, NO_DEADLINE, Absence, AppendOptions, Deadline
from support.backend import Backend
from support.logs import cards

FAR = Deadline("in", 1_000_000)


async def begin(log: RedisRoomLog, room: str, deadline: Deadline = FAR) -> Entry:
    await log.tables.deadlines.sweep()
    return await log.append(room, EMPTY, b"{}", AppendOptions(card=b"{}", deadline=deadline))


async def claim(log: RedisRoomLog, room: str, first: Entry, absence: Absence) -> Entry:
    await log.tables.deadlines.sweep()
    terms = AppendOptions(deadline=NO_DEADLINE, timing="in_time", absence=absence)
    return await log.append(room, first.place, b"{}", terms)


async def test_the_store_knows_when_a_player_was_last_present(backend: Backend, room: str) -> None:
    log, other = await backend.log(), await backend.log()
    first = await begin(log, room)
    before = await log.tables.deadlines.seen(room)
    assert max(before) <= first.at
    await log.tables.deadlines.mark_seen({room: [1], f"{room}b": [0, 1]})
    seen = await other.tables.deadlines.seen(room)
    assert seen[0] == before[0]
    assert seen[1] >= first.at
    await asyncio.sleep(0.002)
    await other.tables.deadlines.mark_seen({room: [0, 1]})
    assert min(await log.tables.deadlines.seen(room)) > seen[1]


async def test_a_claim_on_an_absent_player_is_kept(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room)
    await log.tables.deadlines.mark_seen({room: [0, 1]})
    seen = (await log.tables.deadlines.seen(room))[1]
    with pytest.raises(StillAwaited) as awaited:
        await claim(log, room, first, Absence(1, seen, seen + 500_000))
    assert 400_000 < awaited.value.left <= 500_000
    assert await log.read(room) == [first]
    other = await log.append(room, first.place, b"{}", AppendOptions(card=KEEP_CARD))
    with pytest.raises(Conflict):
        await claim(log, room, first, Absence(1, seen, seen))
    kept = await claim(log, room, other, Absence(1, seen, seen))
    assert await log.read(room) == [first, other, kept]


async def test_a_player_who_returned_is_not_gone(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room)
    await log.tables.deadlines.mark_seen({room: [1]})
    seen = (await log.tables.deadlines.seen(room))[1]
    await asyncio.sleep(0.002)
    await log.tables.deadlines.mark_seen({room: [1]})
    with pytest.raises(Returned):
        await claim(log, room, first, Absence(1, seen, seen))
    assert await log.read(room) == [first]
    await claim(log, room, first, Absence(0, (await log.tables.deadlines.seen(room))[0], seen))


async def test_a_claim_after_the_deadline_is_too_late(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, Deadline("in", 0))
    async with asyncio.timeout(60):
        while room not in (await log.tables.deadlines.sweep()).due:
            pass
    with pytest.raises(TooLate):
        await claim(log, room, first, Absence(0, 0, 0))


async def test_an_append_can_keep_the_card(backend: Backend, room: str) -> None:
    log = await backend.log()
    card = room.encode()
    first = await log.append(room, EMPTY, b"{}", AppendOptions(card=card))
    second = await log.append(room, first.place, b"{}", AppendOptions(card=KEEP_CARD))
    assert card in await cards(log)
    await log.append(room, second.place, b"{}", AppendOptions(card=None))
    assert card not in await cards(log)


async def test_sightings_are_removed_with_the_room(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room)
    before = await log.tables.deadlines.seen(room)
    await asyncio.sleep(0.002)
    await log.tables.deadlines.mark_seen({room: [0, 1]})
    assert min(await log.tables.deadlines.seen(room)) > max(before)
    last = await log.append(room, first.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    await log.put_away(room, [first, last], 1_000_000)
    assert await log.tables.deadlines.seen(room) == before

"""What waits for the archive is named in order, and the store keeps it until it is done."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator

import pytest

from pierule_protocol.log.events import EMPTY, Entry
from pierule_server.store.buckets import bucket_of
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.archive_queue import ArchiveQueue, Unarchived
from pierule_server.terms import NO_DEADLINE, AppendOptions, Deadline
from support.backend import Backend
from support.listening import BOUND

ALL = 100_000
"""The other tests of a store have left something."""


@pytest.fixture
async def log(backend: Backend) -> AsyncIterator[RedisRoomLog]:
    """A log of a store that no longer has an archive afterwards."""
    made = await backend.log()
    yield made
    await made.tables.archive_queue.give_up()


async def ended(log: RedisRoomLog, room: str, number: int = 0) -> list[Entry]:
    """A room that is over."""
    first = await log.append(room, EMPTY, b"{}", AppendOptions(deadline=Deadline("in", 60_000)))
    record = b'{"kind":"test","number":%d}' % number
    return [first, await log.append(room, first.place, record, AppendOptions(deadline=NO_DEADLINE))]


async def waiting(queue: ArchiveQueue, *, archives: bool = True) -> dict[str, int]:
    backlog = await queue.look(archives=archives, more=ALL)
    assert backlog.count == len(backlog.oldest)
    assert backlog.oldest == sorted(backlog.oldest, key=lambda each: (each.at, each.name))
    return {each.name: each.at for each in backlog.oldest}


async def gone(log: RedisRoomLog, room: str) -> None:
    """Wait until the store has forgotten a room."""
    async with asyncio.timeout(BOUND):
        while True:
            if not await log.read(room):
                return
            await asyncio.sleep(0.01)


async def test_a_room_is_queued_from_its_end_until_it_is_archived(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    assert room not in await waiting(queue)
    entries = await ended(log, room)
    assert (await waiting(queue))[room] == entries[-1].at
    assert not await queue.done(Unarchived(room, entries[-1].at - 1), 1_000)
    assert await queue.done(Unarchived(room, entries[-1].at), 1_000)
    assert not await queue.done(Unarchived(room, entries[-1].at), 1_000)
    assert room not in await waiting(queue)
    assert await log.read(room) == entries, "it was not put away yet"


async def test_a_room_is_queued_again_when_its_result_is_voided(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    entries = await ended(log, room)
    await asyncio.sleep(0.002)
    last = await log.append(room, entries[-1].place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    assert not await queue.done(Unarchived(room, entries[-1].at), 1_000)
    assert await queue.done(Unarchived(room, last.at), 1_000)


async def test_rooms_in_the_archive_queue_do_not_expire(log: RedisRoomLog, room: str) -> None:
    queue = log.tables.archive_queue
    await queue.look(archives=True)
    entries = await ended(log, room)
    await log.put_away(room, entries, 1)
    await asyncio.sleep(0.05)
    assert await log.read(room) == entries
    assert await queue.done(Unarchived(room, entries[-1].at), 1)
    await gone(log, room)


async def test_a_room_without_retention_is_kept_until_it_is_archived(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    await queue.look(archives=True)
    entries = await ended(log, room)
    await log.put_away(room, entries, 0)
    assert await log.read(room) == entries
    assert await queue.done(Unarchived(room, entries[-1].at), 0)
    assert await log.read(room) == []


async def test_a_node_without_an_archive_drops_nothing_queued_for_another(
    backend: Backend, log: RedisRoomLog, room: str
) -> None:
    await log.tables.archive_queue.look(archives=True)
    other = await backend.log()
    assert (await other.tables.archive_queue.look(archives=False)).wanted
    entries = await ended(other, room)
    await other.put_away(room, entries, 1)
    await asyncio.sleep(0.05)
    assert await log.read(room) == entries


async def test_without_an_archive_rooms_expire_and_leave_the_queue(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    first, second = f"{room}-1", same_bucket(f"{room}-1")
    assert not (await queue.look(archives=False)).wanted
    await log.put_away(first, await ended(log, first), 60_000)
    assert first in await waiting(queue, archives=False), "an archive may come"
    await asyncio.sleep(0.005)
    await log.put_away(second, await ended(log, second), 1)
    assert first not in await waiting(queue, archives=False)
    await gone(log, second)


def same_bucket(room: str) -> str:
    """Another room of the same bucket."""
    names = (f"{room}-{number}" for number in range(10_000))
    return next(name for name in names if bucket_of(name) == bucket_of(room))


async def test_a_room_that_is_not_to_be_archived_leaves_nothing(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    await queue.look(archives=True)
    await log.put_away(room, await ended(log, room), None)
    assert room not in await waiting(queue)
    assert await log.read(room) == []


async def test_users_to_forget_are_queued_if_there_is_an_archive(log: RedisRoomLog) -> None:
    queue, user = log.tables.archive_queue, secrets.token_hex(8)
    await queue.forget(user)
    assert f"@{user}" not in await waiting(queue)
    await queue.forget(user)
    at = (await waiting(queue))[f"@{user}"]
    entry = Unarchived(f"@{user}", at)
    assert entry.user == user
    assert await queue.done(entry, 1_000)
    assert f"@{user}" not in await waiting(queue)


async def test_a_look_at_the_queue_names_the_oldest_rooms_without_a_gap(
    log: RedisRoomLog, room: str
) -> None:
    queue = log.tables.archive_queue
    for number in range(200):
        await ended(log, f"{room}-{number}", number)
    everything = list((await waiting(queue)).items())
    backlog = await queue.look(archives=True)
    assert backlog.count == len(everything)
    found = [(each.name, each.at) for each in backlog.oldest]
    assert found
    assert found == everything[: len(found)]


async def test_one_node_has_the_lease_until_it_releases_it_or_it_expires(log: RedisRoomLog) -> None:
    queue = log.tables.archive_queue
    assert await queue.lease("a", 60_000)
    assert await queue.lease("a", 60_000)
    assert not await queue.lease("b", 60_000)
    assert not await queue.lease("b", 0)
    assert await queue.lease("a", 0)
    assert await queue.lease("b", 1)
    async with asyncio.timeout(BOUND):
        while True:
            if await queue.lease("a", 60_000):
                break
            await asyncio.sleep(0.01)
    await queue.lease("a", 0)

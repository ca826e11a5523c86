"""A cluster whose primaries die and whose slots move while rooms are played."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import pytest

from pierule_protocol.log.events import EMPTY, Entry
from pierule_server.store.buckets import bucket_of, slot_of
from pierule_server.store.driver.primary import Timeouts
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import Conflict, StoreUnavailable
from pierule_server.terms import AppendOptions
from support import stores
from support.listening import BOUND, RecordingListener

QUICK = Timeouts(request=2.0, connect=1.0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[stores.Cluster]:
    with stores.cluster(replicas=True) as cluster:
        yield cluster


@asynccontextmanager
async def opened(
    url: str, ear: RecordingListener, replicas: int = 0
) -> AsyncIterator[RedisRoomLog]:
    log = await RedisRoomLog.open(url, ear, QUICK, replicas)
    try:
        yield log
    finally:
        await log.close()


class Writer:
    """Plays a room without a pause, and remembers what was acknowledged."""

    def __init__(self, log: RedisRoomLog, room: str) -> None:
        self.log = log
        self.room = room
        self.entries: list[Entry] = []
        self.unavailable = 0
        self._task = asyncio.create_task(self._play())

    async def _play(self) -> None:
        number = 0
        while True:
            place = self.entries[-1].place if self.entries else EMPTY
            number += 1
            try:
                entry = await self.log.append(self.room, place, b"%d" % number, AppendOptions())
                self.entries.append(entry)
            except StoreUnavailable:
                self.unavailable += 1
                await asyncio.sleep(0.05)
            except Conflict:  # An append that was unknown has been done.
                self.entries += await self._found(place.seq + 1)
            await asyncio.sleep(0)

    async def _found(self, seq: int) -> list[Entry]:
        """The entry of this number, as soon as it is as safe as what was acknowledged; empty if
        the primary that had it has died with it."""
        while True:
            found = (await self._read(seq))[:1]
            with suppress(StoreUnavailable):
                if not found or await self.log.confirm(self.room, found[0].place):
                    return found
            await asyncio.sleep(0.05)

    async def _read(self, first: int) -> list[Entry]:
        while True:
            try:
                return await self.log.read(self.room, first)
            except StoreUnavailable:
                await asyncio.sleep(0.05)

    async def progress(self) -> None:
        """Wait for ten more entries."""
        goal = len(self.entries) + 10
        async with asyncio.timeout(BOUND):
            while len(self.entries) < goal:
                assert not self._task.done()
                await asyncio.sleep(0.01)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        kept = await self._read(1)
        assert kept[: len(self.entries)] == self.entries
        assert len(kept) <= len(self.entries) + 1, "but for the one that was under way"


@pytest.mark.parametrize("at_once", [False, True], ids=["key_by_key", "atomic"])
async def test_play_goes_on_while_a_slot_moves(cluster: stores.Cluster, at_once: bool) -> None:
    room = f"room-{secrets.token_hex(6)}"
    slot = slot_of(bucket_of(room))
    writing, listening = RecordingListener(), RecordingListener()
    async with opened(cluster.url, writing) as log, opened(cluster.url, listening) as other:
        writer = Writer(log, room)
        await writer.progress()
        await other.subscribe(room)
        source = cluster.owner(slot)
        target = next(each for each in cluster.servers if each is not source)
        move = cluster.migrate_at_once if at_once else cluster.migrate
        await asyncio.to_thread(move, slot, target)
        await writer.progress()
        # The subscription has gone deaf at the old place; it is there again, and that is told.
        await listening.until(lambda: room in listening.gaps)
        heard = len(listening.entries)
        await writer.progress()
        await listening.until(lambda: len(listening.entries) > heard)
        await writer.stop()
        assert writing.news == [] == listening.news


async def test_a_killed_primary_of_a_cluster_is_replaced(cluster: stores.Cluster) -> None:
    """Of three. What a replica has confirmed is kept, in the rooms of all three."""
    ear = RecordingListener()
    # One room in a bucket of each primary.
    rooms: dict[int, str] = {}
    for number in range(200):
        room = f"room-{number}-{secrets.token_hex(4)}"
        rooms.setdefault(cluster.owner(slot_of(bucket_of(room))).port, room)
    victim = cluster.servers[1]
    async with opened(cluster.url, ear, replicas=1) as log:
        writers = [Writer(log, room) for room in rooms.values()]
        for writer in writers:
            await writer.progress()
        lost = rooms[victim.port]
        await log.subscribe(lost)
        victim.kill()
        await ear.until(lambda: ear.news == [False])
        await ear.until(lambda: ear.news == [False, True])
        await ear.until(lambda: lost in ear.gaps)
        for writer in writers:
            if writer.room == lost:  # Its only replica is primary now: there is none to confirm.
                continue
            await writer.progress()
        victim.start()
        for writer in writers:
            await writer.progress()
        heard = len(ear.entries)
        await ear.until(lambda: len(ear.entries) > heard)
        for writer in writers:
            await writer.stop()

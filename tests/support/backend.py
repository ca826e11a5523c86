"""One store of any kind, for the tests of the room log."""

from __future__ import annotations

from typing import Any, Protocol

import redis

from pierule_protocol.log.events import Entry, Place, chain
from pierule_server.store.buckets import bucket_of, clock_key, log_key
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import RoomLog
from pierule_server.store.tables.tables import Tables
from support.listening import RecordingListener
from support.memory.store import MemoryRoomLog, MemoryStore
from support.stores import PATIENT


class StoredLog(RoomLog, Protocol):
    """A log, and the tables beside it."""

    tables: Tables


class Backend:
    """One store, from which any number of nodes can get a room log."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self.memory = MemoryStore()
        self.logs: list[StoredLog] = []

    async def log(self, ear: RecordingListener | None = None) -> StoredLog:
        ear = ear or RecordingListener()
        log: StoredLog
        log = (
            await RedisRoomLog.open(self.url, ear, PATIENT)
            if self.url
            else MemoryRoomLog(self.memory, ear)
        )
        self.logs.append(log)
        return log

    async def plant(self, room: str, at: int) -> Place:
        """Put a first entry of another time into a room's log."""
        place = Place(1, 1, chain(0, 1, 1, b"{}", at))
        if self.url is None:
            self.memory.logs[room] = [Entry(1, 1, place.chain, at, "{}")]
            return place
        fields = {"epoch": 1, "chain": place.chain, "at": at, "record": "{}"}
        kind: Any = redis.RedisCluster if self.url.startswith("redis:") else redis.Redis
        with kind.from_url(self.url) as client:
            client.xadd(log_key(room), fields, id="1-0")
        return place

    def age_heartbeat(self, room: str, ms: int) -> int:
        """Make the last heartbeat of a room's bucket older by `ms`; return its new time."""
        if self.url is None:
            assert self.memory.heartbeat is not None
            self.memory.heartbeat -= ms
            return self.memory.heartbeat
        key = clock_key(bucket_of(room))
        kind: Any = redis.RedisCluster if self.url.startswith("redis:") else redis.Redis
        with kind.from_url(self.url) as client:
            return int(client.hincrby(key, "", -ms))

"""One store of any kind, for the tests of the room log and of tables."""

from __future__ import annotations

from typing import Any

import redis

from pierule_protocol.log.events import Place, chain
from pierule_server.store.buckets import bucket_of, clock_key, log_key
from pierule_server.store.redis_room_log import RedisRoomLog
from support.listening import RecordingListener
from support.stores import PATIENT


class Backend:
    """One store, from which any number of nodes can get a room log."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.logs: list[RedisRoomLog] = []

    async def log(self, ear: RecordingListener | None = None) -> RedisRoomLog:
        log = await RedisRoomLog.open(self._url, ear or RecordingListener(), PATIENT)
        self.logs.append(log)
        return log

    def client(self) -> Any:
        """A client of redis-py (it has no types), as a context that closes it. Single servers have
        Unix sockets, so a port is one of a cluster's."""
        kind: Any = redis.RedisCluster if self._url.startswith("redis:") else redis.Redis
        return kind.from_url(self._url)

    def plant(self, room: str, at: int) -> Place:
        """Put a first entry of another time into a room's log."""
        place = Place(1, 1, chain(0, 1, 1, b"{}", at))
        fields = {"epoch": 1, "chain": place.chain, "at": at, "record": "{}"}
        with self.client() as client:
            client.xadd(log_key(room), fields, id="1-0")
        return place

    def age_heartbeat(self, room: str, ms: int) -> int:
        """Make the last heartbeat of a room's bucket older by `ms`; return its new time."""
        with self.client() as client:
            return int(client.hincrby(clock_key(bucket_of(room)), "", -ms))

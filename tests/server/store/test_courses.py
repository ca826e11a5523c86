"""Any course of requests over a real store: the deadline that the script keeps is the fold's, and
every log refolds and verifies (laws 2 and 3). What time does is tried over the model."""

from __future__ import annotations

import asyncio
from typing import Any

import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pierule_protocol.log.record import record_of
from pierule_protocol.log.verify import verify
from pierule_protocol.state.room import room_state
from pierule_server.identity.tokens import User
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import refold, retold
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.buckets import bucket_of, deadlines_key
from pierule_server.store.redis_room_log import RedisRoomLog
from support.courses import Ask, asks, begin, made, put, request_of
from support.examples import up_to
from support.stores import PATIENT, Server

PLAYERS = (User("anna", "Anna"), User("bert", "Bert"))


@given(made, st.integers(0, 6), st.lists(asks, min_size=10, max_size=25))
@settings(
    max_examples=up_to(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_deadlines_of_a_real_store_are_right_after_any_course_of_requests(
    store_of_nodes: Server, how: Any, begun: int, course: list[Ask]
) -> None:
    asyncio.run(_any_course(store_of_nodes, how, begun, course))


async def _any_course(store: Server, how: Any, begun: int, course: list[Ask]) -> None:
    log = await RedisRoomLog.open(store.url, timeouts=PATIENT)
    hub = Hub("node", log, log.tables, 100)
    log.listen(hub)
    hub.start()
    rooms = Rooms(hub, log, log.tables)
    try:
        with redis.Redis.from_url(store.url) as client:
            await _play(rooms, log, client, how, [Ask("act", 0, "draw", 1)] * begun + course)
    finally:
        await hub.stop()
        await log.close()


async def _play(rooms: Rooms, log: RedisRoomLog, client: Any, how: Any, course: list[Ask]) -> None:
    room = await begin(rooms, PLAYERS, how)
    for ask in course:
        kept = refold(room, await log.read(room))
        seat, request = request_of(ask, kept)
        await put(rooms, PLAYERS[seat], request)
        kept = refold(room, await log.read(room))
        score = client.zscore(deadlines_key(bucket_of(room)), room)
        assert (None if score is None else int(score)) == kept.deadline
    for name in filter(None, [room, kept.rematch]):
        folded, told = retold(name, await log.read(name))
        assert verify(record_of(room_state(folded), told)) is None

"""The way of an action through a node does not grow longer unnoticed."""

from __future__ import annotations

from support import stores
from support.way import measure

MOST_STATIONS, MOST_ASKED = 16, 15


async def test_the_way_of_an_action_does_not_grow(valkey: stores.Server) -> None:
    way = await measure(valkey.url)
    assert len(way.stations) <= MOST_STATIONS, way.stations
    assert len(way.asked) <= MOST_ASKED, way.asked
    assert set(way.turns) == {
        ("pierule_server/rooms/live.py", "pierule_server/connections/connection.py"),
        ("pierule_server/store/subscriptions.py", "pierule_server/rooms/hub.py"),
    }
    assert set(way.replies) - set(way.turns) == {
        ("pierule_server/store/redis_room_log.py", "pierule_server/rooms/short_way.py"),
        ("pierule_server/rooms/short_way.py", "pierule_server/connections/connection.py"),
        ("pierule_server/rooms/short_way.py", "pierule_server/gateway/request_queue.py"),
    }

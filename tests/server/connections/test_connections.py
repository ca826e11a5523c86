"""All connections together: told once each, sent away one by one, within the time."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pierule_protocol.codec import server_codecs
from pierule_protocol.messages import Notice
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.connections.connections import CLOSES_PER_SECOND, Connections
from pierule_server.identity.tokens import User

CODECS = server_codecs()


class Line:
    """What is used of a connection. `stays` does not go when it is sent away."""

    def __init__(self, home: Connections, codec: str, stays: bool = False) -> None:
        self.codec = CODECS[f"pierule.1.{codec}"]
        self.unsent = 0
        self.user: User | None = None
        self.heard: list[bytes] = []
        self.retired: list[float] = []
        self._home = home
        self._stays = stays
        home.add(self.connection)

    @property
    def connection(self) -> Connection:
        return cast("Connection", self)

    def push(self, data: bytes) -> None:
        self.heard.append(data)

    def retire(self) -> None:
        self.retired.append(asyncio.get_running_loop().time())
        if not self._stays:
            self._home.remove(self.connection)


def lines(home: Connections, number: int, **how: Any) -> list[Line]:
    return [Line(home, ("msgpack", "json")[each % 2], **how) for each in range(number)]


async def test_a_notice_to_everybody_is_encoded_once_per_codec() -> None:
    home = Connections()
    told = lines(home, 6)
    home.tell(Notice(kind="store_away"))
    assert all(len(line.heard) == 1 for line in told)
    assert len({id(line.heard[0]) for line in told}) == 2


async def test_draining_without_clients_ends_at_once() -> None:
    async with asyncio.timeout(60):
        await Connections().drain(600)


async def test_draining_closes_clients_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Connections()
    told = lines(home, CLOSES_PER_SECOND // 2)
    loop = asyncio.get_running_loop()
    later, moments = loop.call_later, []

    def noted(delay: float, *what: Any) -> asyncio.TimerHandle:
        moments.append(delay)
        return later(delay, *what)

    monkeypatch.setattr(loop, "call_later", noted)
    async with asyncio.timeout(60):
        await home.drain(600)
    assert len(home) == 0
    assert all(len(line.retired) == len(line.heard) == 1 for line in told)
    # Chance spreads 50 over half a second, and not over all that there would be.
    assert len(moments) == len(told)
    assert 0.25 < max(moments) <= 0.5
    assert len({round(moment, 3) for moment in moments}) > 10


async def test_draining_waits_no_longer_than_configured() -> None:
    home = Connections()
    told = lines(home, 3, stays=True)
    async with asyncio.timeout(60):
        await home.drain(0.1)
    assert len(home) == 3
    assert all(line.retired for line in told)


async def test_draining_for_zero_seconds_still_tells_everybody() -> None:
    home = Connections()
    told = lines(home, 3, stays=True)
    async with asyncio.timeout(60):
        await home.drain(0)
    assert all(line.heard for line in told)


async def test_a_client_that_arrives_while_draining_is_closed() -> None:
    home = Connections()
    await home.drain(0)
    (late,) = lines(home, 1)
    assert late.retired
    assert len(home) == 0


async def test_connections_are_counted_in_the_metrics() -> None:
    home = Connections()
    before = metrics.REGISTRY.get_sample_value("pierule_connections") or 0
    first, second = lines(home, 2)
    first.unsent, second.unsent = 5, 7
    third = lines(home, 1)[0]
    first.user = second.user = User("ada", "Ada")
    home.measure()
    get = metrics.REGISTRY.get_sample_value
    assert get("pierule_users") == 1
    home.remove(third.connection)
    assert get("pierule_connections") == before + 2
    assert get("pierule_outbox_bytes") == 12
    assert get("pierule_outbox_largest_bytes") == 7
    home.remove(first.connection)
    home.remove(second.connection)
    home.measure()
    assert get("pierule_connections") == before
    assert get("pierule_outbox_largest_bytes") == 0

"""What the players of chaos do at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pierule
from chaos.players import Crowd, Table
from pierule_protocol.messages import Create, Ok


class Slow:
    """A client whose server takes its time to make a room."""

    def __init__(self) -> None:
        self._session = self
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.closed = False

    async def request(self, request: Create) -> Ok:
        self.asked.set()
        await self.answers.wait()
        if self.closed:
            raise pierule.ConnectionLost("this client was closed")
        return Ok(id=request.id, room="made")

    async def ping(self) -> None: ...


async def test_a_room_that_is_made_while_the_crowd_closes_is_exported() -> None:
    client = Slow()

    class Visiting(Crowd):
        @asynccontextmanager
        async def client(self, name: str, rng: Random) -> AsyncIterator[Any]:
            yield client
            client.closed = True

    crowd, close = Visiting([], 1, 0.0), asyncio.Event()
    table = asyncio.create_task(Table(crowd, 1).run(close))
    async with asyncio.timeout(60):
        await client.asked.wait()
        crowd.closing.set()
        close.set()
        for _ in range(10):
            await asyncio.sleep(0)
        client.answers.set()
        await table
    assert crowd.rooms == ["made"]
    assert crowd.failures == []

"""What the players of chaos do at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any, cast

import pytest

import pierule
from chaos.forge import Forge
from chaos.players import Crowd, Table
from pierule_protocol.messages import Create, Error, Ok


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


async def test_a_room_whose_maker_heard_of_it_too_late_is_exported() -> None:
    """The client had tried again, and this was refused."""

    class Refusing(Slow):
        async def request(self, request: Create) -> Ok:
            raise pierule.Refused(Error(id=request.id, code="full", text="no room"))

    crowd, world = Crowd([], 1, 0.0), Forge()
    crowd.journals.append(world.ada.journal)
    table, wanted = Table(crowd, 1), Create(id=0, nonce="n", game="loose", size=5)
    world.ada.ask(wanted, room="late")
    assert crowd.made() == []
    with pytest.raises(pierule.Refused):
        await table._make(cast("pierule.Client", Refusing()), wanted)
    assert crowd.made() == ["late"]

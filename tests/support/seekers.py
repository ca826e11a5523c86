"""Users who seek an opponent at two nodes, over a store whose time stands in the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import CancelSeek, Ok, Paired, Seek
from pierule_server.rooms.decisions.decide import Refused
from support.model_store import HeldClock, ModelStore
from support.nodes import Client, Node, running

ids = count(1)
TRIES = 1_000


@asynccontextmanager
async def two_lobbies() -> AsyncIterator[list[Node]]:
    async with running(2, ModelStore(HeldClock())) as made:
        for node in made:
            node.lobby.start()
        yield made


def come(node: Node, user: Any) -> Client:
    client = Client(user)
    node.lobby.enter(client.connection)
    return client


async def seek(node: Node, client: Client, nonce: str = "n", **wanted: Any) -> Ok:
    request = Seek(id=next(ids), nonce=nonce, **{"game": "loose", "size": 5, **wanted})
    return await node.ask_lobby(client.connection, client.user, request)


async def cancel_seek(node: Node, client: Client, nonce: str = "n") -> Ok:
    request = CancelSeek(id=next(ids), nonce=nonce)
    return await node.ask_lobby(client.connection, client.user, request)


async def code_of(work: Any) -> Code:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value.code


def told(client: Client) -> list[Paired]:
    return [message for message in client.received() if isinstance(message, Paired)]


async def wait_for(condition: Any) -> None:
    for _ in range(TRIES):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("in vain")

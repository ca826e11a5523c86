"""Fixtures for tests of the client against a scripted peer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias, TypeVar

import pytest

import pierule
from pierule import backoff
from pierule_protocol.messages import RoomState, Since
from support.scripted import Scripted, ScriptedConnection, scripted
from support.story import Story

T = TypeVar("T")

Session: TypeAlias = tuple[pierule.Client, ScriptedConnection]
Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "BASE", 0.01)


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> AsyncIterator[None]:
    yield
    left = {task.get_name() for task in asyncio.all_tasks()}
    assert not {name for name in left if name.startswith("pierule")}


@pytest.fixture
async def peer() -> AsyncIterator[Scripted]:
    async with scripted() as peer:
        yield peer


@pytest.fixture
def connect(peer: Scripted) -> Connect:
    """Connects a client to the peer; gives both ends."""

    @asynccontextmanager
    async def connect(**how: Any) -> AsyncIterator[Session]:
        greeting = asyncio.create_task(peer.greet(token="t1"))
        async with pierule.connect(peer.url, **{"name": "Ada", **how}) as client:
            yield client, await greeting

    return connect


async def enter(client: pierule.Client, line: ScriptedConnection, state: RoomState) -> pierule.Room:
    """Join the room of `state`."""
    joining = asyncio.create_task(client.join(state.room))
    await line.admit(state)
    return await joining


def since(story: Story) -> Since:
    place = story.room.place
    return Since(place.epoch, place.seq, place.chain)


async def collect(iterator: AsyncIterable[T]) -> list[T]:
    return [item async for item in iterator]

"""Requests that were refused for now, and what has them sent again before their time."""

import asyncio

import pytest

from client.conftest import Connect, enter, since
from pierule import pauses
from pierule_protocol.codes import Code
from pierule_protocol.messages import Error, Join, Leave, Notice, Ok, Ping, RoomsQuery
from support.scripted import Scripted, joined, soon
from support.story import Story


@pytest.fixture(autouse=True)
def _never_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first refusal passes at once, the second as good as never."""
    monkeypatch.setattr(pauses, "retry_delay", lambda attempt, _: 3_600 * attempt)


async def test_requests_are_sent_again_when_the_store_is_back(connect: Connect) -> None:
    async with connect() as (client, line):
        listing = asyncio.create_task(client.rooms())
        for _ in range(2):
            query = await line.expect(RoomsQuery)
            await line.send(Error(id=query.id, code=Code.UNAVAILABLE, text="later"))
        pinging = asyncio.create_task(client.ping())
        for _ in range(2):
            ping = await line.expect(Ping)
            await line.send(Error(id=ping.id, code=Code.INTERNAL, text="later"))
        await line.send(Notice(kind="store_away"), Notice(kind="store_back"))
        for _ in range(2):  # it counts anew
            query = await line.expect(RoomsQuery)
            await line.send(Error(id=query.id, code=Code.UNAVAILABLE, text="later"))
        await line.send(Notice(kind="store_back"))
        query = await line.expect(RoomsQuery)
        await line.send(Ok(id=query.id, rooms=[]))
        assert await soon(listing) == []
        assert not pinging.done()
        pinging.cancel()


async def test_requests_are_sent_again_on_a_new_connection(
    peer: Scripted, connect: Connect
) -> None:
    async with connect() as (client, first_line):
        pinging = asyncio.create_task(client.ping())
        ping = await first_line.expect(Ping)
        await first_line.send(Error(id=ping.id, code=Code.RATE, text="slow", retry_ms=3_600_000))
        first_line.cut()
        line = await peer.greet()
        ping = await line.expect(Ping)
        await line.send(Ok(id=ping.id, now=10**12))
        await soon(pinging)


async def test_a_room_is_joined_once_on_a_new_connection(peer: Scripted, connect: Connect) -> None:
    """However often joining it was refused on the one before, and also if it was not answered."""
    story = Story()
    async with connect() as (client, first_line):
        line = first_line
        await enter(client, line, story.state)
        for refusals in (2, 0):
            line.cut()
            line = await peer.greet()
            for _ in range(refusals):
                join = await line.expect(Join)
                await line.send(Error(id=join.id, code=Code.UNAVAILABLE, text="later"))
        join = await line.expect(Join)
        assert join.since == since(story)
        await line.send(joined(join, story.state, resumed=True))
        pinging = asyncio.create_task(client.ping())
        ping = await line.expect(Ping)
        await line.send(Ok(id=ping.id, now=10**12))
        await soon(pinging)


async def test_a_room_that_was_left_is_not_joined_again(connect: Connect) -> None:
    """Though it was to be, after a hole, when the store is back."""
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        _, beyond = story.act("komi:4", "black")
        await line.send(beyond)
        for _ in range(2):
            join = await line.expect(Join)
            await line.send(Error(id=join.id, code=Code.UNAVAILABLE, text="later"))
        leaving = asyncio.create_task(room.leave())
        leave = await line.expect(Leave)
        await line.send(Ok(id=leave.id, room=room.id), Notice(kind="store_back"))
        await soon(leaving)
        for _ in range(2):
            pinging = asyncio.create_task(client.ping())
            ping = await line.expect(Ping)
            await line.send(Ok(id=ping.id, now=10**12))
            await soon(pinging)

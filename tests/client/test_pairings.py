"""Rooms that come about when nothing waits for them any more (SPEC 23.4, 23.5)."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from client.conftest import Connect, enter
from pierule_protocol.messages import (
    CancelSeek,
    Card,
    Join,
    MyRoom,
    MyRoomsQuery,
    Ok,
    Paired,
    Ping,
    Seek,
    StandIn,
)
from support.scripted import ScriptedConnection, soon
from support.story import Story


def _mine(room: str) -> MyRoom:
    card = Card(
        room=room, game="loose", size=9, status="running", names=("Ada", "Bo"), turn=0, at=1
    )
    return MyRoom(card=card, seats=[0], to_act=0)


async def _answer_mine(line: ScriptedConnection, *rooms: str) -> None:
    query = await line.expect(MyRoomsQuery)
    await line.send(Ok(id=query.id, my_rooms=[_mine(room) for room in rooms]))


async def _no_more_is_asked(client: pierule.Client, line: ScriptedConnection) -> None:
    pinging = asyncio.create_task(client.ping())
    ping = await line.expect(Ping)
    await line.send(Ok(id=ping.id, now=1))
    await soon(pinging)


async def test_an_unexpected_pairing_is_reported_once(connect: Connect) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    async with connect(on_paired=told.put_nowait) as (client, line):
        for room in ("first", "second"):
            for _ in range(2):
                await line.send(Paired(nonce="old", room=room, seat=0))
                await _answer_mine(line, room)
        assert [await soon(told.get()) for _ in range(2)] == ["first", "second"]
        await _no_more_is_asked(client, line)
        assert told.empty()


async def test_a_finished_or_followed_room_is_not_reported(connect: Connect) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    async with connect(on_paired=told.put_nowait) as (client, line):
        await line.send(Paired(nonce="old", room="isover", seat=0))
        await _answer_mine(line)
        state = Story().state
        await enter(client, line, state)
        await line.send(Paired(nonce="old", room=state.room, seat=0))
        await _no_more_is_asked(client, line)
        assert told.empty()


async def test_a_seek_withdrawn_too_late_reports_its_pairing(connect: Connect) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    async with connect(on_paired=told.put_nowait) as (client, line):
        seeking = asyncio.create_task(client.seek("loose"))
        seek = await line.expect(Seek)
        await line.send(Ok(id=seek.id))
        await _no_more_is_asked(client, line)
        seeking.cancel()
        cancel_seek = await line.expect(CancelSeek)
        assert cancel_seek.nonce == seek.nonce
        await line.send(Ok(id=cancel_seek.id, room="kobadimu"))
        await _answer_mine(line, "kobadimu")
        with pytest.raises(asyncio.CancelledError):
            await soon(seeking)
        assert await soon(told.get()) == "kobadimu"


async def test_a_seek_cancelled_while_joining_reports_its_pairing(connect: Connect) -> None:
    """The user plays there, and would learn of it from nobody else."""
    told: asyncio.Queue[str] = asyncio.Queue()
    async with connect(on_paired=told.put_nowait) as (client, line):
        seeking = asyncio.create_task(client.seek("loose"))
        seek = await line.expect(Seek)
        await line.send(Ok(id=seek.id, room="kobadimu"))
        await line.expect(Join)
        seeking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await soon(seeking)
        assert await soon(told.get()) == "kobadimu"


async def test_an_unanswered_seek_is_withdrawn(connect: Connect) -> None:
    async with connect(timeout=0.1) as (client, line):
        seeking = asyncio.create_task(client.seek("loose"))
        seek = await line.expect(Seek)
        cancel_seek = await line.expect(CancelSeek)
        assert cancel_seek.nonce == seek.nonce
        await line.send(Ok(id=cancel_seek.id))
        with pytest.raises(pierule.TimedOut):
            await soon(seeking)


async def test_a_house_bot_stands_in_on_every_connection(connect: Connect) -> None:
    """With one nonce, as a seek does; cancelled, it is withdrawn."""
    async with connect() as (client, line):
        standing = asyncio.create_task(client.stand_in("search"))
        first = await line.expect(StandIn)
        assert first.bot_level == "search"
        await line.send(Ok(id=first.id))
        await _no_more_is_asked(client, line)
        standing.cancel()
        cancel_seek = await line.expect(CancelSeek)
        assert cancel_seek.nonce == first.nonce
        await line.send(Ok(id=cancel_seek.id))
        with pytest.raises(asyncio.CancelledError):
            await soon(standing)

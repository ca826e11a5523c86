"""What is said in a room, as a program hears it."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from client.conftest import Connect, enter
from pierule.talk import HEARD, Hearing, Spoken, Talk
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Channel,
    Chat,
    Error,
    Line,
    LinesQuery,
    Notice,
    Ok,
    ReportLine,
    Say,
    Shun,
    Shunned,
)
from support.scripted import soon
from support.story import Story


def line(seq: int, text: str | None = None) -> Line:
    return Line(seq=seq, at=seq, user="eve", name="Eve", text=text or f"line {seq}")


def chat(*seqs: int, channel: Channel = "players") -> Chat:
    return Chat(room="kobadimu", channel=channel, lines=[line(seq) for seq in seqs])


async def given(hearing: Hearing, number: int) -> list[tuple[str, int]]:
    found = [await soon(anext(hearing)) for _ in range(number)]
    return [(spoken.channel, spoken.line.seq) for spoken in found]


async def test_lines_are_heard_once_and_in_order(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        hearing = room.chat()
        await server.send(chat(7, 8), chat(8, 9), chat(1, channel="spectators"), chat(2, 3))
        assert await given(hearing, 4) == [
            ("players", 7), ("players", 8), ("players", 9), ("spectators", 1),
        ]  # fmt: skip
        assert await given(room.chat(), 4) == await given(room.chat(), 4)  # whoever begins later


async def test_what_is_missing_is_asked_for(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        hearing = room.chat()
        await server.send(chat(1), chat(4))
        query = await server.expect(LinesQuery)
        assert (query.channel, query.first) == ("players", 2)
        await server.send(Ok(id=query.id, lines=[line(2), line(3)]))
        query = await server.expect(LinesQuery)
        assert query.first == 4
        await server.send(Ok(id=query.id, lines=[line(4), line(5)]))
        query = await server.expect(LinesQuery)
        await server.send(Ok(id=query.id, lines=[]))
        assert await given(hearing, 5) == [("players", seq) for seq in range(1, 6)]


async def test_what_the_server_has_forgotten_is_not_waited_for(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        await server.send(chat(1), chat(400))
        query = await server.expect(LinesQuery)
        await server.send(Ok(id=query.id, lines=[line(201)]))
        query = await server.expect(LinesQuery)
        assert query.first == 202
        await server.send(Ok(id=query.id, lines=[]))
        assert await given(room.chat(), 2) == [("players", 1), ("players", 201)]


async def test_a_channel_that_is_apart_now_breaks_nothing(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        await server.send(chat(1), chat(3))
        query = await server.expect(LinesQuery)
        await server.send(Error(id=query.id, code=Code.APART, text="apart"))
        await server.send(chat(1, channel="spectators"))
        assert await given(room.chat(), 2) == [("players", 1), ("spectators", 1)]


async def test_it_ends_when_the_room_is_left_and_not_before(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, server):
        room = await enter(client, server, story.state)
        hearing = room.chat()
        await server.send(story.resign(0), chat(1))
        assert await given(hearing, 1) == [("players", 1)]
        leaving = asyncio.create_task(room.leave())
        leave = await server.receive()
        await server.send(Ok(id=leave.id, room=room.id))
        await soon(leaving)
        with pytest.raises(StopAsyncIteration):
            await soon(anext(hearing))


async def test_say_report_and_shun(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        saying = asyncio.create_task(room.say("hello"))
        say = await server.expect(Say)
        assert (say.room, say.text) == ("kobadimu", "hello")
        await server.send(Ok(id=say.id, room=say.room, channel="players", lines=[line(1, "hello")]))
        assert (await soon(saying)).seq == 1
        reporting = asyncio.create_task(room.report(Spoken("spectators", line(7)), "rude"))
        report = await server.expect(ReportLine)
        assert (report.channel, report.seq, report.text) == ("spectators", 7, "rude")
        await server.send(Ok(id=report.id, room=report.room))
        await soon(reporting)
        shunning = asyncio.create_task(client.shun("eve", "block"))
        shun = await server.expect(Shun)
        assert (shun.user, shun.how) == ("eve", "block")
        await server.send(Ok(id=shun.id, shunned=[Shunned("eve", "block")]))
        assert await soon(shunning) == {"eve": "block"}


async def test_what_operators_announce(connect: Connect) -> None:
    told: asyncio.Queue[tuple[str, int | None]] = asyncio.Queue()
    async with connect(on_announcement=lambda *news: told.put_nowait(news)) as (_, server):
        await server.send(Notice(kind="announcement", text="soon", at=7))
        assert await soon(told.get()) == ("soon", 7)
        await server.send(Notice(kind="announcement", text="now"))
        assert await soon(told.get()) == ("now", None)
        await server.send(Notice(kind="webhook_off"))
        assert "webhook" in (await soon(told.get()))[0]


async def test_an_iterator_that_is_too_slow_goes_on_with_what_is_kept() -> None:
    """Law 10."""
    talk = Talk()
    hearing = Hearing(talk)
    talk.take("players", [line(seq) for seq in range(1, HEARD + 11)])
    assert (await anext(hearing)).line.seq == 11
    talk.end(pierule.ConnectionLost("gone"))
    for _ in range(HEARD - 1):
        await anext(hearing)
    with pytest.raises(pierule.ConnectionLost):
        await anext(hearing)

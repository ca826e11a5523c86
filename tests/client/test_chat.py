"""What is said in a room, as a program hears it."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from client.conftest import Connect, enter
from pierule.chat import HEARD, ChatEntry, ChatHistory, ChatStream
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Block,
    BlockListEntry,
    Channel,
    Chat,
    ChatHistoryQuery,
    ChatMessage,
    Error,
    Notice,
    Ok,
    ReportMessage,
    Say,
)
from support.scripted import soon
from support.story import Story


def line(seq: int, text: str | None = None) -> ChatMessage:
    return ChatMessage(seq=seq, at=seq, user="eve", name="Eve", text=text or f"line {seq}")


def chat(*seqs: int, channel: Channel = "players") -> Chat:
    return Chat(room="kobadimu", channel=channel, messages=[line(seq) for seq in seqs])


async def given(hearing: ChatStream, number: int) -> list[tuple[str, int]]:
    found = [await soon(anext(hearing)) for _ in range(number)]
    return [(spoken.channel, spoken.message.seq) for spoken in found]


async def test_chat_messages_arrive_once_and_in_order(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        hearing = room.chat()
        await server.send(chat(7, 8), chat(8, 9), chat(1, channel="spectators"), chat(2, 3))
        assert await given(hearing, 4) == [
            ("players", 7), ("players", 8), ("players", 9), ("spectators", 1),
        ]  # fmt: skip
        assert await given(room.chat(), 4) == await given(room.chat(), 4)  # whoever begins later


async def test_missing_messages_are_requested(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        hearing = room.chat()
        await server.send(chat(1), chat(4))
        query = await server.expect(ChatHistoryQuery)
        assert (query.channel, query.first) == ("players", 2)
        await server.send(Ok(id=query.id, messages=[line(2), line(3)]))
        query = await server.expect(ChatHistoryQuery)
        assert query.first == 4
        await server.send(Ok(id=query.id, messages=[line(4), line(5)]))
        query = await server.expect(ChatHistoryQuery)
        await server.send(Ok(id=query.id, messages=[]))
        assert await given(hearing, 5) == [("players", seq) for seq in range(1, 6)]


async def test_messages_that_the_server_dropped_are_skipped(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        await server.send(chat(1), chat(400))
        query = await server.expect(ChatHistoryQuery)
        await server.send(Ok(id=query.id, messages=[line(201)]))
        query = await server.expect(ChatHistoryQuery)
        assert query.first == 202
        await server.send(Ok(id=query.id, messages=[]))
        assert await given(room.chat(), 2) == [("players", 1), ("players", 201)]


async def test_a_refused_history_does_not_stop_other_channels(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        await server.send(chat(1), chat(3))
        query = await server.expect(ChatHistoryQuery)
        await server.send(Error(id=query.id, code=Code.WRONG_CHANNEL, text="wrong_channel"))
        await server.send(chat(1, channel="spectators"))
        assert await given(room.chat(), 2) == [("players", 1), ("spectators", 1)]


async def test_the_chat_ends_when_the_room_is_left(connect: Connect) -> None:
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


async def test_a_user_can_say_report_and_block(connect: Connect) -> None:
    async with connect() as (client, server):
        room = await enter(client, server, Story().state)
        saying = asyncio.create_task(room.say("hello"))
        say = await server.expect(Say)
        assert (say.room, say.text) == ("kobadimu", "hello")
        await server.send(
            Ok(id=say.id, room=say.room, channel="players", messages=[line(1, "hello")])
        )
        assert (await soon(saying)).seq == 1
        reporting = asyncio.create_task(room.report(ChatEntry("spectators", line(7)), "rude"))
        report = await server.expect(ReportMessage)
        assert (report.channel, report.seq, report.text) == ("spectators", 7, "rude")
        await server.send(Ok(id=report.id, room=report.room))
        await soon(reporting)
        blocking = asyncio.create_task(client.block("eve", "block"))
        asked = await server.expect(Block)
        assert (asked.user, asked.level) == ("eve", "block")
        await server.send(Ok(id=asked.id, block_list=[BlockListEntry("eve", "block")]))
        assert await soon(blocking) == {"eve": "block"}


async def test_announcements_reach_the_listener(connect: Connect) -> None:
    told: asyncio.Queue[tuple[str, int | None]] = asyncio.Queue()
    async with connect(on_announcement=lambda *news: told.put_nowait(news)) as (_, server):
        await server.send(Notice(kind="announcement", text="soon", at=7))
        assert await soon(told.get()) == ("soon", 7)
        await server.send(Notice(kind="announcement", text="now"))
        assert await soon(told.get()) == ("now", None)
        await server.send(Notice(kind="webhook_off"))
        assert "webhook" in (await soon(told.get()))[0]
        later = round(world.wall() * 1_000) + 3_600_000
        await server.send(Notice(kind="rated_from", at=1))  # That was before.
        await server.send(Notice(kind="rated_from", at=later))
        text, at = await soon(told.get())
        assert (text.partition(";")[0], at) == ("you left too many rated games", later)


async def test_a_slow_iterator_goes_on_with_the_kept_messages() -> None:
    """Law 10."""
    talk = ChatHistory()
    hearing = ChatStream(talk)
    talk.take("players", [line(seq) for seq in range(1, HEARD + 11)])
    assert (await anext(hearing)).message.seq == 11
    talk.end(pierule.ConnectionLost("gone"))
    for _ in range(HEARD - 1):
        await anext(hearing)
    with pytest.raises(pierule.ConnectionLost):
        await anext(hearing)

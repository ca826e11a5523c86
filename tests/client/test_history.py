"""What was, as a client asks for it."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from client.conftest import Connect
from pierule_protocol.messages import LineQuestion, Ok, ReceiptQuery, ReplayQuery
from pierule_server.rooms.replay import replay
from support.scripted import soon
from support.signing import receipt_of
from support.story import Story

ACTIONS = ["komi:12", "black", "b4"]


async def test_positions_of_a_replay_are_requested_in_parts(connect: Connect) -> None:
    async with connect() as (client, line):
        asked = asyncio.create_task(client.replay("loose", ACTIONS, 5))
        whole = replay(ReplayQuery(id=0, game="loose", size=5, actions=ACTIONS))
        for first, last in ((0, 2), (2, 3)):
            query = await line.expect(ReplayQuery)
            assert (query.actions, query.first) == (ACTIONS, first)
            part = replay(ReplayQuery(id=0, game="loose", size=5, actions=ACTIONS[:last],
                                      first=first))  # fmt: skip
            await line.send(Ok(id=query.id, replay=part))
        positions = await soon(asked)
        assert [positions[0], len(positions)] == [whole.position, 4]
        end = ReplayQuery(id=0, game="loose", size=5, actions=ACTIONS, first=3)
        assert positions[-1] == replay(end).position


async def test_missing_positions_of_a_replay_are_a_bad_reply(connect: Connect) -> None:
    async with connect() as (client, line):
        asked = asyncio.create_task(client.replay("loose", ACTIONS, 5))
        query = await line.expect(ReplayQuery)
        none = replay(ReplayQuery(id=0, game="loose", size=5, actions=[]))
        await line.send(Ok(id=query.id, replay=none))
        with pytest.raises(pierule.BadReply):
            await soon(asked)


async def test_legal_actions_after_a_line_are_requested(connect: Connect) -> None:
    async with connect() as (client, line):
        asked = asyncio.create_task(client.legal_after("loose", ACTIONS, 5, points=["b4"]))
        query = await line.expect(ReplayQuery)
        assert query.legal == LineQuestion(points=["b4"])
        await line.send(Ok(id=query.id, replay=replay(query)))
        legal = await soon(asked)
        assert legal.refusal is not None
        assert (legal.turn, legal.total, legal.refusal.rule) == (3, 0, "occupied")
        asked = asyncio.create_task(client.legal_after("loose", ACTIONS, 5))
        query = await line.expect(ReplayQuery)
        without = replay(ReplayQuery(id=0, game="loose", size=5, actions=ACTIONS))
        await line.send(Ok(id=query.id, replay=without))
        with pytest.raises(pierule.BadReply):
            await soon(asked)


async def test_a_receipt_of_a_room_is_requested(connect: Connect) -> None:
    given = receipt_of("kobadimu", Story().log)
    async with connect() as (client, line):
        asked = asyncio.create_task(client.receipt("kobadimu", given.seq))
        query = await line.expect(ReceiptQuery)
        assert (query.room, query.seq) == ("kobadimu", given.seq)
        await line.send(Ok(id=query.id, room="kobadimu", receipt=given))
        assert await soon(asked) == given
        asked = asyncio.create_task(client.receipt("kobadimu"))
        query = await line.expect(ReceiptQuery)
        assert query.seq is None
        await line.send(Ok(id=query.id, room="kobadimu"))
        with pytest.raises(pierule.BadReply):
            await soon(asked)

"""Rooms with clocks: the server's time, and what is left of it."""

import asyncio

import pytest

import pierule
from client.conftest import Connect, enter
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Act,
    Create,
    Error,
    Join,
    Ok,
    Ping,
)
from support.scripted import Scripted, ScriptedConnection, joined, soon
from support.story import Story

CODECS = pytest.mark.parametrize("codec", ["msgpack", "json"])


async def test_a_room_without_clocks_does_not_measure_the_time(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        assert (room.time_left(0), room.time_left(1, 5)) == (None, None)
        creating = asyncio.create_task(client.create("loose"))
        create = await line.expect(Create)  # and no ping before
        await line.send(Error(id=create.id, code=Code.LIMIT, text="no"))
        with pytest.raises(pierule.Refused):
            await soon(creating)


async def enter_clocked(
    client: pierule.Client, line: ScriptedConnection, story: Story, now: int
) -> pierule.Room:
    """Join a room with clocks, which asks for the time."""
    joining = asyncio.create_task(client.join(story.room.id))
    await line.admit(story.state)
    ping = await line.expect(Ping)
    await line.send(Ok(id=ping.id, now=now))
    return await soon(joining)


async def test_the_time_left_is_computed_by_the_servers_clock(connect: Connect) -> None:
    story = Story(clock=pierule.Fischer(main=60, increment=2))
    story.act("komi:4", after=10_000)
    now = story.room.at + 5_000
    async with connect() as (client, line):
        room = await enter_clocked(client, line, story, now)
        assert now <= client.server_time() < now + 5_000
        left = room.time_left(1)
        assert left is not None
        assert 50_000 < left.main <= 55_000
        assert (left.periods, left.period) == (0, 0)
        assert room.time_left(0) == pierule.Left(52_000, 0, 0)
        assert room.time_left(1, now) == pierule.Left(55_000, 0, 0)
        assert room.time_left(1, now + 10**6) == pierule.Left(0, 0, 0)
        assert room.time_left(1, 0) == pierule.Left(60_000, 0, 0)


async def test_the_clock_is_measured_at_once_after_a_reconnect(
    peer: Scripted, connect: Connect
) -> None:
    story = Story(clock=pierule.Turnwise(time=10))
    async with connect() as (client, first_line):
        room = await enter_clocked(client, first_line, story, story.room.at)
        first_line.cut()
        line = await peer.greet()
        requests = [await line.receive() for _ in range(2)]
        [join] = [each for each in requests if isinstance(each, Join)]
        [ping] = [each for each in requests if isinstance(each, Ping)]
        await line.send(joined(join, story.state, resumed=True))
        await line.send(Ok(id=ping.id, now=story.room.at + 9_000))
        async with asyncio.timeout(60):
            while client.server_time() < story.room.at + 9_000:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        left = room.time_left(0)
        assert left is not None
        assert left.period <= 1_000


async def test_a_room_is_made_with_a_clock(connect: Connect) -> None:
    async with connect() as (client, line):
        for clock in ("10m+3x30s", pierule.Byoyomi(main=600, periods=3, period=30)):
            creating = asyncio.create_task(client.create("loose", clock=clock))
            create = await line.expect(Create)
            assert isinstance(create.clock, pierule.Byoyomi)
            assert (create.clock.main, create.clock.periods, create.clock.period) == (600, 3, 30)
            await line.send(Error(id=create.id, code=Code.LIMIT, text="no"))
            with pytest.raises(pierule.Refused):
                await soon(creating)
        with pytest.raises(pierule.BadClock, match="'soon' is not a clock"):
            await client.create("loose", clock="soon")


async def test_a_late_action_tells_by_how_much(connect: Connect) -> None:
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)
        acting = asyncio.create_task(room.act("komi:4"))
        act = await line.expect(Act)
        await line.send(Error(id=act.id, code=Code.FLAGGED, text="late", late=12))
        with pytest.raises(pierule.Refused) as refused:
            await soon(acting)
        assert (refused.value.code, refused.value.late) == ("flagged", 12)

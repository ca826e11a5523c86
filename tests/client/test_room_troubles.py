"""Rooms when something goes wrong: what is sent again, mended, reported, given up."""

import asyncio

import msgspec
import pytest

import pierule
from client.conftest import Connect, collect, enter, since
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Renewed
from pierule_protocol.messages import (
    Act,
    BoardMismatch,
    Error,
    Join,
    Leave,
    Notice,
    Ok,
    ProvenPlace,
    Resign,
    Snapshot,
)
from support.scripted import Scripted, joined, soon
from support.story import Story

CODECS = pytest.mark.parametrize("codec", ["msgpack", "json"])


@pytest.mark.parametrize("kept", [True, False])
async def test_an_action_in_flight_is_sent_again(
    peer: Scripted, connect: Connect, kept: bool
) -> None:
    """The connection is cut after the server has kept the action, or before."""
    story = Story()
    async with connect() as (client, first_line):
        room = await enter(client, first_line, story.state)
        before = since(story)
        acting = asyncio.create_task(room.act("komi:4"))
        act = await first_line.expect(Act)
        if kept:
            story.act("komi:4")
        first_line.cut()
        line = await peer.greet()
        requests = [await line.receive(), await line.receive()]
        (again,) = (request for request in requests if isinstance(request, Act))
        (join,) = (request for request in requests if isinstance(request, Join))
        assert again == act
        assert (join.since, join.seat) == (before, None)
        if not kept:
            story.act("komi:4")
        await line.send(Ok(id=again.id, place=ProvenPlace.of(story.room.place), turn=1))
        await line.send(joined(join, story.state, resumed=True), story.events[-1])
        assert await soon(acting) == story.state


async def test_a_resignation_in_flight_keeps_its_nonce(peer: Scripted, connect: Connect) -> None:
    story = Story()
    async with connect() as (client, first_line):
        room = await enter(client, first_line, story.state)
        resigning = asyncio.create_task(room.resign(0))
        resign = await first_line.expect(Resign)
        assert resign.seat == 0
        first_line.cut()
        line = await peer.greet()
        requests = [await line.receive(), await line.receive()]
        assert resign in requests
        story.resign(0)
        (join,) = (request for request in requests if isinstance(request, Join))
        await line.send(Snapshot(state=story.state), joined(join, story.state))
        await line.send(Ok(id=resign.id, place=ProvenPlace.of(story.room.place), turn=0))
        assert (await soon(resigning)).result == pierule.Result(1, "resigned")


async def test_a_room_fills_a_hole_by_joining_again(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        await asyncio.sleep(0)
        before = since(story)
        one, two, three, four = story.act("komi:4", "black", "c3", "a1")
        await line.send(two, three)
        join = await line.expect(Join)
        assert join.since == before
        await line.send(joined(join, story.state, resumed=True), one, two, three, four)
        await line.send(story.resign(0))
        assert await soon(reading) == story.states[1:]


async def test_a_join_that_was_refused_is_sent_again_from_the_place_known_by_then(
    connect: Connect,
) -> None:
    """SPEC 7. Otherwise it would name a place that the room has left behind, perhaps in a past that
    the store has lost."""
    story = Story()
    async with connect() as (client, line):
        await enter(client, line, story.state)
        before = since(story)
        missed, beyond = story.act("komi:4", "black")
        await line.send(beyond)
        join = await line.expect(Join)
        assert join.since == before
        await line.send(Error(id=join.id, code=Code.RATE, text="slowly", retry_ms=10))
        await line.send(missed, beyond)
        again = await line.expect(Join)
        assert again.since == since(story)
        await line.send(joined(again, story.state, resumed=True))


async def test_a_turn_is_given_again_if_the_store_loses_what_made_its_action_stale(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 6.9. The room's other iterators get nothing: its state has not changed."""
    monkeypatch.setattr("pierule.session.STALE", 0.01)
    story, elsewhere = Story(), Story()
    elsewhere.act("komi:4")
    later = ProvenPlace.of(elsewhere.room.place)
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        turns, states = room.turns(), aiter(room)
        assert await anext(turns) is await anext(states)
        for times in (1, 2):
            acting = asyncio.create_task(room.act("komi:4"))
            act = await line.expect(Act)
            again = asyncio.create_task(anext(turns))
            stale = Error(id=act.id, code=Code.STALE, text="too late", place=later, turn=1)
            await line.send(stale)
            with pytest.raises(pierule.Refused):
                await soon(acting)
            join = await line.expect(Join)
            assert not again.done(), times
            await line.send(joined(join, story.state, resumed=True))
            assert await soon(again) == story.state
        await line.send(story.resign(0))
        assert (await soon(anext(states))).status == "over"


async def test_a_fork_is_mended_by_a_snapshot(connect: Connect) -> None:
    story = Story()
    other = story.fork()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        await line.send(*story.act("komi:4"))
        other.add(Renewed())
        await line.send(other.events[-1])
        join = await line.expect(Join)
        assert join.since is None
        updates = room.updates()
        assert (await soon(anext(updates))).state == story.state
        await line.send(joined(join, other.state), Snapshot(state=other.state))
        update = await soon(anext(updates))
        assert (update.state, update.event) == (other.state, None)


async def test_a_mismatch_is_mended_and_a_second_one_reported(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        (event,) = story.act("komi:4")
        await line.send(msgspec.structs.replace(event, digest=0))
        report = await line.expect(BoardMismatch)
        assert (report.room, report.epoch, report.seq) == ("kobadimu", event.epoch, event.seq)
        assert report.problem == "mismatch"
        join = await line.admit(story.state)
        assert join.since is None
        (event,) = story.act("black")
        await line.send(msgspec.structs.replace(event, digest=0))
        assert (await line.expect(BoardMismatch)).problem == "desync"
        leave = await line.expect(Leave)
        await line.send(Ok(id=leave.id, room="kobadimu"))
        with pytest.raises(pierule.Desync, match="right after a snapshot") as desync:
            await soon(reading)
        assert desync.value.room == "kobadimu"
        with pytest.raises(pierule.Desync):
            await room.act("c3")
        again = await enter(client, line, story.state)
        assert again.state == story.state


async def test_a_wrong_snapshot_is_reported(connect: Connect) -> None:
    state = msgspec.structs.replace(Story().state, digest=0)
    async with connect() as (client, line):
        joining = asyncio.create_task(client.join("kobadimu"))
        await line.admit(state)
        with pytest.raises(pierule.Desync):
            await soon(joining)
        assert (await line.expect(BoardMismatch)).problem == "desync"
        await line.expect(Leave)


async def test_rooms_are_joined_again_after_a_reconnect(peer: Scripted, connect: Connect) -> None:
    one, two = Story(room="one"), Story(room="two")
    async with connect() as (client, first_line):
        rooms = [await enter(client, first_line, story.state) for story in (one, two)]
        readings = [asyncio.create_task(collect(room)) for room in rooms]
        await asyncio.sleep(0)
        places = {"one": since(one), "two": since(two)}
        one.act("komi:4")
        two.act("komi:8")
        first_line.cut()
        line = await peer.greet()
        for _ in range(2):
            join = await line.expect(Join)
            story = one if join.room == "one" else two
            assert join.since == places[join.room]
            await line.send(joined(join, story.state, resumed=True), story.events[-1])
        await line.send(one.resign(0), two.resign(0))
        assert await soon(readings[0]) == one.states[1:]
        assert await soon(readings[1]) == two.states[1:]


async def test_a_room_that_is_gone_after_a_reconnect_is_reported(
    peer: Scripted, connect: Connect
) -> None:
    async with connect() as (client, first_line):
        room = await enter(client, first_line, Story().state)
        first_line.cut()
        line = await peer.greet()
        join = await line.expect(Join)
        await line.send(Error(id=join.id, code=Code.UNAVAILABLE, text="later"))
        join = await line.expect(Join)
        await line.send(Error(id=join.id, code=Code.UNKNOWN_ROOM, text="gone"))
        with pytest.raises(pierule.Refused, match="unknown_room"):
            await soon(collect(room))


@pytest.mark.parametrize(
    ("text", "code"), [(None, Code.UNKNOWN_ROOM), ("its log may be damaged", Code.DAMAGED)]
)
async def test_a_room_that_is_set_aside_is_told_from_one_that_is_gone(
    connect: Connect, text: str | None, code: Code
) -> None:
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)
        await line.send(Notice(kind="room_gone", room=room.id, text=text))
        with pytest.raises(pierule.Refused, match=code):
            await soon(collect(room))

"""Rooms: following, iterating, acting, catching up."""

import asyncio
from collections.abc import AsyncIterable
from typing import TypeVar

import msgspec
import pytest

import pierule
from client.conftest import Connect, enter
from pierule import feed
from pierule_protocol.codes import Code
from pierule_protocol.events import Renewed
from pierule_protocol.messages import (
    Act,
    Create,
    Error,
    Join,
    Leave,
    Legal,
    LegalQuery,
    LogQuery,
    Ok,
    Ping,
    Presence,
    Report,
    Resign,
    Since,
    Snapshot,
)
from support.scripted import Line, Scripted, joined, soon
from support.story import Story

T = TypeVar("T")
CODECS = pytest.mark.parametrize("codec", ["msgpack", "json"])


def since(story: Story) -> Since:
    place = story.room.place
    return Since(place.epoch, place.seq, place.chain)


@CODECS
async def test_create_follows_the_room(connect: Connect, codec: str) -> None:
    story = Story()
    async with connect(codec=codec) as (client, line):
        creating = asyncio.create_task(client.create("loose", size=5, seat=0))
        create = await line.expect(Create)
        assert (create.game, create.size, create.seat) == ("loose", 5, 0)
        await line.send(Ok(id=create.id, room="kobadimu", seats=[0]))
        join = await line.admit(story.state)
        assert (join.room, join.seat, join.nonce, join.since) == ("kobadimu", None, None, None)
        room = await soon(creating)
        assert (room.id, room.state, room.seats) == ("kobadimu", story.state, [0])
        assert (room.position, room.to_act, room.my_turn) == (story.state.position, 0, True)
        assert (room.over, room.result, room.presence) == (False, None, None)
        assert "kobadimu: loose, running, turn 0" in repr(room)


async def test_join_with_a_seat_waits_until_it_shows(connect: Connect) -> None:
    story = Story()
    empty, (seated,) = story.states[0], story.events
    async with connect() as (client, line):
        joining = asyncio.create_task(client.join("kobadimu", seat="any"))
        join = await line.expect(Join)
        assert join.seat == "any"
        assert join.nonce is not None
        await line.send(joined(join, story.state), Snapshot(state=empty))
        done, _ = await asyncio.wait({joining}, timeout=0.05)
        assert not done
        await line.send(seated)
        assert (await soon(joining)).state == story.state


async def test_join_refused(connect: Connect) -> None:
    async with connect() as (client, line):
        joining = asyncio.create_task(client.join("nowhere"))
        join = await line.expect(Join)
        await line.send(Error(id=join.id, code=Code.UNKNOWN_ROOM, text="no such room"))
        with pytest.raises(pierule.Refused, match="unknown_room"):
            await soon(joining)
        await enter(client, line, Story(room="nowhere").state)


async def test_two_joins_at_once_share_the_room(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        seating = asyncio.create_task(client.join("kobadimu", seat=1))
        looking = asyncio.create_task(client.join("kobadimu"))
        first, second = await line.expect(Join), await line.expect(Join)
        assert (first.seat, second.seat) == (1, None)
        await line.send(Error(id=first.id, code=Code.SEAT_TAKEN, text="taken"))
        with pytest.raises(pierule.Refused):
            await soon(seating)
        await line.send(joined(second, story.state), Snapshot(state=story.state))
        assert (await soon(looking)).state == story.state


async def test_joining_again_goes_on_from_where_one_is(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        joining = asyncio.create_task(client.join("kobadimu", seat=1))
        join = await line.expect(Join)
        assert join.since == since(story)
        await line.send(Error(id=join.id, code=Code.SEAT_TAKEN, text="taken"))
        with pytest.raises(pierule.Refused):
            await soon(joining)
        await line.send(*story.act("komi:4"))
        states = aiter(room)
        assert (await soon(anext(states))).turn in (0, 1)
        assert (await enter(client, line, story.state)).state == room.state


@CODECS
async def test_states_come_once_each_and_in_order(connect: Connect, codec: str) -> None:
    story = Story()
    async with connect(codec=codec) as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        updating = asyncio.create_task(collect(room.updates()))
        await asyncio.sleep(0)
        events = [*story.act("komi:4", "black", "c3"), story.resign(1)]
        for event in events:
            await line.send(event, event)
        assert await soon(reading) == story.states[1:]
        updates = await soon(updating)
        assert [update.state for update in updates] == story.states[1:]
        assert [update.event for update in updates] == [None, *events]
        assert updates[0].record is None
        assert updates[1].record == pierule.Acted(seat=0, action="komi:4")
        assert (room.over, room.to_act, room.my_turn) == (True, None, False)
        assert room.result == pierule.Result(0, "resigned")
        assert await soon(collect(room)) == [story.state]
        assert await soon(collect(room.turns())) == []


async def collect(iterator: AsyncIterable[T]) -> list[T]:
    return [item async for item in iterator]


def test_a_record_of_a_new_kind_is_none() -> None:
    story = Story()
    (event,) = story.act("komi:4")
    unknown = msgspec.structs.replace(event, record='{"kind":"danced"}')
    assert pierule.Update(story.state, unknown).record is None


async def test_an_iterator_far_behind_skips_to_the_newest(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "BEHIND", 3)
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        slow, quick = room.updates(), room.updates()
        for event in story.act("komi:4", "black", "c3", "a1"):
            await line.send(event)
            while (await soon(anext(quick))).event != event:
                pass
        (skipped, last) = (await anext(slow), await anext(slow))
        assert (skipped.event, skipped.state.turn) == (None, 3)
        assert (last.event, last.state.turn) == (story.events[-1], 4)


async def test_presence_is_kept(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        presence = Presence(room="kobadimu", players=(True, False), spectators=3)
        elsewhere = Presence(room="elsewhere", players=(True, True), spectators=0)
        await line.send(presence, elsewhere)
        legal = asyncio.create_task(room.legal("c"))
        query = await line.expect(LegalQuery)
        assert (query.room, query.prefix) == ("kobadimu", "c")
        answer = Legal(turn=0, total=1, actions=["c3"])
        await line.send(Ok(id=query.id, legal=answer))
        assert await soon(legal) == answer
        assert room.presence == presence


@CODECS
@pytest.mark.parametrize("ok_first", [True, False])
async def test_ok_and_event_in_either_order(connect: Connect, codec: str, ok_first: bool) -> None:
    story = Story()
    async with connect(codec=codec) as (client, line):
        room = await enter(client, line, story.state)
        acting = asyncio.create_task(room.act("komi:4"))
        act = await line.expect(Act)
        assert (act.room, act.turn, act.action) == ("kobadimu", 0, "komi:4")
        (event,) = story.act("komi:4")
        ok = Ok(id=act.id, room="kobadimu", place=story.room.place, turn=1)
        await line.send(*((ok, event) if ok_first else (event, ok)))
        assert await soon(acting) == story.state == room.state


async def test_act_refused(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        acting = asyncio.create_task(room.act("komi:5", turn=7))
        act = await line.expect(Act)
        assert act.turn == 7
        await line.send(
            Error(
                id=act.id,
                code=Code.ILLEGAL,
                text="no",
                rule="no_liberty",
                points=["c3"],
                place=story.room.place,
                turn=0,
            )
        )
        with pytest.raises(pierule.Refused, match="illegal: no") as refused:
            await soon(acting)
        error = refused.value
        assert (error.code, error.rule, error.points) == (Code.ILLEGAL, "no_liberty", ["c3"])
        assert (error.place, error.turn, error.field) == (story.room.place, 0, None)


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
        await line.send(Ok(id=again.id, place=story.room.place, turn=1))
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
        await line.send(Ok(id=resign.id, place=story.room.place, turn=0))
        assert (await soon(resigning)).result == pierule.Result(1, "resigned")


async def test_a_hole_is_filled(connect: Connect) -> None:
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


async def test_a_fork_is_mended_by_a_snapshot(connect: Connect) -> None:
    story = Story()
    other = story.fork()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        await line.send(*story.act("komi:4"))
        other.add(Renewed(), epoch=2)
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
        report = await line.expect(Report)
        assert (report.room, report.epoch, report.seq) == ("kobadimu", event.epoch, event.seq)
        assert report.problem == "mismatch"
        join = await line.admit(story.state)
        assert join.since is None
        (event,) = story.act("black")
        await line.send(msgspec.structs.replace(event, digest=0))
        assert (await line.expect(Report)).problem == "desync"
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
        assert (await line.expect(Report)).problem == "desync"
        await line.expect(Leave)


async def test_rooms_are_joined_again(peer: Scripted, connect: Connect) -> None:
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


async def test_a_room_that_is_gone_after_a_reconnect(peer: Scripted, connect: Connect) -> None:
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


async def test_turns_come_when_a_seat_is_to_act(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        turns = room.turns()
        assert (await soon(anext(turns))).turn == 0
        waiting = asyncio.create_task(anext(turns))
        await line.send(*story.act("komi:4"))  # now Bob is to act
        done, _ = await asyncio.wait({waiting}, timeout=0.05)
        assert not done
        await line.send(*story.act("white"))  # Ada has Black
        assert (await soon(waiting)) == story.state
        events = story.act("c3", "a1", "e5", "e1")  # two rounds at once: the first has passed
        last = asyncio.create_task(anext(turns))
        updates = room.updates()
        await line.send(*events)
        while (await soon(anext(updates))).event != events[-1]:
            pass
        assert (await soon(last)).turn in (4, 6)
        ending = asyncio.create_task(collect(turns))
        await line.send(story.resign(1))
        assert [state.turn for state in await soon(ending)] in ([], [6])


async def test_a_turn_comes_again_in_a_new_epoch(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        turns = room.turns()
        assert (await soon(anext(turns))).epoch == 1
        await line.send(story.add(Renewed(), epoch=2))
        assert (await soon(anext(turns))).epoch == 2


async def test_leaving_ends_iterators(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        await asyncio.sleep(0)
        leaving = asyncio.create_task(room.leave())
        leave = await line.expect(Leave)
        assert leave.room == "kobadimu"
        await line.send(*story.act("komi:4"))
        await line.send(Ok(id=leave.id, room="kobadimu"))
        await soon(leaving)
        assert await soon(reading) == story.states[1:2]
        await room.leave()  # nothing is left to say


async def test_giving_up_and_closing_end_iterators(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        await line.close(1000)
        with pytest.raises(pierule.ConnectionLost):
            await soon(reading)


async def test_closing_ends_iterators(connect: Connect) -> None:
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)
        reading = asyncio.create_task(collect(room))
        await asyncio.sleep(0)
    with pytest.raises(pierule.ConnectionLost, match="closed"):
        await soon(reading)


async def test_a_room_without_clocks_asks_for_no_time(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        assert (room.time_left(0), room.time_left(1, 5)) == (None, None)
        creating = asyncio.create_task(client.create("loose"))
        create = await line.expect(Create)  # and no ping before
        await line.send(Error(id=create.id, code=Code.LIMIT, text="no"))
        with pytest.raises(pierule.Refused):
            await soon(creating)


async def enter_clocked(client: pierule.Client, line: Line, story: Story, now: int) -> pierule.Room:
    """Join a room with clocks, which asks for the time."""
    joining = asyncio.create_task(client.join(story.room.id))
    await line.admit(story.state)
    ping = await line.expect(Ping)
    await line.send(Ok(id=ping.id, now=now))
    return await soon(joining)


async def test_the_time_that_is_left_is_the_servers(connect: Connect) -> None:
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


async def test_after_a_reconnect_the_time_is_asked_for_at_once(
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
        async with asyncio.timeout(5):
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
        with pytest.raises(pierule.BadClock, match="'soon' is no clock"):
            await client.create("loose", clock="soon")


async def test_too_late_is_told_by_how_much(connect: Connect) -> None:
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)
        acting = asyncio.create_task(room.act("komi:4"))
        act = await line.expect(Act)
        await line.send(Error(id=act.id, code=Code.FLAGGED, text="late", late=12))
        with pytest.raises(pierule.Refused) as refused:
            await soon(acting)
        assert (refused.value.code, refused.value.late) == ("flagged", 12)


async def test_a_log_is_read_page_by_page(connect: Connect) -> None:
    story = Story()
    story.act("komi:4", "black", "c3")
    async with connect() as (client, line):
        reading = asyncio.create_task(client.log("kobadimu"))
        for first, page in ((1, story.log[:2]), (3, story.log[2:]), (6, [])):
            query = await line.expect(LogQuery)
            assert (query.room, query.first) == ("kobadimu", first)
            await line.send(Ok(id=query.id, room=query.room, log=page))
        assert await soon(reading) == story.log


async def test_a_log_with_a_hole_is_none(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        reading = asyncio.create_task(client.log("kobadimu"))
        query = await line.expect(LogQuery)
        await line.send(Ok(id=query.id, room=query.room, log=story.log[1:]))
        with pytest.raises(pierule.Desync, match="room kobadimu: in its log, 2 does not follow 0"):
            await soon(reading)


async def test_an_iterator_that_nobody_holds_is_forgotten(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        async for _ in room:
            break
        assert len(room._live._feeds) == 0

"""Rooms: following, iterating, acting, catching up."""

import asyncio

import msgspec
import pytest

import pierule
from client.conftest import Connect, collect, enter, since
from pierule import feed
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Renewed
from pierule_protocol.messages import (
    Act,
    Create,
    Error,
    Join,
    Leave,
    Legal,
    LegalQuery,
    LegalRefusal,
    LogQuery,
    Ok,
    Presence,
    ProvenPlace,
    Snapshot,
)
from support.scripted import joined, soon
from support.story import Story

CODECS = pytest.mark.parametrize("codec", ["msgpack", "json"])


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


async def test_joining_with_a_seat_waits_until_the_seat_is_shown(connect: Connect) -> None:
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


async def test_a_refused_join_is_raised_and_can_be_repeated(connect: Connect) -> None:
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


async def test_joining_again_resumes_from_the_known_place(connect: Connect) -> None:
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
async def test_an_iterator_gives_each_state_once_and_in_order(connect: Connect, codec: str) -> None:
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


def test_an_unknown_kind_of_record_is_none() -> None:
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


async def test_a_room_keeps_its_latest_presence(connect: Connect) -> None:
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


async def test_why_asks_for_the_reason_at_the_shown_turn(connect: Connect) -> None:
    """The question is about the turn that the room shows, and plays nothing."""
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        refusal = LegalRefusal(rule="komi", points=[], text="set the komi")
        for question, answer in (
            ({"action": "komi:3"}, Legal(turn=0, total=0, refusal=refusal)),
            ({"points": ["c3", "d4"]}, Legal(turn=0, total=0, refusal=refusal)),
            ({"action": "komi:4"}, Legal(turn=0, total=1)),
        ):
            why = asyncio.create_task(room.why(**question))
            query = await line.expect(LegalQuery)
            assert query == LegalQuery(id=query.id, room=room.id, turn=0, **question)
            await line.send(Ok(id=query.id, legal=answer))
            assert await soon(why) == answer.refusal
        why = asyncio.create_task(room.why("komi:4", turn=7))
        query = await line.expect(LegalQuery)
        assert query.turn == 7
        await line.send(Ok(id=query.id, legal=Legal(turn=7, total=0)))
        with pytest.raises(pierule.BadReply):
            await soon(why)
        for wrong in ({}, {"action": "c3", "points": ["c3"]}):
            with pytest.raises(ValueError, match="action or points"):
                await room.why(**wrong)  # type: ignore[arg-type]


@CODECS
@pytest.mark.parametrize("ok_first", [True, False])
async def test_act_returns_the_new_state_in_either_order_of_ok_and_event(
    connect: Connect, codec: str, ok_first: bool
) -> None:
    story = Story()
    async with connect(codec=codec) as (client, line):
        room = await enter(client, line, story.state)
        acting = asyncio.create_task(room.act("komi:4"))
        act = await line.expect(Act)
        assert (act.room, act.turn, act.action, act.epoch) == ("kobadimu", 0, "komi:4", 1)
        (event,) = story.act("komi:4")
        ok = Ok(id=act.id, room="kobadimu", place=ProvenPlace.of(story.room.place), turn=1)
        await line.send(*((ok, event) if ok_first else (event, ok)))
        assert await soon(acting) == story.state == room.state


async def test_act_names_the_epoch_of_the_state_it_is_based_on(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        present = story.state.turn, story.state.epoch
        for given, sent in (
            ({}, present),
            ({"epoch": 7}, (present[0], 7)),
            ({"turn": 3, "epoch": 7}, (3, 7)),
            ({"turn": 3}, (3, None)),
        ):
            acting = asyncio.create_task(room.act("komi:12", **given))
            act = await line.expect(Act)
            assert (act.turn, act.epoch) == sent
            acting.cancel()


async def test_a_refused_action_is_raised_with_rule_and_points(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        acting = asyncio.create_task(room.act("komi:5", turn=7))
        act = await line.expect(Act)
        assert (act.turn, act.epoch) == (7, None)
        await line.send(
            Error(
                id=act.id,
                code=Code.ILLEGAL,
                text="no",
                rule="no_liberty",
                points=["c3"],
                place=ProvenPlace.of(story.room.place),
                turn=0,
            )
        )
        with pytest.raises(pierule.Refused, match="illegal: no") as refused:
            await soon(acting)
        error = refused.value
        assert (error.code, error.rule, error.points) == (Code.ILLEGAL, "no_liberty", ["c3"])
        assert (error.place, error.turn, error.field) == (story.room.place, 0, None)


async def test_turns_are_given_when_a_seat_is_to_act(connect: Connect) -> None:
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


async def test_a_turn_is_given_again_in_a_new_epoch(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        turns = room.turns()
        assert (await soon(anext(turns))).epoch == 1
        await line.send(story.add(Renewed()))
        assert (await soon(anext(turns))).epoch == story.room.place.epoch > 1


async def test_leaving_a_room_ends_its_iterators(connect: Connect) -> None:
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


async def test_giving_up_or_closing_ends_iterators(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        reading = asyncio.create_task(collect(room))
        await line.close(1000)
        with pytest.raises(pierule.ConnectionLost):
            await soon(reading)


async def test_closing_the_client_ends_iterators(connect: Connect) -> None:
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)
        reading = asyncio.create_task(collect(room))
        await asyncio.sleep(0)
    with pytest.raises(pierule.ConnectionLost, match="closed"):
        await soon(reading)


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


async def test_a_log_with_a_hole_is_a_desync(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        reading = asyncio.create_task(client.log("kobadimu"))
        query = await line.expect(LogQuery)
        await line.send(Ok(id=query.id, room=query.room, log=story.log[1:]))
        with pytest.raises(
            pierule.Desync, match="room kobadimu: in its log, event 2 does not follow event 0"
        ):
            await soon(reading)


async def test_an_unused_iterator_is_garbage_collected(connect: Connect) -> None:
    story = Story()
    async with connect() as (client, line):
        room = await enter(client, line, story.state)
        async for _ in room:
            break
        assert len(room._live._feeds) == 0

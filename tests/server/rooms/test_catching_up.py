"""What the log tells, twice, late, not at all or never again: rooms at hand are settled by reading
it (law 6), over the model of the store."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Acted, encode_record
from pierule_protocol.state.room import room_state
from pierule_server.rooms import hub as hub_module
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.terms import AppendOptions
from support.logs import named_by_time
from support.nodes import ANNA, BERT, Client, Node, settle


async def test_an_entry_published_twice_is_told_once(node: Node) -> None:
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    for entry in node.entries(room) * 2:
        node.hub.entry(room, entry)
    await node.act(ANNA, room, 3, "b3")
    node.hub.entry(room, node.entries(room)[-1])
    await settle()
    node.hub.entry(room, node.entries(room)[-1])
    assert [event.seq for event in client.events()] == [6]
    assert (await node.live(room)).room == node.kept(room)


async def test_a_hole_is_filled_from_the_log(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    client = Client()
    await there.follow(client, room)
    await settle()
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    await here.act(BERT, room, 4, "d3")
    await settle()
    assert client.events() == []
    await there.log.subscribe(room)
    await here.act(ANNA, room, 5, "b2")
    await settle()
    assert [event.seq for event in client.events()] == [6, 7, 8]
    assert client.mirror() == room_state(here.kept(room))


async def test_entries_in_the_wrong_order_are_put_right(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    client = Client()
    await there.follow(client, room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    await here.act(BERT, room, 4, "d3")
    for entry in reversed(here.entries(room)):
        there.hub.entry(room, entry)
    await settle()
    assert [event.seq for event in client.events()] == [6, 7]


async def test_a_node_reads_the_log_after_a_gap(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    client = Client()
    await there.follow(client, room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    await settle()
    there.hub.gap([room, "unknown"])
    await settle()
    assert client.mirror() == room_state(here.kept(room))


async def test_a_hole_is_filled_even_if_the_store_is_away_at_first(
    two: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would ever ask: the followers would wait for an event that is long kept."""
    monkeypatch.setattr(hub_module, "RETRY", 0.001)
    here, there = two
    room = await here.started()
    client = Client()
    await there.follow(client, room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    there.log.away = True
    there.hub.gap([room])
    await settle()
    there.log.away = False
    async with asyncio.timeout(60):
        while not client.events():  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.001)
    assert client.mirror() == room_state(here.kept(room))


async def test_an_event_appended_while_a_client_joins_is_not_missed(two: list[Node]) -> None:
    """Subscribe, buffer, read, merge: whenever the event comes, it comes once."""
    here, there = two
    joined = False
    for delay in count():
        if joined:
            break
        room = await here.started()
        client = Client()
        joining = asyncio.create_task(there.follow(client, room))
        for _ in range(delay):
            await asyncio.sleep(0)
        joined = joining.done()
        await here.act(ANNA, room, 3, "b3")
        await joining
        await settle()
        assert client.mirror() == room_state(here.kept(room)), delay
        assert len(client.events()) <= 1


async def test_a_lost_tail_begins_a_new_epoch(node: Node) -> None:
    """Law 6: what we know the log lacks. Followers get what is left, and the game goes on."""
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    node.lose_tail(room, 4)
    async with asyncio.timeout(60):
        with pytest.raises(Refused) as refused:
            await node.act(ANNA, room, 3, "b3")
    assert refused.value.code == Code.STALE
    place = refused.value.fields["place"]
    assert named_by_time(place.epoch)
    assert [entry.epoch for entry in node.entries(room)] == [1, 1, 1, 1, place.epoch]
    await node.act(BERT, room, 2, "d4")
    await settle()
    assert len(client.snapshots()) == 2
    assert client.mirror() == room_state(node.kept(room))
    assert named_by_time(client.mirror().epoch)
    assert client.mirror().actions == ["komi:12", "black", "d4"]


async def test_a_lost_tail_that_another_node_replaced_is_taken_back(two: list[Node]) -> None:
    """The other node went on from the shorter log before we noticed."""
    here, there = two
    room = await here.started()
    client = Client()
    await here.follow(client, room)
    here.deafen(room)
    here.lose_tail(room, 4)
    await there.act(BERT, room, 2, "e5")
    await settle()
    assert client.mirror().actions[-1] == "c3"
    await here.log.subscribe(room)
    await there.act(ANNA, room, 3, "a1")
    await settle()
    await settle()
    assert client.mirror() == room_state(here.kept(room))
    assert named_by_time(client.mirror().epoch)
    assert client.mirror().actions == ["komi:12", "black", "e5", "a1"]
    assert (await there.live(room)).room == here.kept(room) == (await here.live(room)).room


async def test_a_lost_tail_that_both_nodes_notice_begins_one_epoch(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    clients = [Client(), Client()]
    for node, client in zip(two, clients, strict=True):
        await node.follow(client, room)
    await settle()
    here.lose_tail(room, 3)
    here.hub.gap([room])
    there.hub.gap([room])
    await settle()
    await here.act(BERT, room, 1, "white")
    await settle()
    for client in clients:
        assert client.mirror() == room_state(here.kept(room))
    epochs = [entry.epoch for entry in here.entries(room)]
    assert epochs == sorted(epochs)
    assert named_by_time(epochs[-1])
    assert len(set(epochs)) == 2


async def test_a_precomputed_position_does_not_survive_a_lost_tail(two: list[Node]) -> None:
    """Law 2: a position that was computed on the lost board must not be folded into the new."""
    here, there = two
    room = await here.started()
    here.deafen(room)
    here.lose_tail(room, 4)
    await there.act(BERT, room, 2, "e5")
    # The same turn as before, and an action that is legal in both pasts.
    held = here.log.gate
    held.clear()
    acting = asyncio.create_task(here.act(ANNA, room, 3, "a1"))
    await settle()
    here.log.gate = asyncio.Event()  # only this append is held back, not the renewal
    here.log.gate.set()
    here.hub.gap([room])
    await settle()
    assert named_by_time((await here.live(room)).room.place.epoch)
    await here.log.subscribe(room)
    await there.act(ANNA, room, 3, "a1")
    await settle()
    assert (await here.live(room)).room.turn == 4
    assert (await here.live(room)).room == here.kept(room)
    held.set()
    await acting
    await settle()
    assert (await here.live(room)).room == here.kept(room)


async def test_a_room_that_the_store_has_lost_is_unknown(node: Node) -> None:
    """And its place among the idle rooms is given up as well."""
    room = await node.started()
    node.lose_tail(room, 0)
    with pytest.raises(Refused) as refused:
        await node.act(BERT, room, 3, "b3")
    assert refused.value.code == Code.UNKNOWN_ROOM
    with pytest.raises(Refused):
        await node.live(room)
    for _ in range(150):
        await node.live(await node.make())
    await settle()


async def test_an_impossible_entry_causes_no_endless_reading(node: Node) -> None:
    """What survives a full refold is an error (law 6); other rooms go on."""
    room, other = await node.started(), await node.started()
    client = Client()
    await node.follow(client, other)
    place = node.entries(room)[-1].place
    reads = node.log.reads
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    await node.log.append(room, place, encode_record(Acted(0, "z9")), AppendOptions())
    await node.act(ANNA, other, 3, "b3")
    await settle()
    node.hub.gap([room])
    await settle()
    assert node.log.reads < reads + 10
    assert client.events()
    assert faults == []  # the store's reader, which calls us, goes on

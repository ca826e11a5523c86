"""Operators end rooms by the same way as players do, at whichever node they ask."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Turnwise
from pierule_protocol.messages import Result
from pierule_server.rooms.decisions.decide import Refused
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle


@pytest.fixture
async def nodes() -> AsyncIterator[list[Node]]:
    async with running(2) as found:
        yield found


async def test_followers_learn_that_operators_closed_the_room(nodes: list[Node]) -> None:
    one, other = nodes
    room = await one.started(Turnwise(time=60))
    client = Client(CARL)
    await one.follow(client, room)
    done = await other.rooms.close(room, "because")
    await settle()
    assert client.mirror().result == Result(None, "closed")
    assert one.kept(room).place == done.place
    assert room not in one.store.deadlines
    with pytest.raises(Refused) as caught:
        await one.act(ANNA, room, 3, "b3")
    assert caught.value.code is Code.FINISHED


async def test_closing_a_room_twice_changes_nothing(nodes: list[Node]) -> None:
    room = await nodes[0].started()
    first = await nodes[0].rooms.close(room, "because")
    again = await nodes[1].rooms.close(room, "again")
    assert again.place == first.place
    assert len(nodes[0].entries(room)) == first.place.seq


async def test_closing_is_retried_after_a_store_failure(nodes: list[Node]) -> None:
    """Law 3: an error means that it is not known."""
    for fault in ("before", "after"):
        room = await nodes[0].started()
        length = len(nodes[0].entries(room))
        nodes[0].log.faults.append(fault)
        await nodes[0].rooms.close(room, "because")
        assert len(nodes[0].entries(room)) == length + 1


async def test_closing_a_finished_room_voids_its_result(nodes: list[Node]) -> None:
    one, other = nodes
    room = await one.started()
    await one.resign(BERT, room)
    assert one.kept(room).result == Result(0, "resigned")
    await other.rooms.close(room, "a bot")
    assert one.kept(room).result == Result(None, "voided")
    assert room in one.store.finished


async def test_a_room_put_away_cannot_be_closed(nodes: list[Node]) -> None:
    one, other = nodes
    room = await one.started()
    await one.resign(BERT, room)
    await one.log.put_away(room, one.entries(room), 60_000)
    with pytest.raises(Refused, match="put away"):
        await other.rooms.close(room, "too late")
    with pytest.raises(Refused) as caught:
        await other.rooms.close("nowhere", "because")
    assert caught.value.code is Code.UNKNOWN_ROOM

"""Rooms in which both sit from the start: one event, so that nobody else can take the seat."""

from __future__ import annotations

from itertools import count

import pytest

from pierule_protocol.log.controls import ClockOptions, Correspondence, Fischer, requested
from pierule_protocol.messages import Card, Create, RoomsQuery, Seat
from pierule_server.rooms.decisions.decide import Refused
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, holder, running

CONTROLS = [None, Fischer(main=300, increment=3), Correspondence(days=3)]


def request(seat: Seat = 0, control: ClockOptions | None = None) -> Create:
    clock = None if control is None else requested(control)
    return Create(id=0, nonce="pair-1", game="loose", size=5, seat=seat, clock=clock)


@pytest.mark.parametrize("control", CONTROLS, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
async def test_a_started_room_runs_and_the_store_has_its_deadline(
    seat: Seat, control: ClockOptions | None
) -> None:
    times = count(1_000_000_000_000, 10)
    async with running(2, ModelStore(lambda: next(times))) as [node, other]:
        room_id = await node.rooms.start(holder(ANNA), holder(BERT), request(seat, control))
        assert (
            await other.rooms.start(holder(ANNA), holder(BERT), request(seat, control)) == room_id
        )
        room = node.kept(room_id)
        assert (room.status, room.place.seq) == ("running", 1)
        assert [room.seats_of(user.id) for user in (ANNA, BERT)] == [[seat], [1 - seat]]
        assert node.store.deadlines[room_id] == room.deadline
        assert (room_id in node.store.idle) == (control is None)
        first, second = (ANNA, BERT) if seat == 0 else (BERT, ANNA)
        await other.act(first, room_id, 0, "komi:12")
        await node.act(second, room_id, 1, "black")
        assert node.store.deadlines[room_id] == node.kept(room_id).deadline


async def test_a_started_room_counts_for_both_players_beyond_the_limit() -> None:
    async with running() as [node]:
        node.rooms.quota._most = 1
        await node.make()
        room_id = await node.rooms.start(holder(ANNA), holder(BERT), request())
        for user in (ANNA, BERT):
            assert room_id in {held for _, held in await node.log.tables.memberships.held(user.id)}
        with pytest.raises(Refused, match="taken"):
            await node.take(CARL, room_id)
        await node.resign(BERT, room_id)
        assert await node.log.tables.memberships.held(BERT.id) == []


async def test_a_started_room_is_listed_and_can_be_followed() -> None:
    async with running() as [node]:
        room_id = await node.rooms.start(holder(ANNA), holder(BERT), request(1))
        cards = (await node.rooms.cards(RoomsQuery(id=1, limit=10))).rooms
        assert cards is not None
        (card,) = cards
        assert isinstance(card, Card)
        assert (card.status, card.names, card.turn) == ("running", ("Bert", "Anna"), 0)
        client = Client(BERT)
        await node.follow(client, room_id)
        await node.act(BERT, room_id, 0, "komi:12")
        state = client.mirror()
        assert (state.status, state.turn) == ("running", 1)

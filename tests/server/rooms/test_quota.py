"""How many rooms a user may hold, through all that clients can do and all that can fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import Accept, Create, Join, Offer, Ok, Resign
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.making import room_id_for
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables import memberships
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, FaultyRoomLog, opened

_ids = count(1)
MOST = 3


class Node:
    """Rooms with a quota over the model of the store."""

    def __init__(self, log: FaultyRoomLog) -> None:
        self.log = log
        self.hub = Hub("a", self.log, self.log.tables, 100)
        self.log.listen(self.hub)
        self.hub.start()
        self.rooms = Rooms(self.hub, self.log, self.log.tables, MOST)

    async def make(self, user: Any, nonce: str, seat: Any = 0) -> str:
        request = Create(id=next(_ids), nonce=nonce, game="loose", size=5, seat=seat)
        room = (await self.rooms.create(user, request)).room
        assert room is not None
        return room

    async def sit(self, user: Any, room: str, nonce: str = "s") -> Ok:
        request = Join(id=next(_ids), room=room, seat="any", nonce=nonce)
        answer, _, _ = await self.rooms.join(user, request)
        return answer

    async def resign(self, user: Any, room: str, nonce: str = "r") -> Ok:
        return await self.rooms.resign(user, Resign(id=next(_ids), room=room, nonce=nonce))

    async def held(self, user: Any) -> set[str]:
        return {room for _, room in await self.log.tables.memberships.held(user.id)}


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with opened(ModelStore()) as log:
        made = Node(await log())
        yield made
        await made.hub.stop()


async def limited(work: Any) -> None:
    with pytest.raises(Refused) as refused:
        await work
    assert refused.value.code == Code.LIMIT
    assert str(MOST) in refused.value.text


async def test_rooms_made_and_rooms_sat_in_count(node: Node) -> None:
    made = [await node.make(ANNA, f"n{number}") for number in range(2)]
    theirs = await node.make(BERT, "b")
    await node.sit(ANNA, theirs)
    assert await node.held(ANNA) == {*made, theirs}
    await limited(node.make(ANNA, "n3"))
    await limited(node.sit(ANNA, await node.make(BERT, "c")))
    assert await node.held(ANNA) == {*made, theirs}


async def test_a_room_counts_once_for_its_maker_in_both_seats(node: Node) -> None:
    rooms = [await node.make(ANNA, f"n{number}") for number in range(MOST)]
    await node.sit(ANNA, rooms[0])
    assert await node.held(ANNA) == set(rooms)


async def test_the_end_of_a_room_frees_its_maker_and_both_players(node: Node) -> None:
    room = await node.make(CARL, "n", seat=None)
    await node.sit(ANNA, room)
    await node.sit(BERT, room)
    assert [await node.held(user) for user in (ANNA, BERT, CARL)] == [{room}] * 3
    await node.resign(ANNA, room)
    assert [await node.held(user) for user in (ANNA, BERT, CARL)] == [set()] * 3


@pytest.mark.parametrize(("full", "free"), [(ANNA, BERT), (BERT, ANNA)])
async def test_a_rematch_refused_for_one_player_counts_for_neither(
    node: Node, full: User, free: User
) -> None:
    room = await node.make(ANNA, "c")
    await node.sit(BERT, room)
    await node.resign(ANNA, room)
    for number in range(MOST):
        await node.make(full, f"n{number}")
    offer = Offer(id=1, room=room, nonce="o", what="rematch")
    await node.rooms.agree(ANNA, offer)
    accept = Accept(id=2, room=room, nonce="a", what="rematch", turn=0)
    await limited(node.rooms.agree(BERT, accept))
    assert await node.held(free) == set()


async def test_a_retry_is_safe_at_the_limit(node: Node) -> None:
    rooms = [await node.make(ANNA, f"n{number}") for number in range(MOST)]
    assert await node.make(ANNA, "n0") == rooms[0]
    await node.sit(BERT, rooms[0])
    await node.resign(BERT, rooms[0])
    await node.make(ANNA, "n3")
    assert await node.make(ANNA, "n0") == rooms[0], "it is over, and was made all the same"


async def test_a_seat_that_was_taken_costs_nothing(node: Node) -> None:
    room = await node.make(CARL, "n")
    await node.sit(BERT, room)
    with pytest.raises(Refused) as refused:
        await node.sit(ANNA, room)
    assert refused.value.code == Code.SEAT_TAKEN
    assert await node.held(ANNA) == set()


async def test_a_reservation_without_a_room_is_released(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store failed between the two steps; the note goes when it is in the way, and old."""
    for number in range(MOST):
        node.log.faults.append("before")
        with pytest.raises(StoreUnavailable):
            await node.make(ANNA, f"n{number}")
    assert len(await node.held(ANNA)) == MOST
    await limited(node.make(ANNA, "x"))
    monkeypatch.setattr(memberships, "FRESH_MS", -1_000)
    room = await node.make(ANNA, "x")
    assert await node.held(ANNA) == {room}


async def test_an_end_whose_note_was_lost_is_found(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [await node.make(ANNA, f"n{number}") for number in range(MOST)]
    await node.sit(BERT, rooms[0])
    node.log.faults.append("after")
    await node.resign(ANNA, rooms[0])
    assert await node.held(ANNA) == set(rooms)
    monkeypatch.setattr(memberships, "FRESH_MS", -1_000)
    await node.make(ANNA, "x")
    assert rooms[0] not in await node.held(ANNA)


async def test_a_room_id_of_somebody_else_does_not_count(node: Node) -> None:
    taken = room_id_for(ANNA.id, "n", 0)
    other = await node.make(BERT, "b")
    node.log.store.write_log(taken, node.log.store.entries(other))
    assert await node.make(ANNA, "n") == room_id_for(ANNA.id, "n", 1)
    assert await node.held(ANNA) == {room_id_for(ANNA.id, "n", 1)}

"""Open rooms: how long they stay, and how many of an address in which nobody waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count

import pytest

from pierule_protocol.log.controls import OPEN_TIME, PUBLIC_OPEN_TIME
from pierule_protocol.log.events import Access
from pierule_protocol.messages import Create, Result
from pierule_server.rooms.address_limits import FRESH_MS
from pierule_server.rooms.presence import ALONE, REFRESH
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.tables.deadlines import SEEN_MS
from support.model_store import HeldClock, ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle

_nonces = count(1)
MOST = 3


@pytest.fixture
def hands() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def nodes(hands: HeldClock) -> AsyncIterator[list[Node]]:
    async with running(2, ModelStore(hands)) as nodes:
        for node in nodes:
            node.rooms = Rooms(node.hub, node.log, node.log.tables, abandoned_per_address=MOST)
        yield nodes


async def make(node: Node, access: Access = "public", origin: str = "here") -> str:
    invitation = "i" * 16 if access == "private" else None
    request = Create(
        id=1, nonce=f"n{next(_nonces)}", game="loose", size=5, seat=0, access=access,
        invitation=invitation,
    )  # fmt: skip
    room = (await node.rooms.create(ANNA, request, origin)).room
    assert room is not None
    return room


def status(node: Node, room: str) -> str:
    return node.kept(room).status


async def refresh(node: Node) -> None:
    """As the announcer does every half minute."""
    for _ in range(ALONE):
        rooms = node.hub.attendance._refresh()
    await node.hub.attendance._extend(node.hub.attendance._waited_in(rooms))
    await settle()  # What it began in the background happens before the clock moves on.


async def due(node: Node, hands: HeldClock, after: int) -> list[str]:
    hands.now += after
    return (await node.log.tables.deadlines.sweep()).due


async def test_an_open_public_room_ends_ten_minutes_after_its_maker_left(
    nodes: list[Node], hands: HeldClock
) -> None:
    here, there = nodes
    anna, carl = Client(ANNA), Client(CARL)
    room = await make(here)
    await there.follow(anna, room)
    await here.follow(carl, room)
    for _ in range(10):
        hands.now += 200_000
        await refresh(there)
        await refresh(here)  # One who looks on does not keep it.
        assert await due(here, hands, 0) == []
    there.hub.leave(anna.connection, room)
    assert await due(here, hands, PUBLIC_OPEN_TIME) == []
    assert await due(here, hands, SEEN_MS + 1) == [room]
    await here.rooms.time_out(room)
    assert here.kept(room).result == Result(None, "aborted")


async def test_a_dead_node_does_not_keep_an_open_room_alive(
    nodes: list[Node], hands: HeldClock
) -> None:
    here, there = nodes
    room = await make(here)
    await there.follow(Client(ANNA), room)
    await there.hub.stop()
    assert await due(here, hands, PUBLIC_OPEN_TIME + SEEN_MS + 1) == [room]


async def test_a_seated_player_keeps_the_room_open(nodes: list[Node], hands: HeldClock) -> None:
    here, _ = nodes
    request = Create(id=1, nonce="open", game="loose", size=5)
    room = (await here.rooms.create(ANNA, request)).room
    assert room is not None
    await here.follow(Client(BERT), room, seat=0, nonce="s")
    assert await due(here, hands, PUBLIC_OPEN_TIME + 1) == []


@pytest.mark.parametrize("access", ["unlisted", "private"])
async def test_an_open_private_room_stays_for_a_day(
    nodes: list[Node], hands: HeldClock, access: Access
) -> None:
    here, _ = nodes
    room = await make(here, access)
    assert await due(here, hands, OPEN_TIME) == []
    assert await due(here, hands, 1) == [room]


async def test_a_game_that_began_elsewhere_is_not_extended(
    nodes: list[Node], hands: HeldClock
) -> None:
    """The node that serves the maker may not have heard of it yet."""
    here, there = nodes
    room = await make(here)
    kept = (await here.live(room)).room
    await there.take(BERT, room)
    before = here.store.deadlines[room]
    await here.hub.attendance._extend([kept])
    assert here.store.deadlines[room] == before


async def left(node: Node, hands: HeldClock, access: Access = "public") -> str:
    """A room that is made and never followed, a while ago."""
    room = await make(node, access)
    hands.now += FRESH_MS
    return room


async def test_the_oldest_abandoned_room_of_an_address_ends_for_a_new_one(
    nodes: list[Node], hands: HeldClock
) -> None:
    here, there = nodes
    others = [await make(there, origin="there") for _ in range(MOST)]
    rooms = [await left(node, hands, "unlisted") for node in (here, there) * 4]
    kept = [room for room in rooms if status(here, room) == "open"]
    assert kept == rooms[-MOST:]
    assert {status(here, room) for room in others} == {"open"}
    assert len(await here.log.tables.memberships.held(ANNA.id)) == 2 * MOST


async def test_rooms_that_are_made_at_once_are_not_abandoned_yet(
    nodes: list[Node], hands: HeldClock
) -> None:
    """Each of a school joins its room a moment after it was made."""
    here, there = nodes
    rooms = [await make(node) for node in (here, there) * MOST]
    clients = [Client(ANNA) for _ in rooms]
    for client, room in zip(clients, rooms, strict=True):
        await here.follow(client, room)
    hands.now += FRESH_MS
    await make(here)
    assert {status(here, room) for room in rooms} == {"open"}


async def test_a_room_with_a_waiting_player_does_not_count(
    nodes: list[Node], hands: HeldClock
) -> None:
    here, there = nodes
    anna = Client(ANNA)
    waited_in = await make(here)
    await there.follow(anna, waited_in)
    taken = await make(here)
    await here.take(BERT, taken)
    rooms = []
    for _ in range(3 * MOST):
        rooms.append(await left(here, hands))
        await refresh(there)
    assert [status(here, room) for room in (waited_in, taken)] == ["open", "running"]
    there.hub.leave(anna.connection, waited_in)
    hands.now += SEEN_MS + FRESH_MS
    rooms += [await left(here, hands) for _ in range(2 * MOST)]
    assert status(here, waited_in) == "over"
    assert [room for room in rooms if status(here, room) == "open"] == rooms[-MOST:]


async def test_without_a_limit_no_abandoned_room_ends(nodes: list[Node]) -> None:
    here, _ = nodes
    here.rooms = Rooms(here.hub, here.log, here.log.tables)
    rooms = [await make(here) for _ in range(2 * MOST)]
    assert {status(here, room) for room in rooms} == {"open"}


def test_presence_is_marked_twice_as_often_as_needed() -> None:
    assert ALONE * REFRESH * 1_000 * 2 <= SEEN_MS

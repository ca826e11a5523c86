"""Unfinished games without a clock: how many an address may have (SPEC 9.11)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from pierule_protocol.log.controls import Correspondence, Fischer
from pierule_protocol.messages import Accept, Act, Create, Join, Offer, Ok, Result
from pierule_server.gateway.budget import UNFINISHED
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.handlers.origins import RoomOrigins
from pierule_server.identity.tokens import User, new_guest
from pierule_server.rooms.address_limits import SPARED
from pierule_server.rooms.rooms import Rooms
from pierule_server.settings import Settings
from support.model_store import HeldClock, ModelStore
from support.nodes import ANNA, BERT, Client, Node, running
from support.ports import KEYS, limits

MOST = 10
HERE = [("games here", 1)]
_nonces = count(1)


@pytest.fixture
def hands() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def node(hands: HeldClock) -> AsyncIterator[Node]:
    async with running(1, ModelStore(hands)) as [node]:
        node.rooms = Rooms(node.hub, node.log, node.log.tables, unfinished_per_address=MOST)
        yield node


async def begin(node: Node, hands: HeldClock, clock: Any = None, **where: Any) -> str:
    """A game in which one action was played."""
    hands.now += 1_000
    request = Create(id=1, nonce=f"n{next(_nonces)}", game="loose", size=5, seat=0, clock=clock)
    room = (await node.rooms.create(ANNA, request)).room
    assert room is not None
    await node.take(BERT, room)
    await node.act(ANNA, room, 0, "komi:6")
    await node.rooms.unfinished.played(where.get("shares", HERE), room)
    return room


def running_of(node: Node, rooms: list[str]) -> list[str]:
    return [room for room in rooms if node.kept(room).status == "running"]


async def test_the_quietest_games_of_an_address_end_for_a_new_one(
    node: Node, hands: HeldClock
) -> None:
    rooms = [await begin(node, hands) for _ in range(MOST)]
    assert running_of(node, rooms) == rooms
    hands.now += 1_000
    await node.act(BERT, rooms[0], 1, "black")
    latest = await begin(node, hands)
    spared = int(SPARED * MOST)
    left = [*rooms[-(spared - 2) :], rooms[0], latest]
    assert sorted(running_of(node, [*rooms, latest])) == sorted(left)
    assert len(left) == spared
    ended = node.kept(rooms[1])
    assert ended.result == Result(None, "closed")


async def test_games_that_are_over_do_not_count(node: Node, hands: HeldClock) -> None:
    first = await begin(node, hands)
    for _ in range(2 * MOST):
        await node.resign(ANNA, await begin(node, hands))
    rooms = [await begin(node, hands) for _ in range(MOST - 1)]
    assert running_of(node, [first, *rooms]) == [first, *rooms]


@pytest.mark.parametrize(
    "clock", [Fischer(main=60, increment=2), Correspondence(days=3)], ids=["live", "slow"]
)
async def test_games_with_a_clock_end_by_themselves(
    node: Node, hands: HeldClock, clock: Any
) -> None:
    rooms = [await begin(node, hands, clock) for _ in range(2 * MOST)]
    assert running_of(node, rooms) == rooms


async def test_addresses_do_not_count_together_but_their_network_does(
    node: Node, hands: HeldClock
) -> None:
    rooms = []
    for number in range(5):
        shares = [(f"games {number}", 1), ("games all", 4)]
        rooms += [await begin(node, hands, shares=shares) for _ in range(8)]
    assert running_of(node, rooms) == rooms
    rooms.append(await begin(node, hands, shares=shares))
    assert len(running_of(node, rooms)) == SPARED * 4 * MOST


async def test_without_a_limit_no_game_ends(node: Node, hands: HeldClock) -> None:
    node.rooms = Rooms(node.hub, node.log, node.log.tables)
    rooms = [await begin(node, hands) for _ in range(2 * MOST)]
    assert running_of(node, rooms) == rooms


def test_thirty_players_may_have_twenty_such_games_each() -> None:
    assert UNFINISHED * Settings().address_budget >= 30 * 20


# --- whose games count ----------------------------------------------------------------------------


class Address:
    """Two users at one address, and the dispatch of their node."""

    def __init__(self, node: Node, *users: User) -> None:
        self.clients = [Client(user) for user in users]
        for client in self.clients:
            client.connection._socket.address = "192.0.2.7"  # type: ignore[misc]
        self._dispatch = Dispatch(
            node.hub, node.rooms, node.lobby, node.log, node.log.tables, KEYS, limits(Settings()),
            "pierule/test",
        )  # fmt: skip

    async def ask(self, player: int, request: Any) -> Ok:
        client = self.clients[player]
        client.forget()
        await self._dispatch.answer(client.connection, request)
        (answer,) = [each for each in client.received() if isinstance(each, Ok)]
        return answer

    async def play(self) -> str:
        """A game that both have begun, with a takeback."""
        nonce = f"p{next(_nonces)}"
        create = Create(id=1, nonce=nonce, game="loose", size=5, seat=0)
        room = (await self.ask(0, create)).room
        assert room is not None
        await self.ask(1, Join(id=2, room=room, seat=1, nonce=nonce))
        await self.ask(0, Act(id=3, room=room, turn=0, action="komi:6"))
        await self.ask(0, Offer(id=4, room=room, what="takeback", nonce=f"{nonce}t"))
        await self.ask(1, Accept(id=5, room=room, what="takeback", turn=1, nonce=f"{nonce}t"))
        return room


async def test_whoever_sits_down_or_plays_counts(node: Node) -> None:
    address = Address(node, new_guest("Anna"), new_guest("Bert"))
    rooms = [await address.play() for _ in range(3 * MOST)]
    assert len(running_of(node, rooms)) <= MOST


async def test_users_for_whom_others_vouch_are_not_counted(node: Node) -> None:
    """They pay no price for games either; among them are house bots."""
    address = Address(node, ANNA, replace(BERT, bot=True, house=True))
    rooms = [await address.play() for _ in range(2 * MOST)]
    assert running_of(node, rooms) == rooms
    origins = RoomOrigins(KEYS, node.log.tables.listing)
    assert origins.of_games(address.clients[0].connection, ANNA) == []

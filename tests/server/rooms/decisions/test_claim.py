"""Who is gone is gone by the store alone, whatever a node knows (SPEC 25, law 3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Correspondence, Fischer, requested
from pierule_protocol.log.events import Claimed, decode_record
from pierule_protocol.messages import Claim, Ok
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.deadlines import STALE_MS
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle

CLOCK = requested(Fischer(main=300, increment=2))
BOUND = 30_000
START = 1_700_000_000_000


class World:
    """Two nodes over a store whose time the test sets; Anna and Bert play a room on it."""

    def __init__(self) -> None:
        self.now = START
        self.store = ModelStore(lambda: self.now)

    async def wait(self, milliseconds: int, *, beating: bool = True) -> None:
        """Let time pass, while somebody looks after the deadlines."""
        end = self.now + milliseconds
        while beating and self.now < end - STALE_MS:
            self.now += STALE_MS
            self.store.beat(self.now)
        self.now = end
        if beating:
            self.store.beat(self.now)


def claim(node: Node, user: Any, room: str, **fields: Any) -> Any:
    nonce = fields.pop("nonce", "q")
    request = Claim(id=1, room=room, outcome=fields.pop("outcome", "win"), nonce=nonce, **fields)
    return node.rooms.claim(user, request)


async def refusal(*args: Any, **fields: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        await claim(*args, **fields)
    return refused.value


async def test_a_claim_waits_for_the_bound_and_is_answered_alike_again() -> None:
    world = World()
    async with running(2, world.store) as [first, second]:
        room = await first.started(CLOCK)
        bert = Client(BERT)
        await world.wait(5_000)
        await second.follow(bert, room)
        gone = world.now
        second.hub.leave(bert.connection, room)
        await world.wait(BOUND - 1)
        early = await refusal(first, ANNA, room)
        assert (early.code, early.fields["left"]) == (Code.TOO_EARLY, 1)
        assert first.kept(room).status == "running"
        await world.wait(1)
        done = await claim(first, ANNA, room)
        assert await claim(second, ANNA, room) == done
        record = decode_record(first.entries(room)[-1].record)
        assert record == Claimed(0, "win", gone, BOUND, "q")
        assert (await refusal(first, ANNA, room, outcome="abort")).code == Code.BAD_FIELD
        assert (await refusal(first, ANNA, room, nonce="other")).code == Code.FINISHED


async def test_a_node_that_has_just_started_does_not_believe_a_player_gone() -> None:
    world = World()
    async with running(2, world.store) as [first, _]:
        room = await first.started(CLOCK)
        await world.wait(BOUND + 1_000)
        await first.log.tables.deadlines.mark_seen({room: [1]})
        async with running(1, world.store) as [fresh]:
            early = await refusal(fresh, ANNA, room)
            assert (early.code, early.fields["left"]) == (Code.TOO_EARLY, BOUND)


@pytest.mark.parametrize("back_first", [True, False])
async def test_a_player_who_returns_before_the_claim_is_not_gone(back_first: bool) -> None:
    """The claim has been decided on; it waits at the store's door while the player comes back."""
    world = World()
    async with running(2, world.store) as [first, second]:
        room = await first.started(CLOCK)
        await world.wait(BOUND)
        first.log.gate.clear()
        claiming = asyncio.create_task(claim(first, ANNA, room))
        await settle()
        if back_first:
            await second.follow(Client(BERT), room)
        first.log.gate.set()
        if back_first:
            with pytest.raises(Refused) as refused:
                await claiming
            assert refused.value.code == Code.TOO_EARLY
            assert first.kept(room).status == "running"
        else:
            assert isinstance(await claiming, Ok)
            await second.follow(Client(BERT), room)
            assert first.kept(room).status == "over"


@pytest.mark.parametrize("clock", [None, CLOCK])
async def test_an_outage_makes_nobody_absent(clock: Any) -> None:
    world = World()
    async with running(1, world.store) as [node]:
        room = await node.started(clock)
        await world.wait(1_000_000 if clock is None else 10_000)
        await world.wait(100_000, beating=False)
        early = await refusal(node, ANNA, room)
        assert early.code == Code.TOO_EARLY
        assert early.fields["left"] == (300_000 if clock is None else BOUND)


async def test_only_the_opponent_of_an_absent_player_may_claim() -> None:
    world = World()
    async with running(1, world.store) as [node]:
        room = await node.started(requested(Correspondence(days=3)))
        await world.wait(86_400_000, beating=False)
        assert (await refusal(node, ANNA, room)).code == Code.NOT_NOW
        assert (await refusal(node, CARL, room)).code == Code.NOT_SEATED
        assert (await refusal(node, ANNA, room, seat=1)).code == Code.NOT_SEATED
        alone = await node.make()
        assert (await refusal(node, ANNA, alone)).code == Code.NOT_STARTED


async def test_acting_counts_as_being_present() -> None:
    world = World()
    async with running(1, world.store) as [node]:
        room = await node.started(CLOCK)
        await world.wait(BOUND - 1)
        await node.act(ANNA, room, 3, "b2")
        early = await refusal(node, BERT, room, seat=1)
        assert (early.code, early.fields["left"]) == (Code.TOO_EARLY, BOUND)

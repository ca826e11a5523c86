"""Actions that are decided at once and answered when the store's reply is there."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pierule_protocol.log.controls import Correspondence
from pierule_protocol.messages import Act, Ok
from pierule_server import metrics
from pierule_server.identity.tokens import User
from pierule_server.rooms.short_way import ShortWay
from support.nodes import ANNA, BERT, CARL, Client, Fault, Node, placed, settle


class Way:
    """The short way at a node, and what came of it. It stands for the mover's connection, too."""

    lag = 0

    def __init__(self, node: Node) -> None:
        self.short_way = ShortWay(node.hub, node.log)
        self.user: User | None = None
        self.ended = asyncio.Event()
        self.answer: Ok | None = None
        self.breaks = False

    def act(self, user: User, room: str, turn: int, action: str) -> bool:
        request = Act(id=7, room=room, turn=turn, action=action)
        self.user = user
        return self.short_way.act(cast("Any", self), request, self._end)

    def send(self, answer: Ok) -> None:
        if self.breaks:
            raise RuntimeError
        self.answer = answer

    def _end(self, answered: bool) -> None:
        assert answered is (self.answer is not None)
        self.ended.set()


async def in_the_game(node: Node, clock: Correspondence | None = None) -> str:
    """A room in which Bert is to act at turn 4."""
    room = await node.started(clock)
    await node.act(ANNA, room, 3, "b3")
    return room


async def test_an_action_is_answered_and_told_once_it_is_kept(node: Node) -> None:
    """Law 4: neither the mover nor the audience hears of an action that the store has not."""
    room, client, way = await in_the_game(node), Client(), Way(node)
    await node.follow(client, room)
    client.forget()
    node.log.gate.clear()
    assert way.act(BERT, room, 4, "d3")
    await settle()
    assert (way.ended.is_set(), client.events()) == (False, [])
    node.log.gate.set()
    await way.ended.wait()
    assert way.answer is not None
    assert [event.seq for event in client.events()] == [7]
    placed(node, room, way.answer)


async def test_an_action_needs_no_task(node: Node) -> None:
    room, way = await in_the_game(node), Way(node)
    before = asyncio.all_tasks()
    assert way.act(BERT, room, 4, "d3")
    assert asyncio.all_tasks() == before
    await way.ended.wait()
    assert way.answer is not None


async def test_an_answer_that_cannot_be_sent_is_left_to_the_long_way(node: Node) -> None:
    """Law 8: a fault of ours leaves no request without an answer."""
    room, way = await in_the_game(node), Way(node)
    way.breaks = True
    assert way.act(BERT, room, 4, "d3")
    await way.ended.wait()
    assert way.answer is None
    await node.act(BERT, room, 4, "d3")


async def test_a_fault_after_the_answer_brings_no_second_answer(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 8: a request has one answer."""
    room, way = await in_the_game(node), Way(node)

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(metrics.APPEND_SECONDS, "observe", broken)
    assert way.act(BERT, room, 4, "d3")
    await way.ended.wait()
    assert way.answer is not None


@pytest.mark.parametrize(
    ("user", "turn", "action"),
    [(BERT, 4, "c3"), (BERT, 3, "d3"), (ANNA, 4, "d3"), (CARL, 4, "d3"), (ANNA, 3, "b3")],
)
async def test_anything_but_a_new_action_takes_the_long_way(
    node: Node, user: User, turn: int, action: str
) -> None:
    room, way = await in_the_game(node), Way(node)
    appends = node.log.appends
    assert not way.act(user, room, turn, action)
    assert node.log.appends == appends


async def test_an_action_that_causes_more_work_goes_the_long_way(node: Node) -> None:
    way = Way(node)
    opening = await node.started()
    assert not way.act(ANNA, opening, 3, "b3"), "it is noted that its player plays"
    slow = await in_the_game(node, Correspondence(days=1))
    assert not way.act(BERT, slow, 4, "d3"), "the other player is told"
    assert not way.act(BERT, "bababababa", 4, "d3"), "the room has to be read"


@pytest.mark.parametrize("fault", ["before", "after"])
async def test_an_action_with_unknown_outcome_is_answered_by_the_long_way(
    node: Node, fault: Fault
) -> None:
    room, way = await in_the_game(node), Way(node)
    node.log.faults.append(fault)
    assert way.act(BERT, room, 4, "d3")
    await way.ended.wait()
    assert way.answer is None
    answer = await node.act(BERT, room, 4, "d3")
    assert len(node.entries(room)) == 7
    placed(node, room, answer)


async def test_one_of_two_nodes_that_append_at_once_is_answered(two: list[Node]) -> None:
    here, there = two
    room = await in_the_game(here)
    await there.live(room)
    ways = [Way(here), Way(there)]
    for way, action in zip(ways, ("d3", "a1"), strict=True):
        assert way.act(BERT, room, 4, action)
    for way in ways:
        await way.ended.wait()
    assert sum(way.answer is not None for way in ways) == 1
    assert len(here.entries(room)) == 7


async def test_a_fault_of_ours_leaves_the_answer_to_the_long_way(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 8: whatever happens, the request is answered."""
    room, way = await in_the_game(node), Way(node)

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(node.hub, "entry", broken)
    assert way.act(BERT, room, 4, "d3")
    await way.ended.wait()
    assert way.answer is None

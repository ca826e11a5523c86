"""Any course of requests, of all kinds, over a store whose time and outages are ours: every log
refolds and verifies, the fold and the store agree on the deadline, who follows sees what the log
says, and a retry on another node changes nothing (laws 2, 3, 7 and 13)."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, get_args

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_games.clock import PAUSE_TIME
from pierule_protocol.log.events import decode_record
from pierule_protocol.log.record import record_of
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import Ok
from pierule_protocol.state.room import Room, room_state
from pierule_server.rooms.live import retold
from pierule_server.store.room_log import StoreUnavailable
from support.courses import Ask, asks, begin, made, put, request_of
from support.examples import up_to
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Fault, Node, running, settle

PLAYERS = (ANNA, BERT)
waits = st.sampled_from([0, 1, 700, 3_000] * 5 + [30_000, PAUSE_TIME + 1, 100_000_000])
outages = st.sampled_from([False] * 6 + [True])
faults = st.sampled_from([*get_args(Fault), *["none"] * 4])
steps = st.lists(st.tuples(waits, outages, faults, asks), min_size=25, max_size=60)


class Course:
    """Two nodes, a room with both players, and a spectator at each node."""

    def __init__(self, nodes: list[Node], room: str, now: list[int]) -> None:
        self.nodes, self.room, self._now = nodes, room, now
        self.followers = [Client(CARL), Client(CARL, "pierule.1.json")]
        self.seen: set[str] = set()

    async def follow(self) -> None:
        for node, follower in zip(self.nodes, self.followers, strict=True):
            await node.follow(follower, self.room, invitation="i" * 20)

    async def wait(self, ms: int, *, away: bool) -> None:
        """Let time pass, with the nodes about or not, and have done what is due."""
        store = self.nodes[0].store
        self._now[0] += ms
        if not away:
            store.beat(self._now[0])
        sweep = await self.nodes[0].log.tables.deadlines.sweep()
        for lost in sweep.lost:
            await self.nodes[0].rooms.changes.credit(lost)
        sweep = await self.nodes[0].log.tables.deadlines.sweep()
        for due in sweep.due:
            await self.nodes[1].rooms.time_out(due)
        await settle()

    async def ask(self, step: Ask, fault: Fault) -> None:
        """Ask one node, then the other one for the same."""
        node, other = self.nodes
        seat, request = request_of(step, node.kept(self.room))
        user = PLAYERS[seat]
        node.log.faults = deque([fault])
        try:
            answer = await put(node.rooms, user, request)
        except StoreUnavailable:
            return
        finally:
            node.log.faults.clear()
        entries = len(node.entries(self.room))
        if isinstance(answer, Ok):
            again = await put(other.rooms, user, request)
            assert isinstance(again, Ok)
            assert (again.place, again.turn) == (answer.place, answer.turn)
            assert answer.place in [entry.place for entry in node.entries(self.room)]
            assert len(node.entries(self.room)) == entries
        await settle()
        self.nodes.reverse()

    def check(self) -> Room:
        """What must hold at any time."""
        node = self.nodes[0]
        kept = node.kept(self.room)
        assert node.store.deadlines.get(self.room) == kept.deadline
        position = GAMES[kept.created.game].opening(kept.created.size)
        for action in kept.actions:
            position = position.play(action)  # type: ignore[assignment]
        assert kept.position == position
        assert len(kept.past) == len(kept.actions) + 1
        for follower in self.followers:
            assert follower.mirror() == room_state(kept)
        return kept


@given(made, st.integers(0, 6), steps)
@settings(max_examples=up_to(30), deadline=None)
def test_logs_refold_and_verify_after_any_course_of_requests(
    how: Any, begun: int, course: list[Any]
) -> None:
    asyncio.run(_any_course(how, begun, course))


async def _any_course(how: Any, begun: int, course: list[Any]) -> None:
    now = [1_700_000_000_000]
    store = ModelStore(lambda: now[0])
    async with running(2, store) as nodes:
        room = await begin(nodes[0].rooms, PLAYERS, how)
        table = Course(nodes, room, now)
        await table.follow()
        for number in range(begun):
            await table.ask(Ask("act", nodes[0].kept(room).position.to_act, None, number), "none")
        for wait, away, fault, ask in course:
            await table.wait(wait, away=away)
            table.check()
            await table.ask(ask, fault)
            table.check()
        await table.wait(5_000, away=False)
        kept = table.check()
        assert not store.cards  # it is private
        for name in [room, *filter(None, [kept.rematch])]:
            folded, told = retold(name, nodes[0].entries(name))
            assert verify(record_of(room_state(folded), told)) is None
        if kept.rematch is not None:
            await _check_rematch(nodes[0], kept)


async def _check_rematch(node: Node, kept: Room) -> None:
    new = node.kept(kept.rematch or "")
    assert new.created.rematch_of == kept.id
    assert new.seats == kept.seats[::-1]
    made_of = msgspec.structs.replace(
        kept.created, user=new.created.user, name=new.created.name, nonce=new.created.nonce,
        seat=None, players=new.created.players, rematch_of=kept.id,
    )  # fmt: skip
    assert new.created == made_of == decode_record(node.entries(new.id)[0].record)

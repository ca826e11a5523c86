"""Everything at once: whatever happens in whatever order, what was acknowledged is kept."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.messages import Ok
from pierule_protocol.state.room import room_state
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.room_log import StoreUnavailable
from support.examples import up_to
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, Client, Fault, Node, running, settle

steps = st.lists(
    st.tuples(
        st.integers(0, 1),  # on which node
        st.sampled_from(["act", "act", "act", "act", "again", "wrong", "take", "resign"]),
        st.integers(0, 99),  # which of the legal actions
        st.sampled_from(get_args(Fault)),
        st.sampled_from(["", "", "", "", "deaf", "lost", "away"]),
    ),
    min_size=3,
    max_size=25,
)


@given(steps)
@settings(max_examples=up_to(100))
def test_acknowledged_events_survive_any_course_of_events(course: list[Any]) -> None:
    """Whatever happens in whatever order: what was acknowledged is kept at its place, nothing
    happens twice, both nodes and all who follow come to know what the log says."""
    asyncio.run(_any_course(course))


def _request(node: Node, room: str, kind: str, pick: int, number: int) -> tuple[Any, ...]:
    """Who asks for what: mostly what is possible by the log, whatever the nodes know of it."""
    known = node.kept(room)
    seat = known.position.to_act
    user = BERT if (seat == 1) != (kind == "wrong") or kind == "take" else ANNA
    legal = list(known.position.actions()) or ["a1"]
    return user, kind, known.turn, legal[pick % len(legal)], f"n{number}"


async def _any_course(course: list[Any]) -> None:  # noqa: C901 - one story
    store = ModelStore()
    async with running(2, store) as nodes:
        room = await nodes[0].make()
        await nodes[0].take(BERT, room)
        followers = [Client(), Client(name="pierule.1.json")]
        for node, follower in zip(nodes, followers, strict=True):
            await node.follow(follower, room)
        acknowledged: list[Ok] = []
        last: Any = None
        known: Ok | None = None
        for number, (which, kind, pick, fault, trouble) in enumerate(course):
            node = nodes[which]
            if trouble == "deaf":
                node.deafen(room)
            if trouble == "lost":
                await settle()
                node.lose_tail(room, max(1, len(node.entries(room)) - 1))
                left = {entry.place for entry in node.entries(room)}
                acknowledged = [answer for answer in acknowledged if answer.place in left]
                last = known = None
                for each in nodes:
                    each.hub.gap([room])
                await settle()
            node.log.faults = type(node.log.faults)([fault])
            node.log.away = trouble == "away"
            request = _request(node, room, kind, pick, number)
            if kind == "again":
                request = last or request
            try:
                answer = await _do(node, room, *request)
            except (Refused, StoreUnavailable):
                last, known = request, None
                continue
            finally:
                node.log.away = False
                node.log.faults.clear()
            if request == last and known is not None and kind == "again":
                assert answer.place == known.place
            last = request
            # The answer to a join says where the node is, not where an event is.
            known = None if request[1] == "take" else answer
            if known is not None:
                acknowledged.append(known)
        for node in nodes:
            await node.log.subscribe(room)
            node.hub.gap([room])
        await settle()
        places = [entry.place for entry in nodes[0].entries(room)]
        for answer in acknowledged:
            assert answer.place in places
        kept = nodes[0].kept(room)
        for node, follower in zip(nodes, followers, strict=True):
            assert (await node.live(room)).room == kept
            assert follower.mirror() == room_state(kept)


async def _do(
    node: Node, room: str, user: User, kind: str, turn: int, action: str, nonce: str
) -> Ok:
    match kind:
        case "take":
            return await node.take(user, room, nonce=nonce)
        case "resign":
            return await node.resign(user, room, nonce)
    return await node.act(user, room, turn, action)


# --- who finds a room ---------------------------------------------------------------------------

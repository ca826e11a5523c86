"""Questions about rooms: lists of them, and what may be played."""

from __future__ import annotations

import msgspec

from pierule_protocol.codes import Code
from pierule_protocol.messages import LegalQuery, LegalRefusal, RoomsQuery
from pierule_protocol.state.room import own_card, room_card
from support.nodes import ANNA, BERT, CARL, Node, refused, settle


async def test_listed_cards_follow_their_rooms(node: Node) -> None:
    first, second = await node.make(), await node.make("taugo", 6, None)
    node.store.now = lambda: 4_000_000_000_000
    await node.take(BERT, first)
    answer = await node.rooms.cards(RoomsQuery(id=5, limit=10))
    assert answer.id == 5
    left = msgspec.structs.replace(own_card(node.kept(second)), away=True)
    assert answer.rooms == [room_card(node.kept(first)), left]
    assert answer.rooms[0].status == "running"
    assert (await node.rooms.cards(RoomsQuery(id=5, limit=1))).rooms == answer.rooms[:1]
    await node.act(ANNA, first, 0, "komi:12")
    cards = (await node.rooms.cards(RoomsQuery(id=5, limit=10))).rooms
    assert cards is not None
    assert cards[0] == room_card(node.kept(first))
    await node.resign(ANNA, first)
    assert (await node.rooms.cards(RoomsQuery(id=5, limit=10))).rooms == [left]


async def test_a_new_epoch_keeps_the_card(node: Node) -> None:
    room = await node.started()
    node.lose_tail(room, 4)
    node.hub.gap([room])
    await settle()
    assert (await node.rooms.cards(RoomsQuery(id=1, limit=10))).rooms == [
        room_card(node.kept(room))
    ]


async def test_legal_lists_the_actions_of_the_position(node: Node) -> None:
    room = await node.started()
    answer = await node.rooms.legal(ANNA, LegalQuery(id=3, room=room), admitted=False)
    assert answer.legal is not None
    position = node.kept(room).position
    assert (answer.id, answer.room, answer.legal.turn) == (3, room, 3)
    assert answer.legal.actions == list(position.actions())


async def test_a_question_about_a_turn_that_the_node_missed_is_answered(
    two: list[Node],
) -> None:
    """Whoever saw the turn at another node is not told that it is stale."""
    here, there = two
    room = await here.started()
    await there.live(room)
    there.deafen(room)
    played = await here.act(ANNA, room, 3, "b3")
    why = LegalQuery(id=1, room=room, turn=played.turn, action="b3")
    legal = (await there.rooms.legal(CARL, why, admitted=True)).legal
    assert legal is not None
    assert legal.refusal == LegalRefusal(rule="occupied", points=["b3"], text="b3 is not empty")
    stale = there.rooms.legal(CARL, LegalQuery(id=1, room=room, turn=3), admitted=True)
    told = await refused(Code.STALE, stale)
    assert told == {"place": played.place, "turn": played.turn}
    assert here.entries(room)[-1].place == played.place  # nothing was appended

"""What clients do with rooms: compare, append, and after any doubt read and decide again
(laws 3, 4 and 7), over a store that fails when it is told to."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    Created,
    Seated,
    decode_record,
    encode_record,
)
from pierule_protocol.messages import Create, Join, LegalQuery, Offer, Ok
from pierule_protocol.state.room import room_state
from pierule_server.identity.tokens import User
from pierule_server.rooms import changes
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.making import TRIES, room_id_for
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import UNUSED_MS, Account
from pierule_server.terms import AppendOptions
from support.nodes import ANNA, BERT, CARL, Client, Fault, Node, placed, refused, settle

# --- join --------------------------------------------------------------------------------------


async def test_joining_as_a_spectator_writes_nothing(node: Node) -> None:
    room = await node.started()
    length = len(node.entries(room))
    answer = await node.follow(Client(CARL), room)
    assert (answer.seats, answer.turn) == ([], 3)
    assert answer.place == node.entries(room)[-1].place
    assert len(node.entries(room)) == length


async def test_taking_a_seat_appends_the_seat(node: Node) -> None:
    room = await node.make()
    answer = await node.follow(Client(BERT), room, seat="any", nonce="s")
    assert (answer.seats, answer.turn) == ([1], 0)
    entry = node.entries(room)[-1]
    assert decode_record(entry.record) == Seated(1, "bert", "", "s")
    assert entry.names == {"bert": "Bert"}
    placed(node, room, answer)


async def test_a_seat_needs_a_nonce(node: Node) -> None:
    room = await node.make()
    joining = node.follow(Client(BERT), room, seat="any")
    assert await refused(Code.BAD_FIELD, joining) == {"field": "nonce"}
    assert len(node.entries(room)) == 1


async def test_a_seat_that_was_just_taken_is_in_the_answer(two: list[Node]) -> None:
    """Even where the store's message is lost, who was told `ok` finds the effect."""
    here, there = two
    room = await here.make()
    await there.live(room)
    there.deafen(room)
    client = Client(BERT)
    answer = await there.follow(client, room, seat="any", nonce="s")
    assert answer.seats == [1]
    assert client.mirror() == room_state(here.kept(room))


async def test_one_of_two_players_at_two_nodes_gets_the_seat(two: list[Node]) -> None:
    here, there = two
    room = await here.make()
    await asyncio.gather(here.live(room), there.live(room))
    outcomes = await asyncio.gather(
        here.take(BERT, room, 1), there.take(CARL, room, 1), return_exceptions=True
    )
    taken = [each for each in outcomes if isinstance(each, Ok)]
    lost = [each for each in outcomes if isinstance(each, Refused)]
    assert len(taken) == len(lost) == 1
    assert lost[0].code == Code.SEAT_TAKEN
    assert len(here.entries(room)) == 2


@pytest.mark.parametrize("seat", [0, 1])
async def test_two_players_who_take_any_seat_get_one_each(two: list[Node], seat: int) -> None:
    here, there = two
    room = await here.make(seat=None)
    await asyncio.gather(here.live(room), there.live(room))
    answers = await asyncio.gather(here.take(BERT, room), there.take(CARL, room))
    assert sorted(seats for answer in answers for seats in answer.seats or []) == [0, 1]
    assert here.kept(room).status == "running"


async def test_taking_a_seat_again_takes_it_once(two: list[Node]) -> None:
    here, there = two
    room = await here.make(seat=None)
    first = await here.take(BERT, room)
    again = await there.take(BERT, room)
    assert first.seats == again.seats == [0]
    assert len(here.entries(room)) == 2


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_taking_a_seat_reads_the_log_when_the_outcome_is_unknown(
    node: Node, fault: Fault
) -> None:
    room = await node.make()
    node.log.faults.append(fault)
    answer = await node.take(BERT, room)
    assert answer.seats == [1]
    assert len(node.entries(room)) == 2
    placed(node, room, answer)


# --- act ---------------------------------------------------------------------------------------


async def test_an_action_is_appended_and_answered_with_its_place(node: Node) -> None:
    room = await node.started()
    answer = await node.act(ANNA, room, 3, "b3")
    entry = node.entries(room)[-1]
    assert decode_record(entry.record) == Acted(0, "b3")
    assert (answer.room, answer.place, answer.turn) == (room, entry.place, 4)


async def test_playing_keeps_the_account_alive(node: Node) -> None:
    """SPEC 24.10; but not playing alone."""
    accounts = node.log.tables.accounts
    clock = node.store.now()
    for user in (ANNA, BERT, CARL):
        await accounts.claim(user.name, user.id)
        await accounts.keep(user.id, Account(user.name, user.name), UNUSED_MS)
    await node.started()
    alone = (await node.rooms.create(CARL, Create(id=1, nonce="n", game="loose", seat=0))).room
    assert alone is not None
    await node.rooms.join(CARL, Join(id=2, room=alone, seat=1, nonce="s"))
    await node.act(CARL, alone, 0, "komi:12")
    node.store.now = lambda: clock + 2 * UNUSED_MS
    assert [await accounts.read(user.id) is not None for user in (ANNA, BERT, CARL)] == [
        True, True, False,
    ]  # fmt: skip
    assert await accounts.owner(ANNA.name) == ANNA.id
    assert await accounts.owner(CARL.name) is None


async def test_a_repeated_action_is_answered_as_the_first_time(two: list[Node]) -> None:
    """Law 7: on any node, any time later; the event happens once."""
    here, _ = two
    room = await here.started()
    first = await here.act(ANNA, room, 3, "b3")
    for _ in range(2):
        for node in two:
            again = await node.act(ANNA, room, 3, "b3")
            assert (again.place, again.turn) == (first.place, first.turn)
        await here.act(BERT, room, 4, "d3")
    assert len(here.entries(room)) == 7


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_acting_reads_the_log_when_the_outcome_is_unknown(node: Node, fault: Fault) -> None:
    """Laws 3 and 7: appended or not, there is one event and one `ok` with its place."""
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    node.log.faults.append(fault)
    answer = await node.act(ANNA, room, 3, "b3")
    await settle()
    assert [decode_record(entry.record) for entry in node.entries(room)][5:] == [Acted(0, "b3")]
    assert answer.place == node.entries(room)[-1].place
    assert [event.seq for event in client.events()] == [6]
    assert client.mirror() == room_state(node.kept(room))


async def test_a_store_that_stays_away_is_unavailable_and_a_retry_is_safe(node: Node) -> None:
    room = await node.started()
    for fault in ("after", "before"):
        turn = node.kept(room).turn
        action = {3: "b3", 4: "d3"}[turn]
        user = {3: ANNA, 4: BERT}[turn]
        node.log.faults.append(fault)
        node.log.away = True
        with pytest.raises(StoreUnavailable):
            await node.act(user, room, turn, action)
        node.log.away = False
        answer = await node.act(user, room, turn, action)
        assert answer.place == node.entries(room)[-1].place
        assert len(node.entries(room)) == turn + 3


async def test_a_store_that_fails_for_ever_is_given_up(node: Node) -> None:
    room = await node.started()
    appends = node.log.appends
    node.log.faults.extend(["before"] * 1000)
    with pytest.raises(StoreUnavailable):
        await node.act(ANNA, room, 3, "b3")
    assert node.log.appends == appends + changes.TRIES
    assert len(node.entries(room)) == 5


async def test_an_action_is_not_acknowledged_before_the_store_has_it(node: Node) -> None:
    """Law 4: neither the mover nor the audience hears of an action that the store has not."""
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    client.forget()
    node.log.gate.clear()
    acting = asyncio.create_task(node.act(ANNA, room, 3, "b3"))
    await settle()
    assert not acting.done()
    assert client.events() == []
    assert (await node.live(room)).room.turn == 3
    node.log.gate.set()
    answer = await acting
    await settle()
    assert [event.seq for event in client.events()] == [6]
    placed(node, room, answer)


async def test_a_node_reads_the_log_before_it_refuses(two: list[Node]) -> None:
    """The opponent acted on the other node, and we were not told: we must not say no."""
    here, there = two
    room = await here.started()
    await there.live(room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    answer = await there.act(BERT, room, 4, "d3")
    assert answer.turn == 5
    assert len(here.entries(room)) == 7


@pytest.mark.parametrize(
    ("user", "turn", "action", "code"),
    [
        (ANNA, 3, "c3", Code.ILLEGAL),
        (ANNA, 2, "b3", Code.STALE),
        (BERT, 3, "b3", Code.NOT_YOUR_TURN),
        (CARL, 3, "b3", Code.NOT_SEATED),
    ],
)
async def test_a_refusal_writes_nothing_and_reads_once(
    node: Node, user: User, turn: int, action: str, code: Code
) -> None:
    room = await node.started()
    reads, appends = node.log.reads, node.log.appends
    await refused(code, node.act(user, room, turn, action))
    assert (node.log.reads, node.log.appends) == (reads + 1, appends)


async def test_a_refusal_with_a_store_that_is_away_is_unavailable(node: Node) -> None:
    room = await node.started()
    node.log.away = True
    with pytest.raises(StoreUnavailable):
        await node.act(BERT, room, 3, "b3")


async def test_a_stale_action_is_told_the_current_place(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    await there.live(room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    fields = await refused(Code.STALE, there.act(ANNA, room, 3, "d3"))
    assert fields == {"place": here.entries(room)[-1].place, "turn": 4}


async def test_the_same_action_on_two_nodes_at_once_happens_once(two: list[Node]) -> None:
    """One player, two tabs: compare and append is one step, so one of them conflicts."""
    here, there = two
    room = await here.started()
    await there.live(room)
    there.deafen(room)
    answers = await asyncio.gather(here.act(ANNA, room, 3, "b3"), there.act(ANNA, room, 3, "b3"))
    assert answers[0].place == answers[1].place == here.entries(room)[-1].place
    assert len(here.entries(room)) == 6


async def test_one_of_two_actions_at_the_same_turn_wins(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    await there.live(room)
    outcomes = await asyncio.gather(
        here.act(ANNA, room, 3, "b3"), there.act(ANNA, room, 3, "d3"), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["Ok", "Refused"]
    assert len(here.entries(room)) == 6
    stale = next(each for each in outcomes if isinstance(each, Refused))
    assert stale.code == Code.STALE


async def test_requests_for_an_unknown_room_are_refused(node: Node) -> None:
    for doing in (
        node.act(ANNA, "nope", 0, "a"),
        node.resign(ANNA, "nope"),
        node.take(ANNA, "nope"),
        node.rooms.legal(ANNA, LegalQuery(id=1, room="nope"), admitted=False),
    ):
        assert await refused(Code.UNKNOWN_ROOM, doing) == {"field": "room"}
    assert node.store.rooms == []
    assert node.log.subscribed == []


# --- resign ------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_resigning_reads_the_log_when_the_outcome_is_unknown(
    node: Node, fault: Fault
) -> None:
    room = await node.started()
    node.log.faults.append(fault)
    answer = await node.resign(BERT, room)
    again = await node.resign(BERT, room)
    assert (again.place, again.turn) == (answer.place, answer.turn)
    assert answer.place == node.entries(room)[-1].place
    assert len(node.entries(room)) == 6
    assert node.kept(room).status == "over"


async def test_the_first_of_two_resignations_counts(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    await there.live(room)
    outcomes = await asyncio.gather(
        here.resign(ANNA, room), there.resign(BERT, room), return_exceptions=True
    )
    lost = [each for each in outcomes if isinstance(each, Refused)]
    assert [each.code for each in lost] == [Code.FINISHED]
    assert len(here.entries(room)) == 6


async def test_a_player_seated_at_another_node_needs_no_invitation(two: list[Node]) -> None:
    here, there = two
    private = Create(id=9, nonce="n", game="loose", seat=0, access="private", invitation="i" * 16)
    room = (await here.rooms.create(ANNA, private)).room or ""
    await there.live(room)
    there.deafen(room)
    join = Join(id=1, room=room)
    assert await refused(Code.PRIVATE, there.rooms.join(BERT, join)) == {"field": "invitation"}
    sit = Join(id=2, room=room, seat=1, nonce="s", invitation="i" * 16)
    await here.rooms.join(BERT, sit)
    answer, _, _ = await there.rooms.join(BERT, join)
    assert answer.seats == [1]


async def test_a_limit_holds_for_rematches(node: Node) -> None:
    room = await node.started()
    await node.resign(ANNA, room)
    rooms = Rooms(node.hub, node.log, node.log.tables, rooms_per_user=1)
    await rooms.create(ANNA, Create(id=9, nonce="another", game="loose"))
    for user in (BERT, ANNA):
        offer = Offer(id=1, room=room, what="rematch", nonce="o")
        doing = rooms.agree(user, offer)
        if user is BERT:
            await doing
        else:
            assert await refused(Code.LIMIT, doing) == {}
    assert node.kept(room).rematching is None


@pytest.mark.parametrize("known", [False, True], ids=["by_strangers", "by_chance"])
async def test_the_room_of_a_rematch_cannot_be_taken(node: Node, known: bool) -> None:
    """Strangers do not know its ids; and if some are taken, others are not."""
    room = await node.started()
    await node.resign(ANNA, room)
    key = node.log.tables.secrets.rooms if known else b""
    taken = {room_id_for(room, "rematch", attempt, key) for attempt in range(3 * TRIES)}
    record = encode_record(Created("loose", 9, CARL.id, CARL.name, "x"))
    for room_id in taken:
        await node.log.append(room_id, EMPTY, record, AppendOptions())
    for user in (BERT, ANNA):
        done = await node.rooms.agree(user, Offer(id=1, room=room, what="rematch", nonce="o"))
    rematch = node.kept(room).rematch
    assert rematch is not None
    assert rematch not in taken
    assert node.kept(rematch).created.rematch_of == room
    assert done.place == node.kept(room).place
    if not known:
        secret = node.log.tables.secrets.rooms
        assert rematch == room_id_for(room, "rematch", 0, secret)
        assert not taken & {room_id_for(room, "rematch", attempt, secret) for attempt in range(99)}

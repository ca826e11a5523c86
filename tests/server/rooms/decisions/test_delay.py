"""Spectators are behind by the room's delay, whatever they ask (SPEC 20.5, laws 6 and 11)."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import support.nodes
from pierule_protocol.codec import server_codecs
from pierule_protocol.log.events import Acted, decode_record
from pierule_protocol.messages import (
    Accept,
    Create,
    Error,
    Event,
    LegalQuery,
    LogQuery,
    Offer,
    Ok,
    RoomsQuery,
    RoomState,
    ServerMessage,
)
from pierule_protocol.state.room import room_state
from pierule_server.connections import connection
from pierule_server.identity.tokens import User
from pierule_server.rooms import live as live_module
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.decisions.delay import horizon
from support.examples import up_to
from support.logs import folded
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, frames, running, settle

PLAYERS = ANNA, BERT
CODEC = server_codecs()["pierule.1.json"]


class Match:
    """A room with a delay over two nodes, whose time is that of the test, and those who follow it.

    `told` is all that a spectator was answered.
    """

    def __init__(self, nodes: list[Node], room: str) -> None:
        self.nodes, self.room = nodes, room
        self.spectators: list[Client] = []
        self.known: list[RoomState | None] = []  # from where each of them has gone on
        self.told: list[bytes] = []
        self._nonces = 0

    def kept(self) -> Any:
        return self.nodes[0].kept(self.room)

    def nonce(self) -> str:
        self._nonces += 1
        return f"n{self._nonces}"

    async def do(self, step: int) -> bool:
        """Play, offer a takeback or allow one, as the number has it; whether it was an action."""
        room, node = self.kept(), self.nodes[step % 2]
        if room.status != "running":
            return False
        if step % 5 == 0:
            await self.deal(node, room, step)
            return False
        actions = list(room.position.actions())
        seat = room.position.to_act
        await node.act(PLAYERS[seat], self.room, room.turn, actions[step % len(actions)])
        await settle()
        return True

    async def deal(self, node: Node, room: Any, step: int) -> None:
        for seat in (0, 1):
            user, nonce = PLAYERS[seat], self.nonce()
            if room.offers.standing[1 - seat] == "takeback":
                request: Any = Accept(
                    id=1, room=self.room, what="takeback", turn=room.turn, nonce=nonce
                )
                await node.rooms.agree(user, request)
                break
            if (seat + step // 5) % 2 and not room.offers.hindrance(seat, "takeback"):
                try:
                    request = Offer(id=1, room=self.room, what="takeback", nonce=nonce)
                    await node.rooms.agree(user, request)
                except Refused:
                    continue
                break
        await settle()

    async def look(self, step: int) -> None:
        """Somebody joins, comes back to some place, or asks."""
        node = self.nodes[step % 2]
        spectator = Client(User(f"eve{step}", "Eve"), "pierule.1.json")
        index = step % (len(self.spectators) + 1)
        state = self.mirror(index) if index < len(self.spectators) else None
        since = None if state is None else state.place
        self.spectators.append(spectator)
        self.known.append(state)
        answer = await node.follow(spectator, self.room, since)
        if since is not None:
            assert answer.resumed is True
        await self.ask(node)

    def mirror(self, index: int) -> RoomState:
        """The room as a spectator knows it."""
        return self.spectators[index].mirror(self.known[index])

    async def ask(self, node: Node) -> None:
        rooms, admitted = node.rooms, {"admitted": True}
        answers = [
            await rooms.log(CARL, LogQuery(id=1, room=self.room), **admitted),
            await rooms.legal(CARL, LegalQuery(id=1, room=self.room), **admitted),
            await rooms.cards(RoomsQuery(id=1, limit=10)),
            *[
                await self.why(node, **question, turn=turn)
                for question in ({"action": "c3"}, {"points": ["c3"]})
                for turn in (None, self.kept().turn)
            ],
        ]
        self.told += [CODEC.encode(answer) for answer in answers]

    async def why(self, node: Node, **question: Any) -> Ok | Error:
        """What a spectator hears about an action, also at the turn at which the players are."""
        request = LegalQuery(id=1, room=self.room, **question)
        try:
            return await node.rooms.legal(CARL, request, admitted=True)
        except Refused as refused:
            return Error(id=1, code=refused.code, text=refused.text, **refused.fields)


async def begun(nodes: list[Node], delay: int) -> Match:
    request = Create(id=1, nonce="c", game="loose", size=5, seat=0, delay=delay)
    room = (await nodes[0].rooms.create(ANNA, request)).room
    assert room is not None
    await nodes[1].take(BERT, room)
    return Match(nodes, room)


async def shown(delay: int, before: list[int], tail: list[int], looks: list[int]) -> list[bytes]:
    """All bytes that reach spectators of a game whose last `delay` actions, and what comes between
    them, are `tail`'s."""
    time = [1_700_000_000_000]
    store = ModelStore(lambda: time[0])
    with patch.object(support.nodes, "_ids", count(1)):  # the ids of requests come back in answers
        return await _shown(store, time, delay, before, tail, looks)


async def _shown(
    store: ModelStore,
    time: list[int],
    delay: int,
    before: list[int],
    tail: list[int],
    looks: list[int],
) -> list[bytes]:
    async with running(2, store) as nodes:
        match = await begun(nodes, delay)
        for number, step in enumerate(before):
            time[0] += 1_000
            await match.do(step)
            if number % 2:
                await match.look(number)
        played, longer = 0, 0
        while played < delay:  # the first of them is an action, or what was before it would show
            step = tail[longer % len(tail)] + longer // len(tail)
            time[0] += 1_000 + step
            played += await match.do(step if played else 5 * step + 1)
            longer += 1
            assume(longer < 100)
            assume(match.kept().status == "running")
        time[0] = 1_700_001_000_000
        for step in looks:
            await match.look(step)
        sent = [data for each in match.spectators for data in frames(bytes(each.socket.written))]
        # Presence comes when real time has passed; it knows nothing but `shown` (`Hub.follow`).
        return [*match.told, *(data for data in sent if b'"presence"' not in data)]


steps = st.integers(0, 10_000)


@settings(max_examples=up_to(12), deadline=None)
@given(
    st.integers(1, 4),
    st.lists(steps, max_size=12),
    st.lists(steps, min_size=1, max_size=8),
    st.lists(steps, min_size=1, max_size=8),
    st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True),
)
def test_a_delayed_spectator_gets_no_byte_that_depends_on_the_latest_actions(
    delay: int, before: list[int], one: list[int], other: list[int], looks: list[int]
) -> None:
    looks = [100 + look for look in looks]
    first = asyncio.run(shown(delay, before, one, looks))
    assert first == asyncio.run(shown(delay, before, other, looks))


@settings(max_examples=up_to(12), deadline=None)
@given(st.integers(0, 4), st.lists(steps, max_size=16))
def test_delayed_spectators_see_a_shorter_log_until_the_game_ends(
    delay: int, script: list[int]
) -> None:
    async def scenario() -> None:
        async with running(2) as nodes:
            match = await begun(nodes, delay)
            for number, step in enumerate(script):
                await match.do(step)
                if number % 3 == 0:
                    await match.look(number)
                room = match.kept()
                entries = nodes[0].entries(match.room)
                seen = folded(entries[: horizon(room)], match.room)
                hidden = [decode_record(each.record) for each in entries[horizon(room) :]]
                if room.status != "over":
                    acted = sum(isinstance(each, Acted) for each in hidden)
                    assert acted == min(delay, sum(map(_acted, entries)))
                for index in range(len(match.spectators)):
                    assert match.mirror(index) == room_state(seen)
            if match.kept().status == "running":
                await nodes[0].resign(ANNA, match.room)
            await settle()
            for index in range(len(match.spectators)):
                assert match.mirror(index) == room_state(match.kept())

    asyncio.run(scenario())


def _acted(entry: Any) -> bool:
    return isinstance(decode_record(entry.record), Acted)


async def test_players_get_events_at_once_and_each_event_is_encoded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []
    real = connection.frame

    def counted(codec: Any, message: ServerMessage) -> bytes:
        made.append(message)
        return real(codec, message)

    monkeypatch.setattr(live_module, "frame", counted)
    monkeypatch.setattr(connection, "frame", counted)
    async with running(1) as [node]:
        match = await begun([node, node], 2)
        name = "pierule.1.json"
        player = Client(ANNA, name, CODEC)
        crowd = [Client(User(f"u{n}", "U"), name, CODEC) for n in range(5)]
        for each in (player, *crowd):
            await node.follow(each, match.room)
        made.clear()
        for turn, (user, action) in enumerate(
            [(ANNA, "komi:12"), (BERT, "black"), (BERT, "c3"), (ANNA, "b2")]
        ):
            await node.act(user, match.room, turn, action)
            await settle()
            assert player.mirror().turn == turn + 1
            assert {each.mirror().turn for each in crowd} == {max(0, turn - 1)}
        assert len([each for each in made if isinstance(each, Event)]) == 4


async def test_taking_a_seat_ends_the_delay_on_all_connections() -> None:
    async with running(2) as nodes:
        request = Create(id=1, nonce="c", game="loose", size=5, seat=0, delay=3)
        room = (await nodes[0].rooms.create(ANNA, request)).room
        assert room is not None
        watching, sitting = Client(BERT), Client(BERT)
        await nodes[1].follow(watching, room)
        answer: Ok = await nodes[0].follow(sitting, room, seat=1, nonce="s")
        assert answer.seats == [1]
        await nodes[0].act(ANNA, room, 0, "komi:12")
        await settle()
        for client in (watching, sitting):
            assert client.mirror() == room_state(nodes[0].kept(room))
        nodes[0].hub.leave(sitting.connection, room)
        back = Client(BERT)
        await nodes[0].follow(back, room)
        assert back.mirror().turn == 1


async def test_the_card_of_a_delayed_room_stays_as_when_the_game_began() -> None:
    async with running(1) as [node]:
        match = await begun([node, node], 1)
        before = (await node.rooms.cards(RoomsQuery(id=1, limit=10))).rooms
        for turn, (user, action) in enumerate([(ANNA, "komi:12"), (BERT, "black")]):
            await node.act(user, match.room, turn, action)
        assert (await node.rooms.cards(RoomsQuery(id=1, limit=10))).rooms == before
        await node.resign(ANNA, match.room)
        assert (await node.rooms.cards(RoomsQuery(id=1, limit=10))).rooms == []

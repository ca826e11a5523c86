"""Who hears what in a room, over several nodes: never what is for the other side (SPEC 21)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Block,
    Channel,
    Chat,
    ChatHistoryQuery,
    ChatMessage,
    Error,
    Event,
    Join,
    Leave,
    Ok,
    ReportMessage,
    Request,
    Resign,
    Say,
)
from pierule_server.connections.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.handlers import chat as chat_module
from pierule_server.identity.tokens import User
from pierule_server.rooms.chat_history import TOLD
from pierule_server.rooms.live import refold
from pierule_server.settings import Settings
from pierule_server.store.buckets import messages_key
from pierule_server.store.room_log import StoreUnavailable
from support.examples import up_to
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle
from support.ports import KEYS, limits

DORA = User("dora", "Dora")
_ids = count(1)
Heard: TypeAlias = list[tuple[Channel, int, str | None]]


class Harness:
    """Two nodes, and who is connected to them."""

    def __init__(
        self, nodes: list[Node], *, chat: bool = True, reportable: int = 0, **fields: Any
    ) -> None:
        self.nodes = nodes
        self.clients: list[Client] = []
        stated = limits(
            Settings(**{"chat_rate": 0, "channel_rate": 0, "messages_kept": 100, **fields})
        )
        self.connections = [Connections() for _ in nodes]
        self.dispatches = [
            Dispatch(
                node.hub,
                node.rooms,
                node.lobby,
                node.log,
                node.log.tables,
                KEYS,
                stated,
                "test",
                each,
                chat=chat,
                reportable=reportable,
            )
            for node, each in zip(nodes, self.connections, strict=True)
        ]

    def client(self, user: User, node: int = 0, codec: str = "pierule.1.msgpack") -> Client:
        client = Client(user, codec)
        self.connections[node]._open.add(client.connection)
        client.dispatch = self.dispatches[node]  # type: ignore[attr-defined]
        self.clients.append(client)
        return client

    async def ask(self, client: Client, kind: type[Request], **fields: Any) -> Ok | Error:
        request = kind(id=next(_ids), **fields)
        dispatch: Dispatch = client.dispatch  # type: ignore[attr-defined]
        await dispatch.answer(client.connection, request)  # type: ignore[arg-type]
        (answer,) = [
            m for m in client.received() if isinstance(m, Ok | Error) and m.id == request.id
        ]
        return answer

    async def ok(self, client: Client, kind: type[Request], **fields: Any) -> Ok:
        answer = await self.ask(client, kind, **fields)
        assert isinstance(answer, Ok), answer
        return answer

    async def refused(
        self, client: Client, code: Code, kind: type[Request], **fields: Any
    ) -> Error:
        answer = await self.ask(client, kind, **fields)
        assert isinstance(answer, Error), answer
        assert answer.code == code, answer
        return answer

    async def say(self, client: Client, room: str, text: str) -> ChatMessage:
        answer = await self.ok(client, Say, room=room, nonce=f"n{next(_ids)}", text=text)
        assert answer.messages is not None
        await settle()
        return answer.messages[0]


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    async with running(2) as nodes:
        yield Harness(nodes)


def heard(client: Client) -> Heard:
    """What has come by itself."""
    return [
        (chat.channel, line.seq, line.text)
        for chat in client.received() if isinstance(chat, Chat)
        for line in chat.messages
    ]  # fmt: skip


# --- never to the wrong side -------------------------------------------------------------------

BEGUN: list[tuple[str, int, Any]] = [
    *(("join", who, None) for who in range(4)),
    ("sit", 0, 0),
    ("sit", 1, 1),
]
steps = st.lists(
    st.tuples(
        st.sampled_from(["join", "leave", "sit", "say", "say", "say", "resign"]),
        st.integers(0, 5),
        st.sampled_from(["any", 0, 1]),
    ),
    max_size=40,
)


@given(st.booleans(), steps)
@settings(max_examples=up_to(200))
def test_no_message_reaches_the_wrong_channel(
    begun: bool, todo: list[tuple[str, int, Any]]
) -> None:
    asyncio.run(_anything([*BEGUN, *todo] if begun else todo))


async def _anything(todo: list[tuple[str, int, Any]]) -> None:
    """Users come, go, sit down, speak and end the game at random, at two nodes and in both codecs.
    What was said to one side while the game ran, the other side has not got one byte of until the
    game is over; then everybody who follows has all of it."""
    async with running(2) as nodes:
        harness = Harness(nodes)
        room = await nodes[0].make(seat=None)
        for n in range(6):
            codec = f"pierule.1.{'json' if n % 3 else 'msgpack'}"
            harness.client(User(f"user{n}", f"User {n}"), n % 2, codec)
        secrets: list[tuple[Channel, bytes]] = []
        for number, (what, who, seat) in enumerate(todo):
            answer = await _do(harness, harness.clients[who], room, number, what, seat)
            if number % 3 == 0:
                await settle()
            kept = nodes[0].kept(room)
            if isinstance(answer, Ok) and answer.channel and kept.status == "running":
                secrets.append((answer.channel, secret(number).encode()))
            if kept.status == "over":
                await _all_is_told(harness, room, secrets)
                break
            for client in harness.clients:
                side = "players" if kept.seats_of(client.user.id) else "spectators"
                for channel, text in secrets:
                    assert channel == side or text not in bytes(client.socket.written)


def secret(number: int) -> str:
    return f"secret-{number}-"


async def _do(
    harness: Harness, client: Client, room: str, number: int, what: str, seat: Any
) -> Ok | Error:
    match what:
        case "join":
            return await harness.ask(client, Join, room=room)
        case "leave":
            return await harness.ask(client, Leave, room=room)
        case "sit":
            return await harness.ask(client, Join, room=room, seat=seat, nonce=f"s{number}")
        case "resign":
            return await harness.ask(client, Resign, room=room, nonce=f"r{number}")
    return await harness.ask(client, Say, room=room, nonce=f"n{number}", text=secret(number))


async def _all_is_told(harness: Harness, room: str, secrets: list[tuple[Channel, bytes]]) -> None:
    for client in harness.clients:
        await harness.ask(client, Join, room=room)
        await settle()
        for _, text in secrets:
            assert text in bytes(client.socket.written)


async def test_a_node_that_is_behind_catches_up_before_it_delivers_chat(harness: Harness) -> None:
    """It missed that Carl has sat down: what spectators say is nothing for him any more."""
    one, other = harness.nodes
    room = await one.make()
    carl, dora = harness.client(CARL, 1), harness.client(DORA, 0)
    await harness.ok(carl, Join, room=room)
    await harness.ok(dora, Join, room=room)
    other.deafen(room)
    await one.take(CARL, room)
    await other.log.subscribe(room)
    await harness.say(dora, room, "psst")
    assert "psst" not in str(heard(carl))
    assert (await other.live(room)).room.seats_of("carl") == [1]


@pytest.mark.parametrize("how", ["asks", "gap"])
async def test_chat_follows_a_change_of_sides_before_delivery(harness: Harness, how: str) -> None:
    """Carl has sat down, and the game runs, while his node heard nothing of it."""
    one, other = harness.nodes
    room = await one.make()
    carl, dora = harness.client(CARL, 1), harness.client(DORA, 0)
    for client in (carl, dora):
        await harness.ok(client, Join, room=room)
    other.deafen(room)
    await one.take(CARL, room)
    await harness.say(dora, room, "psst")
    assert (await other.live(room)).room.status == "open"
    if how == "asks":
        await harness.refused(
            carl, Code.WRONG_CHANNEL, ChatHistoryQuery, room=room, channel="spectators"
        )
    else:
        other.hub.gap([room])
        await settle()
    assert (await other.live(room)).room.status == "running"
    assert "psst" not in str(carl.received())


async def test_a_delayed_spectator_cannot_tell_the_end_from_the_chat(harness: Harness) -> None:
    """SPEC 20.5, 21.2: the event that ends the game comes before what the players have said."""
    one, other = harness.nodes
    room = await one.make(delay=2)
    await other.take(BERT, room)
    anna, carl = harness.client(ANNA, 0), harness.client(CARL, 1)
    for client in (anna, carl):
        await harness.ok(client, Join, room=room)
    for turn, (user, action) in enumerate([(ANNA, "komi:12"), (BERT, "black"), (BERT, "c3")]):
        await one.act(user, room, turn, action)
    await harness.say(anna, room, "psst")
    await harness.refused(carl, Code.WRONG_CHANNEL, ChatHistoryQuery, room=room, channel="players")
    await harness.ok(anna, Resign, room=room, nonce="r")
    await settle()
    came = [m for m in carl.received() if isinstance(m, Event | Chat)]
    assert [type(m) for m in came] == [Event] * 4 + [Chat]
    assert isinstance(came[3], Event)
    assert came[3].diff.status == "over"
    live = await other.live(room)
    entries = await other.hub.recovery.entries(room)
    live.shown = refold(room, entries[:-1])  # as if spectators had not been told of the end yet
    await harness.say(anna, room, "good game")
    await harness.refused(carl, Code.WRONG_CHANNEL, ChatHistoryQuery, room=room, channel="players")
    assert [text for _, _, text in heard(carl)] == ["psst"]
    assert [text for _, _, text in heard(anna)] == ["psst", "good game"]


async def test_a_missed_message_comes_with_the_next(harness: Harness) -> None:
    one, other = harness.nodes
    room = await one.make()
    anna, carl = harness.client(ANNA, 0), harness.client(CARL, 1)
    for client in (anna, carl):
        await harness.ok(client, Join, room=room)
    await harness.say(anna, room, "first")
    other.deafen(room)
    for number in range(TOLD + 3):
        await harness.say(anna, room, f"lost {number}")
    await other.log.subscribe(room)
    await harness.say(anna, room, "last")
    assert [seq for _, seq, _ in heard(carl)] == list(range(1, TOLD + 6))
    other.hub.gap([room])
    await settle()
    assert [seq for _, seq, _ in heard(carl)] == list(range(1, TOLD + 6))


async def test_what_is_said_after_a_fail_over_that_lost_messages_is_heard(harness: Harness) -> None:
    """SPEC 21.5."""
    one = harness.nodes[0]
    room = await one.make()
    anna, carl = harness.client(ANNA, 0), harness.client(CARL, 1)
    for client in (anna, carl):
        await harness.ok(client, Join, room=room)
    for text in ("first", "lost", "lost too"):
        await harness.say(anna, room, text)
    one.store.run("DEL", messages_key(room, "players"))
    await harness.say(anna, room, "heard")
    assert [(seq, text) for _, seq, text in heard(carl)][-1] == (4, "heard")
    assert [seq for _, seq, _ in heard(anna)] == [1, 2, 3, 4]


async def test_messages_are_caught_up_after_a_gap(harness: Harness) -> None:
    one, other = harness.nodes
    room = await one.make()
    anna, carl = harness.client(ANNA, 0), harness.client(CARL, 1)
    for client in (anna, carl):
        await harness.ok(client, Join, room=room)
    other.deafen(room)
    await harness.say(anna, room, "lost")
    assert heard(carl) == []
    other.hub.gap([room])
    await settle()
    assert heard(carl) == [("players", 1, "lost")]


async def test_a_joining_user_gets_the_latest_messages(harness: Harness) -> None:
    room = await harness.nodes[0].make()
    anna = harness.client(ANNA)
    await harness.ok(anna, Join, room=room)
    for number in range(TOLD + 5):
        await harness.say(anna, room, f"line {number}")
    for node in (0, 1):  # one has them at hand, the other has to read them
        carl = harness.client(CARL, node)
        await harness.ok(carl, Join, room=room)
        assert [seq for _, seq, _ in heard(carl)] == list(range(6, TOLD + 6))


async def test_messages_that_could_not_be_read_are_read_for_the_next_follower(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = harness.nodes
    room = await one.make()
    anna = harness.client(ANNA, 0)
    await harness.ok(anna, Join, room=room)
    await harness.say(anna, room, "hello")

    async def away(*_: Any) -> None:
        raise StoreUnavailable

    carl = harness.client(CARL, 1)
    with monkeypatch.context() as patched:
        patched.setattr(other.hub.chat_recovery, "_chats", SimpleNamespace(messages=away))
        await harness.refused(carl, Code.UNAVAILABLE, Join, room=room)
    await harness.ok(carl, Join, room=room)
    assert heard(carl) == [("players", 1, "hello")]


# --- blocks, rates and reports -----------------------------------------------------------------


async def test_a_muted_user_is_not_heard(harness: Harness) -> None:
    room = await harness.nodes[0].started()
    carl, dora = harness.client(CARL, 0), harness.client(DORA, 1, "pierule.1.json")
    elsewhere = harness.client(DORA, 0)
    for client in (carl, dora, elsewhere):
        await harness.ok(client, Join, room=room)
    await harness.ok(dora, Block, user="carl", level="mute")
    await harness.say(carl, room, "insult-1")
    assert heard(dora) == [("spectators", 1, None)]
    assert heard(elsewhere) == [("spectators", 1, "insult-1")]  # until it joins again
    await harness.ok(elsewhere, Join, room=room)
    await harness.say(carl, room, "insult-2")
    answer = await harness.ok(dora, ChatHistoryQuery, room=room, channel="spectators")
    assert [line.text for line in answer.messages or []] == [None, None]
    assert b"insult" not in bytes(dora.socket.written)
    assert b"insult-2" not in bytes(elsewhere.socket.written)
    assert b"Carl" not in bytes(dora.socket.written)
    await harness.ok(dora, Block, user="carl")
    await harness.say(carl, room, "hello")
    assert heard(dora)[-1] == ("spectators", 3, "hello")


async def test_the_chat_rate_is_per_user(harness: Harness) -> None:
    """Law 10: whatever the room and the connection, and other requests are not concerned."""
    harness = Harness(harness.nodes, chat_rate=1, chat_burst=3)
    rooms = [await harness.nodes[0].make() for _ in range(2)]
    carls = [harness.client(CARL) for _ in range(2)]
    for carl, room in zip(carls, rooms, strict=True):
        await harness.ok(carl, Join, room=room)
    for number in range(3):
        await harness.say(carls[number % 2], rooms[number % 2], "x")
    for carl, room in zip(carls, rooms, strict=True):
        error = await harness.refused(carl, Code.RATE, Say, room=room, nonce="n", text="x")
        assert 0 < (error.retry_ms or 0) <= 1_001
        await harness.ok(carl, ChatHistoryQuery, room=room, channel="spectators")


async def test_a_crowd_cannot_push_out_a_reportable_message(harness: Harness) -> None:
    harness = Harness(
        harness.nodes, reportable=40, messages_kept=10, channel_rate=1, channel_burst=20
    )
    room = await harness.nodes[0].started()
    carl, dora = harness.client(CARL), harness.client(DORA)
    for client in (carl, dora):
        await harness.ok(client, Join, room=room)
    await harness.say(carl, room, "an insult")
    said = 0
    for number in range(45):
        guest = harness.client(User(f"g{number}", "Guest"), number % 2)
        await harness.ok(guest, Join, room=room)
        answer = await harness.ask(guest, Say, room=room, nonce="n", text="flood")
        assert isinstance(answer, Ok) or answer.code == Code.RATE
        said += isinstance(answer, Ok)
    assert said <= 25
    told = await harness.ok(dora, ChatHistoryQuery, room=room, channel="spectators", first=1)
    assert [line.seq for line in told.messages or []] == list(range(said - 8, said + 2))
    await harness.ok(dora, ReportMessage, room=room, channel="spectators", seq=1, text="look")
    (report,) = (await harness.nodes[0].log.tables.moderation.reports()).values()
    assert (report.message.seq, report.message.text) == (1, "an insult")


async def test_invalid_reports_are_refused(harness: Harness) -> None:
    room = await harness.nodes[0].started()
    carl, anna = harness.client(CARL), harness.client(ANNA)
    fields = {"room": room, "channel": "spectators", "seq": 1}
    await harness.refused(carl, Code.NOT_FOLLOWING, ReportMessage, **fields)
    await harness.ok(carl, Join, room=room)
    await harness.refused(carl, Code.BAD_FIELD, ReportMessage, **fields)
    for number in range(1, 15):
        await harness.say(carl, room, f"line {number}")
    await harness.refused(anna, Code.WRONG_CHANNEL, ReportMessage, **fields)
    await harness.refused(carl, Code.BAD_FIELD, ReportMessage, **fields, text="\u202e")
    for _ in range(2):
        await harness.ok(carl, ReportMessage, **{**fields, "seq": 9}, text="why")
    (report,) = (await harness.nodes[0].log.tables.moderation.reports()).values()
    assert [line.seq for line in report.context] == list(range(4, 15))
    assert (report.by, report.message.text, report.text) == ("carl", "line 9", "why")


async def test_a_server_without_chat_refuses_messages_and_keeps_blocks() -> None:
    """SPEC 21.9."""
    async with running() as nodes:
        harness = Harness(nodes, chat=False)
        room = await nodes[0].make()
        anna = harness.client(ANNA)
        await harness.ok(anna, Join, room=room)
        for kind, fields in (
            (Say, {"nonce": "n", "text": "x"}),
            (ChatHistoryQuery, {"channel": "players"}),
            (ReportMessage, {"channel": "players", "seq": 1}),
        ):
            await harness.refused(anna, Code.CHAT_OFF, kind, room=room, **fields)
        await harness.ok(anna, Block, user="carl", level="block")
        await harness.refused(
            harness.client(CARL), Code.BLOCKED, Join, room=room, seat="any", nonce="s"
        )


async def test_a_blocked_user_may_watch_and_keeps_a_seat(harness: Harness) -> None:
    room = await harness.nodes[0].make()
    anna, bert = harness.client(ANNA), harness.client(BERT, 1)
    await harness.ok(anna, Block, user="bert", level="block")
    await harness.ok(bert, Join, room=room)
    await harness.refused(bert, Code.BLOCKED, Join, room=room, seat="any", nonce="s")
    assert len(harness.nodes[0].entries(room)) == 1
    await harness.ok(anna, Block, user="bert")
    await harness.ok(bert, Join, room=room, seat="any", nonce="s")
    await harness.ok(anna, Block, user="bert", level="block")
    assert (await harness.ok(bert, Join, room=room, seat="any", nonce="s")).seats == [1]


async def test_only_ids_that_users_can_have_are_blocked(harness: Harness) -> None:
    anna = harness.client(ANNA)
    for bad in ("\x1b[31mred", "", "x" * 65, "a b"):
        assert (await harness.refused(anna, Code.BAD_FIELD, Block, user=bad, level="mute")).field
    for good in ("0123456789abcdef", "house-one-step-home"):
        await harness.ok(anna, Block, user=good, level="mute")


async def test_one_address_cannot_fill_the_queue_of_reports(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many guests it has; somebody elsewhere is heard."""
    monkeypatch.setattr(chat_module, "REPORTS_AT_ONCE", 3)
    harness = Harness(harness.nodes)
    room = await harness.nodes[0].make()
    talker = harness.client(ANNA)
    await harness.ok(talker, Join, room=room)
    lines = [await harness.say(talker, room, f"line {number}") for number in range(4)]
    places = {"here": "192.0.2.1", "there": "192.0.2.2"}

    async def reports(name: str, where: str, seq: int) -> Ok | Error:
        client = harness.client(User(name, name))
        client.socket.address = places[where]
        await harness.ok(client, Join, room=room)
        return await harness.ask(
            client, ReportMessage, room=room, channel="players", seq=seq, text="rude"
        )

    answers = [await reports(f"eve{line.seq}", "here", line.seq) for line in lines]
    assert [isinstance(answer, Ok) for answer in answers] == [True, True, True, False]
    assert isinstance(await reports("bob", "there", lines[3].seq), Ok)

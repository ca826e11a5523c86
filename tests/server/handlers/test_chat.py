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
    Channel,
    Chat,
    Error,
    Event,
    Join,
    Leave,
    Line,
    LinesQuery,
    Ok,
    ReportLine,
    Request,
    Resign,
    Say,
    Shun,
)
from pierule_server.gateway.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.handlers.chat import LINE_CHARACTERS, clean_line
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.live import refold
from pierule_server.rooms.talk import TOLD
from pierule_server.settings import Settings
from pierule_server.store.room_log import StoreUnavailable
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle
from support.ports import KEYS, limits

DORA = User("dora", "Dora")
_ids = count(1)
Heard: TypeAlias = list[tuple[Channel, int, str | None]]


class Parlour:
    """Two nodes, and who is connected to them."""

    def __init__(
        self, nodes: list[Node], *, chat: bool = True, reportable: int = 0, **fields: Any
    ) -> None:
        self.nodes = nodes
        self.clients: list[Client] = []
        stated = limits(
            Settings(**{"chat_rate": 0, "channel_rate": 0, "lines_kept": 100, **fields})
        )
        self.connections = [Connections() for _ in nodes]
        self.dispatches = [
            Dispatch(
                node.hub,
                node.rooms,
                node.lobby,
                node.log,
                node.log.tables,
                node.store.clock,
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

    async def say(self, client: Client, room: str, text: str) -> Line:
        answer = await self.ok(client, Say, room=room, nonce=f"n{next(_ids)}", text=text)
        assert answer.lines is not None
        await settle()
        return answer.lines[0]


@pytest.fixture
async def parlour() -> AsyncIterator[Parlour]:
    async with running(2) as nodes:
        yield Parlour(nodes)


def heard(client: Client) -> Heard:
    """What has come by itself."""
    return [
        (chat.channel, line.seq, line.text)
        for chat in client.received() if isinstance(chat, Chat)
        for line in chat.lines
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
@settings(max_examples=200)
def test_nothing_is_ever_told_to_the_wrong_side(
    begun: bool, todo: list[tuple[str, int, Any]]
) -> None:
    asyncio.run(_anything([*BEGUN, *todo] if begun else todo))


async def _anything(todo: list[tuple[str, int, Any]]) -> None:
    """Users come, go, sit down, speak and end the game at random, at two nodes and in both codecs.
    What was said to one side while the game ran, the other side has not got one byte of until the
    game is over; then everybody who follows has all of it."""
    async with running(2) as nodes:
        parlour = Parlour(nodes)
        room = await nodes[0].make(seat=None)
        for n in range(6):
            codec = f"pierule.1.{'json' if n % 3 else 'msgpack'}"
            parlour.client(User(f"user{n}", f"User {n}"), n % 2, codec)
        secrets: list[tuple[Channel, bytes]] = []
        for number, (what, who, seat) in enumerate(todo):
            answer = await _do(parlour, parlour.clients[who], room, number, what, seat)
            if number % 3 == 0:
                await settle()
            kept = nodes[0].kept(room)
            if isinstance(answer, Ok) and answer.channel and kept.status == "running":
                secrets.append((answer.channel, secret(number).encode()))
            if kept.status == "over":
                await _all_is_told(parlour, room, secrets)
                break
            for client in parlour.clients:
                side = "players" if kept.seats_of(client.user.id) else "spectators"
                for channel, text in secrets:
                    assert channel == side or text not in bytes(client.socket.written)


def secret(number: int) -> str:
    return f"secret-{number}-"


async def _do(
    parlour: Parlour, client: Client, room: str, number: int, what: str, seat: Any
) -> Ok | Error:
    match what:
        case "join":
            return await parlour.ask(client, Join, room=room)
        case "leave":
            return await parlour.ask(client, Leave, room=room)
        case "sit":
            return await parlour.ask(client, Join, room=room, seat=seat, nonce=f"s{number}")
        case "resign":
            return await parlour.ask(client, Resign, room=room, nonce=f"r{number}")
    return await parlour.ask(client, Say, room=room, nonce=f"n{number}", text=secret(number))


async def _all_is_told(parlour: Parlour, room: str, secrets: list[tuple[Channel, bytes]]) -> None:
    for client in parlour.clients:
        await parlour.ask(client, Join, room=room)
        await settle()
        for _, text in secrets:
            assert text in bytes(client.socket.written)


async def test_a_node_that_is_behind_catches_up_before_it_tells(parlour: Parlour) -> None:
    """It missed that Carl has sat down: what spectators say is nothing for him any more."""
    one, other = parlour.nodes
    room = await one.make()
    carl, dora = parlour.client(CARL, 1), parlour.client(DORA, 0)
    await parlour.ok(carl, Join, room=room)
    await parlour.ok(dora, Join, room=room)
    other.deafen(room)
    await one.take(CARL, room)
    one.store.subscribers[room].add(other.hub)
    await parlour.say(dora, room, "psst")
    assert "psst" not in str(heard(carl))
    assert (await other.live(room)).room.seats_of("carl") == [1]


@pytest.mark.parametrize("how", ["asks", "gap"])
async def test_nobody_is_told_what_is_for_others_by_now(parlour: Parlour, how: str) -> None:
    """Carl has sat down, and the game runs, while his node heard nothing of it."""
    one, other = parlour.nodes
    room = await one.make()
    carl, dora = parlour.client(CARL, 1), parlour.client(DORA, 0)
    for client in (carl, dora):
        await parlour.ok(client, Join, room=room)
    other.deafen(room)
    await one.take(CARL, room)
    await parlour.say(dora, room, "psst")
    assert (await other.live(room)).room.status == "open"
    if how == "asks":
        await parlour.refused(carl, Code.APART, LinesQuery, room=room, channel="spectators")
    else:
        other.hub.gap([room])
        await settle()
    assert (await other.live(room)).room.status == "running"
    assert "psst" not in str(carl.received())


async def test_lines_tell_nobody_who_is_behind_of_the_end(parlour: Parlour) -> None:
    """SPEC 20.5, 21.2: the event that ends the game comes before what the players have said."""
    one, other = parlour.nodes
    room = await one.make(delay=2)
    await other.take(BERT, room)
    anna, carl = parlour.client(ANNA, 0), parlour.client(CARL, 1)
    for client in (anna, carl):
        await parlour.ok(client, Join, room=room)
    for turn, (user, action) in enumerate([(ANNA, "komi:12"), (BERT, "black"), (BERT, "c3")]):
        await one.act(user, room, turn, action)
    await parlour.say(anna, room, "psst")
    await parlour.refused(carl, Code.APART, LinesQuery, room=room, channel="players")
    await parlour.ok(anna, Resign, room=room, nonce="r")
    await settle()
    came = [m for m in carl.received() if isinstance(m, Event | Chat)]
    assert [type(m) for m in came] == [Event] * 4 + [Chat]
    assert isinstance(came[3], Event)
    assert came[3].diff.status == "over"
    live = await other.live(room)
    entries = await other.hub.recovery.entries(room)
    live.shown = refold(room, entries[:-1])  # as if spectators had not been told of the end yet
    await parlour.say(anna, room, "good game")
    await parlour.refused(carl, Code.APART, LinesQuery, room=room, channel="players")
    assert [text for _, _, text in heard(carl)] == ["psst"]
    assert [text for _, _, text in heard(anna)] == ["psst", "good game"]


async def test_a_line_that_was_missed_comes_with_the_next(parlour: Parlour) -> None:
    one, other = parlour.nodes
    room = await one.make()
    anna, carl = parlour.client(ANNA, 0), parlour.client(CARL, 1)
    for client in (anna, carl):
        await parlour.ok(client, Join, room=room)
    await parlour.say(anna, room, "first")
    other.deafen(room)
    for number in range(TOLD + 3):
        await parlour.say(anna, room, f"lost {number}")
    one.store.subscribers[room].add(other.hub)
    await parlour.say(anna, room, "last")
    assert [seq for _, seq, _ in heard(carl)] == list(range(1, TOLD + 6))
    other.hub.gap([room])
    await settle()
    assert [seq for _, seq, _ in heard(carl)] == list(range(1, TOLD + 6))


async def test_after_a_gap_lines_are_caught_up(parlour: Parlour) -> None:
    one, other = parlour.nodes
    room = await one.make()
    anna, carl = parlour.client(ANNA, 0), parlour.client(CARL, 1)
    for client in (anna, carl):
        await parlour.ok(client, Join, room=room)
    other.deafen(room)
    await parlour.say(anna, room, "lost")
    assert heard(carl) == []
    other.hub.gap([room])
    await settle()
    assert heard(carl) == [("players", 1, "lost")]


async def test_who_joins_is_told_the_latest(parlour: Parlour) -> None:
    room = await parlour.nodes[0].make()
    anna = parlour.client(ANNA)
    await parlour.ok(anna, Join, room=room)
    for number in range(TOLD + 5):
        await parlour.say(anna, room, f"line {number}")
    for node in (0, 1):  # one has them at hand, the other has to read them
        carl = parlour.client(CARL, node)
        await parlour.ok(carl, Join, room=room)
        assert [seq for _, seq, _ in heard(carl)] == list(range(6, TOLD + 6))


async def test_lines_that_could_not_be_read_are_read_by_who_comes_next(
    parlour: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = parlour.nodes
    room = await one.make()
    anna = parlour.client(ANNA, 0)
    await parlour.ok(anna, Join, room=room)
    await parlour.say(anna, room, "hello")

    async def away(*_: Any) -> None:
        raise StoreUnavailable

    carl = parlour.client(CARL, 1)
    with monkeypatch.context() as patched:
        patched.setattr(other.hub.talks, "_chats", SimpleNamespace(lines=away))
        await parlour.refused(carl, Code.UNAVAILABLE, Join, room=room)
    await parlour.ok(carl, Join, room=room)
    assert heard(carl) == [("players", 1, "hello")]


# --- manners -----------------------------------------------------------------------------------


async def test_of_the_muted_comes_only_that_there_is_a_line(parlour: Parlour) -> None:
    room = await parlour.nodes[0].started()
    carl, dora = parlour.client(CARL, 0), parlour.client(DORA, 1, "pierule.1.json")
    elsewhere = parlour.client(DORA, 0)
    for client in (carl, dora, elsewhere):
        await parlour.ok(client, Join, room=room)
    await parlour.ok(dora, Shun, user="carl", how="mute")
    await parlour.say(carl, room, "insult-1")
    assert heard(dora) == [("spectators", 1, None)]
    assert heard(elsewhere) == [("spectators", 1, "insult-1")]  # until it joins again
    await parlour.ok(elsewhere, Join, room=room)
    await parlour.say(carl, room, "insult-2")
    answer = await parlour.ok(dora, LinesQuery, room=room, channel="spectators")
    assert [line.text for line in answer.lines or []] == [None, None]
    assert b"insult" not in bytes(dora.socket.written)
    assert b"insult-2" not in bytes(elsewhere.socket.written)
    assert b"Carl" not in bytes(dora.socket.written)
    await parlour.ok(dora, Shun, user="carl")
    await parlour.say(carl, room, "hello")
    assert heard(dora)[-1] == ("spectators", 3, "hello")


async def test_the_rate_is_the_users(parlour: Parlour) -> None:
    """Law 10: whatever the room and the connection, and other requests are not concerned."""
    parlour = Parlour(parlour.nodes, chat_rate=1, chat_burst=3)
    rooms = [await parlour.nodes[0].make() for _ in range(2)]
    carls = [parlour.client(CARL) for _ in range(2)]
    for carl, room in zip(carls, rooms, strict=True):
        await parlour.ok(carl, Join, room=room)
    for number in range(3):
        await parlour.say(carls[number % 2], rooms[number % 2], "x")
    for carl, room in zip(carls, rooms, strict=True):
        error = await parlour.refused(carl, Code.RATE, Say, room=room, nonce="n", text="x")
        assert 0 < (error.retry_ms or 0) <= 1_001
        await parlour.ok(carl, LinesQuery, room=room, channel="spectators")


async def test_no_crowd_pushes_out_what_is_to_be_reported(parlour: Parlour) -> None:
    parlour = Parlour(parlour.nodes, reportable=40, lines_kept=10, channel_rate=1, channel_burst=20)
    room = await parlour.nodes[0].started()
    carl, dora = parlour.client(CARL), parlour.client(DORA)
    for client in (carl, dora):
        await parlour.ok(client, Join, room=room)
    await parlour.say(carl, room, "an insult")
    said = 0
    for number in range(45):
        guest = parlour.client(User(f"g{number}", "Guest"), number % 2)
        await parlour.ok(guest, Join, room=room)
        answer = await parlour.ask(guest, Say, room=room, nonce="n", text="flood")
        assert isinstance(answer, Ok) or answer.code == Code.RATE
        said += isinstance(answer, Ok)
    assert said <= 25
    told = await parlour.ok(dora, LinesQuery, room=room, channel="spectators", first=1)
    assert [line.seq for line in told.lines or []] == list(range(said - 8, said + 2))
    await parlour.ok(dora, ReportLine, room=room, channel="spectators", seq=1, text="look")
    (report,) = parlour.nodes[0].store.reports.kept.values()
    assert (report.line.seq, report.line.text) == (1, "an insult")


async def test_what_cannot_be_reported(parlour: Parlour) -> None:
    room = await parlour.nodes[0].started()
    carl, anna = parlour.client(CARL), parlour.client(ANNA)
    fields = {"room": room, "channel": "spectators", "seq": 1}
    await parlour.refused(carl, Code.NOT_FOLLOWING, ReportLine, **fields)
    await parlour.ok(carl, Join, room=room)
    await parlour.refused(carl, Code.BAD_FIELD, ReportLine, **fields)
    for number in range(1, 15):
        await parlour.say(carl, room, f"line {number}")
    await parlour.refused(anna, Code.APART, ReportLine, **fields)
    await parlour.refused(carl, Code.BAD_FIELD, ReportLine, **fields, text="\u202e")
    for _ in range(2):
        await parlour.ok(carl, ReportLine, **{**fields, "seq": 9}, text="why")
    (report,) = parlour.nodes[0].store.reports.kept.values()
    assert [line.seq for line in report.context] == list(range(4, 15))
    assert (report.by, report.line.text, report.text) == ("carl", "line 9", "why")


async def test_a_server_without_chat() -> None:
    """SPEC 21.9."""
    async with running() as nodes:
        parlour = Parlour(nodes, chat=False)
        room = await nodes[0].make()
        anna = parlour.client(ANNA)
        await parlour.ok(anna, Join, room=room)
        for kind, fields in (
            (Say, {"nonce": "n", "text": "x"}),
            (LinesQuery, {"channel": "players"}),
            (ReportLine, {"channel": "players", "seq": 1}),
        ):
            await parlour.refused(anna, Code.CHAT_OFF, kind, room=room, **fields)
        await parlour.ok(anna, Shun, user="carl", how="block")
        await parlour.refused(
            parlour.client(CARL), Code.BLOCKED, Join, room=room, seat="any", nonce="s"
        )


async def test_who_is_blocked_may_watch_and_keeps_a_seat(parlour: Parlour) -> None:
    room = await parlour.nodes[0].make()
    anna, bert = parlour.client(ANNA), parlour.client(BERT, 1)
    await parlour.ok(anna, Shun, user="bert", how="block")
    await parlour.ok(bert, Join, room=room)
    await parlour.refused(bert, Code.BLOCKED, Join, room=room, seat="any", nonce="s")
    assert len(parlour.nodes[0].entries(room)) == 1
    await parlour.ok(anna, Shun, user="bert")
    await parlour.ok(bert, Join, room=room, seat="any", nonce="s")
    await parlour.ok(anna, Shun, user="bert", how="block")
    assert (await parlour.ok(bert, Join, room=room, seat="any", nonce="s")).seats == [1]


# --- text --------------------------------------------------------------------------------------


def cleaned(text: str) -> str | None:
    """The line that a text becomes; None if it is refused."""
    try:
        return clean_line(text)
    except Refused:
        return None


@given(st.text(max_size=320))
def test_a_line_is_harmless_or_refused(text: str) -> None:
    line = cleaned(text)
    if line is not None:
        assert 1 <= len(line) <= LINE_CHARACTERS
        assert cleaned(line) == line
        assert not set(line) & {"\n", "\r", "\x1b", "\u202e", "\u2028", "\u2066", "\x7f"}


@pytest.mark.parametrize(
    "text", ["", "  ", "x" * 301, "a\nb", "\x1b[2J", "a\u202eb", "\u2028", "\0"]
)
def test_what_steers_a_screen_is_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        clean_line(f"x{text}x" if text and text != "  " else text)
    assert (caught.value.code, caught.value.fields) == (Code.BAD_FIELD, {"field": "text"})


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  e\u0301 ", "\u00e9"),
        ("\U0001f469\u200d\U0001f33e", "\U0001f469\u200d\U0001f33e"),  # a joiner makes one of two
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian needs the other
        ("\u68cb" * 300, "\u68cb" * 300),
    ],
)
def test_what_people_write_is_kept(text: str, kept: str) -> None:
    assert clean_line(text) == kept

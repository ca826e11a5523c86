"""Connections over real sockets: the outbox and its bound (law 10), and what of the WebSocket
library's inside it leans on."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import websockets
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, State

from pierule_protocol.codec import server_codecs
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Error, Event, Join, Ok, Ping, Presence
from pierule_protocol.state.room import room_state
from pierule_server.connections.connection import TRIPS, Connection, frame
from pierule_server.connections.limits import Allowance, Users
from pierule_server.gateway.frame_bounds import FRAGMENTS
from pierule_server.gateway.page import Page
from pierule_server.gateway.peer_socket import PeerSocket
from support.nodes import ANNA, BERT, CARL, Client, Node, Socket, frames
from support.ports import Port, RawConnection, listening, small_socket
from support.raw import TEXT, masked

CODECS = server_codecs()

# --- frames ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODECS)
@given(st.text(max_size=300) | st.integers(0, 70_000).map(lambda length: "x" * length))
def test_a_frame_is_one_whole_message(name: str, text: str) -> None:
    codec = CODECS[name]
    data = frame(codec, Ok(id=1, room=text))
    assert data[0] == (0x81 if codec.text else 0x82)
    assert not data[1] & 0x80  # a server does not mask
    (payload,) = frames(data)
    assert payload == codec.encode(Ok(id=1, room=text))
    opcode = Opcode.TEXT if codec.text else Opcode.BINARY
    assert data == Frame(opcode, payload).serialize(mask=False)


def test_a_push_is_one_write() -> None:
    client = Client()
    client.connection.push(b"\x82\x00")
    client.connection.send(Ok(id=3))
    assert bytes(client.socket.written)[:2] == b"\x82\x00"
    assert frames(bytes(client.socket.written))[1] == client.connection.codec.encode(Ok(id=3))


async def test_an_overfull_outbox_closes_the_connection_as_slow() -> None:
    client = Client()
    client.socket.unsent = 1_000_000
    client.connection.send(Ok(id=1))
    assert client.socket.closed is None
    client.socket.unsent = 1_000_001
    client.connection.send(Ok(id=2))
    client.connection.send(Ok(id=3))
    client.connection.close(Close.GOING_AWAY)
    await client.connection.closed()
    assert client.socket.closed is not None
    assert client.socket.closed[0] == Close.SLOW
    assert [message.id for message in client.received() if isinstance(message, Ok)] == [1, 2]


def test_a_closing_socket_gets_no_messages() -> None:
    client = Client()
    client.socket.state = State.CLOSING
    client.connection.send(Ok(id=1))
    assert client.received() == []


async def test_closed_returns_at_once_if_nothing_is_being_closed() -> None:
    await Client().connection.closed()


# --- slow consumers ----------------------------------------------------------------------------


async def started(node: Node) -> str:
    """A long game, in which big boards go to and fro."""
    room = await node.make("loose", 19)
    await node.take(BERT, room)
    await node.act(ANNA, room, 0, "komi:12")
    await node.act(BERT, room, 1, "black")
    return room


async def play(node: Node, room: str, count: int) -> None:
    for _ in range(count):
        kept = (await node.live(room)).room
        user = ANNA if kept.position.to_act == 0 else BERT
        action = next(action for action in kept.position.actions() if action != "pass")
        await node.act(user, room, kept.turn, action)


async def clog(line: RawConnection, room: str, count: int) -> None:
    """Ask for snapshots, and read none of them, until no more is taken."""
    with suppress(TimeoutError, websockets.ConnectionClosed):
        for number in range(count):
            async with asyncio.timeout(0.2):
                await line.send(Join(id=number, room=room))
            await asyncio.sleep(0)


async def test_a_slow_consumer_is_closed_and_slows_nobody() -> None:
    """The others get every event at once; the slow one gets 4001 and can resume."""
    limits: dict[str, Any] = {"outbox_bytes": 60_000, "connection_rate": 0, "user_rate": 0}
    # The goodbye waits for as long as this test takes to come to it.
    async with listening(**limits, close_seconds=120) as port:
        room = await started(port.node)
        async with (
            port.user("Fast") as fast,
            port.user("Msgpack", codec="msgpack") as other,
            port.user("Slow", sock=small_socket(port.number), max_queue=1, write_limit=1) as slow,
        ):
            for line in (fast, other, slow):
                await line.follow(room)
            clogging = asyncio.create_task(clog(slow, room, 4000))
            begun = time.monotonic()
            await play(port.node, room, 60)
            for line in (fast, other):
                seqs: list[int] = []
                while len(seqs) < 60:
                    message = await line.receive()
                    if isinstance(message, Event):
                        seqs.append(message.seq)
                assert seqs == list(range(5, 65))
            assert time.monotonic() - begun < 60
            await clogging
            assert await slow.closed() == Close.SLOW
            live = await port.node.live(room)
            async with asyncio.timeout(60):
                while len(live.followers) > 2:  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0.01)


@asynccontextmanager
async def never_reads(port: Port, room: str) -> AsyncIterator[Connection]:
    """Clog a connection and leave it so. Gives the server's end."""
    how: dict[str, Any] = {"max_queue": 1, "write_limit": 1, "ping_interval": None}
    async with port.user("Dead", sock=small_socket(port.number), **how) as line:
        await line.follow(room)
        (connection,) = (await port.node.live(room)).followers
        connection.send(Error(id=1, code=Code.LIMIT, text="x" * 10_000_000))
        await asyncio.sleep(0.05)
        assert connection._socket.transport.get_write_buffer_size() > 1_000_000
        yield connection
        line.websocket.transport.abort()


async def test_a_client_that_never_reads_is_dropped_in_time() -> None:
    """The goodbye itself may not get through: then the line is cut after `close_seconds`."""
    async with listening(outbox_bytes=60_000, close_seconds=1) as port:
        room = await started(port.node)
        begun = time.monotonic()
        async with never_reads(port, room):
            live = await port.node.live(room)
            async with asyncio.timeout(60):
                while live.followers:  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0.01)
        assert time.monotonic() - begun > 1


async def test_a_client_that_never_reads_does_not_delay_the_end() -> None:
    """Nor one who is not slow enough yet to be closed."""
    async with listening(outbox_bytes=100_000_000, close_seconds=1) as port:
        room = await started(port.node)
        async with never_reads(port, room) as connection:
            assert connection._protocol.state is OPEN
            begun = time.monotonic()
            async with asyncio.timeout(60):
                await port.listener.stop()
            assert time.monotonic() - begun > 0.9


# --- what the library must go on to be ---------------------------------------------------------

LEANING = "connection.py leans on this inside of websockets; look at it again before upgrading"


async def test_the_websockets_library_has_the_internals_that_we_use() -> None:
    seen: dict[str, Any] = {}

    async def handle(server: ServerConnection) -> None:
        seen["state"] = server.state
        seen["transport"] = server.transport
        seen["close_timeout"] = server.close_timeout
        seen["size"] = server.transport.get_write_buffer_size()
        server.transport.write(frame(CODECS["pierule.1.json"], Ok(id=5)))
        await server.wait_closed()
        seen["after"] = server.state

    async with serve(handle, "127.0.0.1", 0, compression=None, close_timeout=3) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with websockets.connect(f"ws://127.0.0.1:{port}", compression=None) as client:
            assert await client.recv() == '{"type":"ok","id":5}', LEANING
    assert seen["state"] is OPEN is State.OPEN, LEANING
    assert isinstance(seen["transport"], asyncio.Transport), LEANING
    assert callable(seen["transport"].abort), LEANING
    assert seen["close_timeout"] == 3, LEANING
    assert seen["size"] == 0, LEANING
    assert seen["after"] is State.CLOSED, LEANING


def test_the_websockets_library_closes_with_a_code_and_a_reason() -> None:
    parameters = inspect.signature(ServerConnection.close).parameters
    assert list(parameters)[:3] == ["self", "code", "reason"], LEANING


def test_a_fake_socket_has_what_a_connection_uses() -> None:
    """So that the tests without sockets do not test something else."""
    connection = Connection(
        cast("PeerSocket", Socket()),
        CODECS["pierule.1.json"],
        1,
        Allowance(0, 0, 0, Users(0, 0, 0)),
    )
    connection.user = CARL
    connection.push(b"\x81\x00")
    for name in ("state", "close", "close_timeout"):
        assert name in dir(ServerConnection) or name in inspect.getsource(
            ServerConnection.__mro__[1]
        ), LEANING


async def test_messages_come_by_process_event_whole_or_in_parts() -> None:
    """The library gives every data frame to `process_event`, checked and unmasked, and asks no more
    of a request than whether there was one."""
    async with listening() as port, port.user() as line:
        whole = '{"type":"ping","id":7}'
        await line.websocket.send([whole[:5], "", whole[5:9], whole[9:]])
        assert isinstance(await line.answer(7), Ok), LEANING
        (socket,) = (cast("PeerSocket", each._socket) for each in port.listener._connections)
        assert len(socket.recv_messages.frames) == 0, LEANING
        assert socket.request is not None, LEANING
        assert not socket.request.headers, LEANING
        await line.websocket.send([whole[:5], *[""] * (FRAGMENTS + 5), whole[5:]])
        assert await line.closed() == Close.TOO_LARGE


async def test_a_message_before_the_handshakes_answer_waits() -> None:
    async with listening() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
        writer.write(
            b"GET /ws HTTP/1.1\r\nHost: me\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: pierule.1.json\r\n\r\n"
            + masked(TEXT, b'{"type":"nope","id":1}')
            * 2
        )
        async with asyncio.timeout(60):
            await reader.readuntil(b"\r\n\r\n")
            for _ in range(2):
                assert b"unknown_type" in await reader.readuntil(b"}")
        writer.close()
        await writer.wait_closed()


async def test_a_text_frame_that_is_not_utf_8_closes_the_connection() -> None:
    async with listening() as port, port.user() as line:
        await line.websocket.send(b"\xff\xfe", text=True)
        assert await line.closed() == Close.INVALID_TEXT


async def test_a_request_before_an_invalid_frame_is_answered() -> None:
    """Law 8, also if both came in one go; what comes behind is not looked at."""
    async with listening() as port, port.user() as line:
        ping = b'{"type":"ping","id":%d}'
        data = masked(TEXT, ping % 7) + masked(TEXT, b"\xff") + masked(TEXT, ping % 8)
        line.websocket.transport.write(data)
        assert isinstance(await line.answer(7), Ok)
        assert await line.closed() == Close.INVALID_TEXT


@asynccontextmanager
async def recorded() -> AsyncIterator[tuple[Connection, list[bytes]]]:
    """The server's end of a connection, and what it writes instead of sending it."""
    async with listening() as port, port.user() as line:
        room = await started(port.node)
        await line.follow(room)
        (connection,) = (await port.node.live(room)).followers
        await line.receive()  # What is to follow the answer has left.
        written: list[bytes] = []
        transport, socket = connection._transport, cast("PeerSocket", connection._socket)
        connection._transport = socket.transport = cast("Any", SimpleNamespace(
            write=written.append, get_write_buffer_size=lambda: 0, is_closing=lambda: False
        ))  # fmt: skip
        yield connection, written
        connection._transport = socket.transport = transport


async def test_messages_of_a_turn_of_the_loop_are_one_write() -> None:
    async with recorded() as (connection, written):
        for number in range(2):
            connection.send(Ok(id=number))
        # What a task says that this turn has woken belongs to the turn.
        asyncio.get_running_loop().call_soon(connection.send, Ok(id=2))
        await asyncio.sleep(0)
        assert written == []
        await asyncio.sleep(0)
        assert [len(frames(each)) for each in written] == [3]


async def test_the_ping_that_measures_lag_goes_after_earlier_messages() -> None:
    async with recorded() as (connection, written):
        connection.send(Ok(id=7))
        connection.measure_lag()
        for _ in range(3):
            await asyncio.sleep(0)
        assert [each[0] & 0x0F for each in written] == [Opcode.TEXT, Opcode.PING]


async def test_the_lag_is_the_shortest_of_the_latest_round_trips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who answers late from time to time is given no more than their line needs."""
    trips = iter([0.05, 0.51, 0.51, *[0.3] * TRIPS, 0.02])

    async def ping() -> asyncio.Future[float]:
        answered: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        answered.set_result(next(trips))
        return answered

    async with recorded() as (connection, _):
        monkeypatch.setattr(connection._socket, "ping", ping)
        lags = []
        for _ in range(4 + TRIPS):
            connection.measure_lag()
            assert connection._pinging is not None
            await connection._pinging
            lags.append(connection.lag)
        assert lags == [50] * TRIPS + [300, 300, 300, 20]
        monkeypatch.setattr(connection._socket, "latency", 0.01)  # the answer to a ping of 1.4
        trips = iter([0.4])
        connection.measure_lag()
        assert connection._pinging is not None
        await connection._pinging
        assert connection.lag == 10


async def test_an_answer_comes_before_the_close_frame() -> None:
    async with listening() as port, port.user() as line:
        room = await started(port.node)
        await line.follow(room)
        (connection,) = (await port.node.live(room)).followers
        connection.send(Ok(id=7))
        connection.close(Close.RESTART)
        assert isinstance(await line.answer(7), Ok)
        assert await line.closed() == Close.RESTART


# --- the listener ------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["json", "msgpack"])
async def test_both_codecs_carry_answers_snapshots_and_events(codec: str) -> None:
    async with listening() as port, port.user(codec=codec) as line:
        room = await started(port.node)
        answer = await line.follow(room)
        assert answer.turn == 2
        snapshot: Any = await line.receive()
        assert snapshot.state == room_state(port.node.kept(room))
        presence = await line.receive()
        assert isinstance(presence, Presence)
        await play(port.node, room, 1)
        while not isinstance(message := await line.receive(), Event):
            pass
        assert message.seq == 5


async def test_every_request_is_answered_once_and_in_order() -> None:
    """Law 8, also of those that cannot be read."""
    async with listening(errors=100) as port, port.user() as line:
        for number in range(1, 60):
            match number % 4:
                case 0:
                    await line.websocket.send(f'{{"type":"ping","id":{number},"x":1}}')
                case 1:
                    await line.websocket.send(f'{{"type":"nope","id":{number}}}')
                case _:
                    await line.send(Ping(id=number))
        await line.websocket.send("garbage")
        for number in range(1, 60):
            answer = await line.answer(number)
            assert isinstance(answer, Error) is (number % 4 < 2)
        assert isinstance(await line.answer(None), Error)


@pytest.mark.parametrize(
    ("codec", "data", "code"),
    [
        ("json", b"\x80", Close.UNSUPPORTED_DATA),
        ("msgpack", "{}", Close.UNSUPPORTED_DATA),
        ("json", "x" * 3000, Close.TOO_LARGE),
        ("msgpack", b"x" * 3000, Close.TOO_LARGE),
    ],
)
async def test_frames_of_the_wrong_kind_or_size_close_the_connection(
    codec: str, data: Any, code: Close
) -> None:
    async with listening(frame_bytes=2000) as port, port.user(codec=codec) as line:
        await line.websocket.send(data)
        assert await line.closed() == code


async def test_a_client_with_too_many_errors_is_closed() -> None:
    async with listening(errors=3) as port, port.user() as line:
        for _ in range(2):
            await line.websocket.send("x")
            assert isinstance(await line.answer(None), Error)
        assert isinstance(await line.ask(Ping(id=1)), Ok)
        await line.websocket.send("x")
        assert isinstance(await line.answer(None), Error)
        assert await line.closed() == Close.TOO_MANY_ERRORS


async def test_a_client_that_says_no_hello_in_time_is_closed() -> None:
    async with listening(hello_seconds=1) as port, port.line() as silent, port.user() as polite:
        assert await silent.closed() == Close.HELLO_TIMEOUT
        assert isinstance(await polite.ask(Ping(id=1)), Ok)


@pytest.mark.parametrize("offered", [[], ["chat"], ["pierule.2.json"]])
async def test_a_handshake_without_our_subprotocol_is_refused(offered: list[Any]) -> None:
    async with listening() as port:
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(port.url, subprotocols=offered or None)
        assert refused.value.response.status_code == 400


async def test_msgpack_is_preferred() -> None:
    async with listening() as port:
        offered: list[Any] = ["chat", "pierule.1.json", "pierule.1.msgpack"]
        async with websockets.connect(port.url, subprotocols=offered) as client:
            assert client.subprotocol == "pierule.1.msgpack"
            assert "Sec-WebSocket-Extensions" not in client.response.headers  # type: ignore[union-attr]


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/x", 404), ("/wsx", 404), ("/?a", 200)])
async def test_without_a_built_page_the_root_names_the_websocket(
    path: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "pierule_server.gateway.listener.Page", lambda more: Page(tmp_path / "nothing", more)
    )
    async with listening() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: me:1\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        assert answer.startswith(f"HTTP/1.1 {status} ")
        assert ("ws://me:1/ws" in answer) is (status == 200)


async def test_stopping_closes_the_port_and_every_connection() -> None:
    async with listening() as port:
        async with port.user() as line, port.line() as silent:
            await port.listener.stop()
            assert await line.closed() == await silent.closed() == Close.GOING_AWAY
        with pytest.raises(OSError, match=r"refused|Connect"):
            await asyncio.open_connection("127.0.0.1", port.number)


async def test_a_closed_connection_follows_nothing() -> None:
    async with listening() as port:
        room = await started(port.node)
        async with port.user() as line:
            await line.follow(room)
            live = await port.node.live(room)
            assert len(live.followers) == 1
            line.websocket.transport.abort()
        async with asyncio.timeout(60):
            while live.followers:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)

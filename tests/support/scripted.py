"""A server that sends, over a real WebSocket, exactly what a test tells it to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request as Handshake
from websockets.http11 import Response
from websockets.typing import Subprotocol

from pierule_protocol.codec import server_codecs
from pierule_protocol.messages import (
    PROTOCOL,
    ClientMessage,
    Hello,
    Join,
    Limits,
    Ok,
    ProvenPlace,
    Reply,
    Request,
    RoomState,
    Snapshot,
    Welcome,
)

BOUND = 60.0
R = TypeVar("R", bound=Request)
T = TypeVar("T")


def welcome(
    user: str = "ada", name: str = "Ada", token: str = "t1", features: Sequence[str] = ()
) -> Welcome:
    limits = Limits(
        frame_bytes=16384, rooms_followed=64, errors=16, hello_seconds=10, ping_seconds=20
    )
    return Welcome(
        protocol=PROTOCOL,
        server="scripted",
        user=user,
        name=name,
        limits=limits,
        games=[],
        features=list(features),
        token=token,
    )


async def soon(work: Awaitable[T]) -> T:
    """Await something that should not take long; fails after a bound."""
    async with asyncio.timeout(BOUND):
        return await work


class ScriptedConnection:
    """One connection, as the server's end of it."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self._codec = server_codecs()[str(socket.subprotocol)]

    async def receive(self) -> ClientMessage:
        return self._codec.decode(await soon(self.socket.recv(decode=False)))

    async def expect(self, kind: type[R]) -> R:
        """The next request, which must be of this kind."""
        message = await self.receive()
        assert isinstance(message, kind), message
        return message

    async def send(self, *replies: Reply) -> None:
        for reply in replies:
            await self.socket.send(self._codec.encode(reply), text=self._codec.text)

    async def send_map(self, message: dict[str, Any]) -> None:
        """Send a map that is not one of our messages."""
        data = json.dumps(message).encode() if self._codec.text else msgspec.msgpack.encode(message)
        await self.socket.send(data, text=self._codec.text)

    async def greet(self, **who: Any) -> Hello:
        """Expect hello and welcome the user."""
        hello = await self.expect(Hello)
        await self.send(Ok(id=hello.id, welcome=welcome(**who)))
        return hello

    async def admit(self, state: RoomState) -> Join:
        """Expect a join and answer it with ok and a snapshot."""
        join = await self.expect(Join)
        await self.send(joined(join, state), Snapshot(state=state))
        return join

    async def close(self, code: int) -> None:
        await self.socket.close(code)

    def cut(self) -> None:
        """Break the connection without a word."""
        self.socket.transport.abort()


def joined(join: Join, state: RoomState, resumed: bool = False) -> Ok:
    """The answer to a join at `state`."""
    return Ok(id=join.id, room=join.room, place=ProvenPlace.of(state.place), turn=state.turn,
              resumed=resumed)  # fmt: skip


class Scripted:
    """Accepts connections; the test takes them one by one. `refusals` lists how to refuse the next
    handshakes: each with a status, a text and a `Retry-After`."""

    def __init__(self) -> None:
        self.url = ""
        self.refusals: list[tuple[HTTPStatus, str, str | None]] = []
        self.lines: asyncio.Queue[ScriptedConnection] = asyncio.Queue()

    async def accept(self) -> ScriptedConnection:
        return await soon(self.lines.get())

    async def greet(self, **who: Any) -> ScriptedConnection:
        """The next connection, welcomed."""
        line = await self.accept()
        await line.greet(**who)
        return line


@asynccontextmanager
async def scripted() -> AsyncIterator[Scripted]:
    """A scripted server on a free port."""
    peer = Scripted()

    async def handle(socket: ServerConnection) -> None:
        peer.lines.put_nowait(ScriptedConnection(socket))
        await socket.wait_closed()

    def admit(socket: ServerConnection, _: Handshake) -> Response | None:
        if not peer.refusals:
            return None
        status, text, after = peer.refusals.pop(0)
        response = socket.respond(status, text)
        if after is not None:
            response.headers["Retry-After"] = after
        return response

    offered = [Subprotocol(name) for name in server_codecs()]
    how = {"process_request": admit, "subprotocols": offered, "compression": None}
    async with serve(handle, "127.0.0.1", 0, **how) as server:  # type: ignore[arg-type]
        number = server.sockets[0].getsockname()[1]
        peer.url = f"ws://127.0.0.1:{number}/ws"
        yield peer

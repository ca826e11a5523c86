"""A node with a real port over the model of the store, and raw WebSockets to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from pierule_protocol.codec import client_codecs
from pierule_protocol.messages import (
    ClientMessage,
    Error,
    Hello,
    Join,
    Limits,
    Ok,
    ServerMessage,
)
from pierule_server.connections.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.listener import PATH, Listener
from pierule_server.identity.tokens import Keys
from pierule_server.settings import Settings
from support.model_store import ModelStore
from support.nodes import Node, running

KEYS = Keys({"k": "s" * 64})
CODECS = client_codecs()
BOUND = 60.0


def limits(settings: Settings) -> Limits:
    return Limits(
        frame_bytes=settings.frame_bytes,
        rooms_followed=settings.rooms_followed,
        errors=settings.errors,
        hello_seconds=settings.hello_seconds,
        ping_seconds=settings.ping_seconds,
        chat_rate=settings.chat_rate,
        chat_burst=settings.chat_burst,
        messages_kept=settings.messages_kept,
        channel_rate=settings.channel_rate,
        channel_burst=settings.channel_burst,
    )


class Port:
    """A node that listens."""

    def __init__(self, node: Node, settings: Settings) -> None:
        self.node = node
        dispatch = Dispatch(
            self.node.hub,
            self.node.rooms,
            self.node.lobby,
            self.node.log,
            self.node.log.tables,
            KEYS,
            limits(settings),
            "pierule/test",
        )
        self.listener = Listener(settings, self.node.hub, dispatch, Connections())
        self.number = 0

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.number}{PATH}"

    @asynccontextmanager
    async def line(self, codec: str = "json", **how: Any) -> AsyncIterator[RawConnection]:
        """A WebSocket that has said nothing yet."""
        chosen = CODECS[f"pierule.1.{codec}"]
        async with connect(
            self.url,
            subprotocols=[Subprotocol(chosen.subprotocol)],
            **{"compression": None, "close_timeout": 1, **how},
        ) as websocket:
            yield RawConnection(websocket)

    @asynccontextmanager
    async def user(
        self, name: str = "Ada", codec: str = "json", **how: Any
    ) -> AsyncIterator[RawConnection]:
        """A WebSocket that has said hello."""
        async with self.line(codec, **how) as line:
            answer = await line.ask(Hello(id=0, name=name))
            assert isinstance(answer, Ok)
            yield line


class RawConnection:
    """One client's end of a WebSocket, which checks everything."""

    def __init__(self, websocket: ClientConnection) -> None:
        assert websocket.subprotocol is not None
        self.websocket = websocket
        self.codec = CODECS[websocket.subprotocol]

    async def send(self, message: ClientMessage) -> None:
        await self.websocket.send(self.codec.encode(message), text=self.codec.text)

    async def receive(self) -> ServerMessage:
        async with asyncio.timeout(BOUND):
            return self.codec.decode(await self.websocket.recv())

    async def answer(self, number: int | None) -> Ok | Error:
        """The next answer, which must be to this request."""
        while True:
            message = await self.receive()
            if isinstance(message, Ok | Error):
                assert message.id == number
                return message

    async def ask(self, message: ClientMessage) -> Ok | Error:
        await self.send(message)
        return await self.answer(message.id)

    async def follow(self, room: str) -> Ok:
        answer = await self.ask(Join(id=1, room=room))
        assert isinstance(answer, Ok)
        return answer

    async def closed(self) -> int | None:
        """The code with which the server closes; what comes before is dropped."""
        async with asyncio.timeout(BOUND):
            with suppress(ConnectionClosed):
                while True:
                    await self.websocket.recv()
            await self.websocket.wait_closed()
        return self.websocket.close_code


@asynccontextmanager
async def listening(store: ModelStore | None = None, **settings: Any) -> AsyncIterator[Port]:
    """A node on a free port."""
    async with running(1, store) as [node]:
        port = Port(node, Settings(port=0, **{"close_seconds": 1, **settings}))
        port.number = await port.listener.start()
        try:
            yield port
        finally:
            await port.listener.stop()


def small_socket(port: int) -> socket.socket:
    """A TCP connection with small buffers, so that a client that does not read is soon noticed."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    made.setblocking(False)
    return made

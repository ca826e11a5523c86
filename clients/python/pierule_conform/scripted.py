"""The scripted server's network: real WebSockets on free ports. It decides nothing.

Each port stands for a node of one server. `replies` decides what the nodes send.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, Protocol

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from pierule_protocol.codec import server_codecs

_quiet = logging.getLogger("pierule_conform")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False  # we refuse some handshakes on purpose

_PIECES = 3

REASON = "as the script says"
PATH = "/ws"

FAULTY = {CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_DATA, CloseCode.MESSAGE_TOO_BIG}
"""Codes with which our WebSocket library closes a connection by itself."""


class ScriptedConnection:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection, node: int) -> None:
        self.socket = socket
        self.node = node
        self.codec = server_codecs()[str(socket.subprotocol)]
        self.open = True
        self.greeted = False
        self.following = False
        self.silent = False
        self.pending: set[int] = set()
        """Ids of requests that wait for their answer."""

    @property
    def path(self) -> str:
        """The requested path, with its query."""
        return "" if self.socket.request is None else self.socket.request.path

    @property
    def misused(self) -> str | None:
        """How the client broke WebSocket, if our end closed the connection for that."""
        sent, received = self.socket.protocol.close_sent, self.socket.protocol.close_rcvd
        if sent is None or received or sent.code not in FAULTY or sent.reason == REASON:
            return None
        return f"{sent.reason} (closed with {int(sent.code)})"

    async def send(self, message: Any) -> None:
        """Send a message: one of ours or any map. A dead or silent connection loses it."""
        await self._write(self.codec.encode(message))

    async def send_in_pieces(self, message: Any, pause: float) -> None:
        """Send a message in several WebSocket fragments, slowly."""
        data = self.codec.encode(message)
        step = len(data) // _PIECES + 1
        pieces = [data[at : at + step] for at in range(0, len(data), step)]

        async def trickle() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece
                await asyncio.sleep(pause)

        with suppress(ConnectionClosed):
            await self.socket.send(trickle(), text=self.codec.text)

    async def ping(self) -> None:
        with suppress(ConnectionClosed):
            if not self.silent:
                await self.socket.ping()

    async def answers_ping(self, seconds: float) -> bool:
        """Whether a pong comes in time: then the client has read all that was sent before. True as
        well if the client has ended the connection meanwhile."""
        with suppress(ConnectionClosed):
            try:
                await asyncio.wait_for(await self.socket.ping(), seconds)
            except TimeoutError:
                return False
        return True

    async def close(self, code: int) -> None:
        """Close with a close frame."""
        await self.socket.close(code, REASON)

    def cut(self) -> None:
        """Reset the connection, without a close frame."""
        self.open = self.following = False
        socket = self.socket.transport.get_extra_info("socket")
        with suppress(OSError):  # it has just ended by itself
            socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.transport.abort()

    def fall_silent(self) -> None:
        """Send and read nothing from now on, while the connection stays open."""
        self.silent = True
        self.socket.transport.pause_reading()

    async def _write(self, data: bytes) -> None:
        if self.open and not self.silent:
            with suppress(ConnectionClosed):
                await self.socket.send(data, text=self.codec.text)


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a handshake is refused; `retry_after` is in seconds."""

    status: HTTPStatus
    retry_after: int | None = None


class Host(Protocol):
    """Decides what happens on the connections."""

    def refuses(self, node: int) -> Refusal | None:
        """How a handshake would be refused now; None if it would be accepted."""
        ...

    def admits(self, node: int, path: str, offered: list[str]) -> Refusal | None:
        """None to accept a handshake, else how to refuse it."""
        ...

    async def serve(self, connection: ScriptedConnection) -> None:
        """Serve a connection until it ends."""
        ...


@asynccontextmanager
async def listening(host: Host, nodes: int) -> AsyncIterator[list[str]]:
    """Serve this many nodes on free ports of this machine. Yields their URLs."""
    async with AsyncExitStack() as stack:
        urls = []
        for node in range(nodes):
            server = await stack.enter_async_context(
                serve(
                    partial(_handle, host, node),
                    "127.0.0.1",
                    0,
                    process_request=partial(_admit, host, node),
                    subprotocols=[Subprotocol(name) for name in server_codecs()],
                    compression=None,
                    ping_interval=None,
                    close_timeout=1,
                    logger=_quiet,
                )
            )
            port = next(iter(server.sockets)).getsockname()[1]
            urls.append(f"ws://127.0.0.1:{port}{PATH}")
        yield urls


async def _handle(host: Host, node: int, socket: ServerConnection) -> None:
    connection = ScriptedConnection(socket, node)
    try:
        await host.serve(connection)
    finally:
        connection.open = connection.following = False
        socket.transport.abort()  # a silent connection would never end by itself


def _admit(host: Host, node: int, socket: ServerConnection, request: Request) -> Response | None:
    if "Upgrade" in request.headers:
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        path = request.path.partition("?")[0]
        refusal = host.admits(node, path, [name.strip() for name in offered.split(",")])
    else:  # a client that cannot see why it was refused asks by GET (1.13)
        refusal = host.refuses(node)
    if refusal is None:
        return None
    response = socket.respond(refusal.status, f"{REASON}\n")
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response

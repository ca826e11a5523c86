"""The port: WebSocket handshakes, the frames of each connection, and a page for those who look."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from pierule_protocol.codec import BadMessage, server_codecs
from pierule_protocol.codes import Close
from pierule_protocol.messages import Error
from pierule_server.connection import Connection
from pierule_server.dispatch import Dispatch
from pierule_server.hub import Hub
from pierule_server.settings import Settings

log = structlog.get_logger()

PATH = "/ws"
_CODECS = server_codecs()


class Listener:
    """Serves connections until it is stopped."""

    def __init__(self, settings: Settings, hub: Hub, dispatch: Dispatch) -> None:
        self._settings = settings
        self._hub = hub
        self._dispatch = dispatch
        self._server: Server
        self._connections: set[Connection] = set()

    async def start(self) -> int:
        """Begin to listen; the port. Raises OSError if it cannot be had."""
        settings = self._settings
        self._server = await serve(
            self._handle,
            settings.host,
            settings.port,
            process_request=self._page,
            select_subprotocol=select_subprotocol,
            compression=None,
            max_size=settings.frame_bytes,
            ping_interval=settings.ping_seconds,
            ping_timeout=settings.ping_seconds,
            close_timeout=settings.close_seconds,
            server_header=None,
        )
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def stop(self) -> None:
        """Take no more connections and close those that there are, with 1001."""
        for connection in self._connections:
            connection.close(Close.GOING_AWAY)
        self._server.close(code=Close.GOING_AWAY)
        await self._server.wait_closed()

    async def _handle(self, socket: ServerConnection) -> None:
        assert socket.subprotocol is not None
        connection = Connection(socket, _CODECS[socket.subprotocol], self._settings.outbox_bytes)
        self._connections.add(connection)
        loop = socket.loop
        timer = loop.call_later(self._settings.hello_seconds, _expect_hello, connection)
        try:
            await self._read(socket, connection)
        except ConnectionClosed:
            pass
        finally:
            timer.cancel()
            for room in list(connection.following):
                self._hub.leave(connection, room)
            await connection.closed()
            self._connections.discard(connection)

    async def _read(self, socket: ServerConnection, connection: Connection) -> None:
        """Answer the client's messages in the order in which they come, until it goes.

        Once a close was begun, the rest is read and dropped: the client's own close is behind it.
        """
        codec = connection.codec
        errors = 0
        async for data in socket:
            if connection.closing:
                continue
            if isinstance(data, str) is not codec.text:
                connection.close(Close.UNSUPPORTED_DATA)
                continue
            try:
                request = codec.decode(data)
            except BadMessage as bad:
                connection.send(Error(id=bad.id, code=bad.code, text=bad.text, field=bad.field))
                errors += 1
                if errors >= self._settings.errors:
                    connection.close(Close.TOO_MANY_ERRORS)
            else:
                await self._dispatch.answer(connection, request)

    async def _page(self, socket: ServerConnection, request: Request) -> Response | None:
        """Answer what is not a WebSocket handshake; the port serves reading alone."""
        path = request.path.partition("?")[0]
        if path == PATH:
            return None
        if path == "/":
            host = next(iter(request.headers.get_all("Host")), "this server")
            return socket.respond(
                HTTPStatus.OK,
                "Pierule: matches of two-player board games that open with a pie rule.\n"
                f"Play in a terminal: pierule rooms --server ws://{host}{PATH}\n",
            )
        return socket.respond(HTTPStatus.NOT_FOUND, f"There is nothing here. Try / or {PATH}.\n")


def _expect_hello(connection: Connection) -> None:
    if connection.user is None:
        connection.close(Close.HELLO_TIMEOUT)


def select_subprotocol(
    socket: ServerConnection,  # noqa: ARG001 - the signature is the library's
    offered: Sequence[Subprotocol],
) -> Subprotocol:
    """The first of our subprotocols that the client offers (SPEC, Connecting)."""
    for subprotocol in _CODECS:
        if subprotocol in offered:
            return Subprotocol(subprotocol)
    raise NegotiationError(f"offer one of the subprotocols {', '.join(_CODECS)}")

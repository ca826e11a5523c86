"""Listens on the clients' port: WebSocket handshakes, and a page for visitors with a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from socket import SO_RCVBUF, SO_SNDBUF, SOL_SOCKET, socket  # noqa: TID251  # made elsewhere
from typing import Any

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from pierule_protocol.codec import server_codecs
from pierule_protocol.codes import Close
from pierule_protocol.games.writing import documents
from pierule_server import metrics
from pierule_server.connections.affinity import hint_in
from pierule_server.connections.connection import Connection
from pierule_server.connections.connections import Connections
from pierule_server.connections.limits import (
    Allowance,
    Budget,
    TokenBuckets,
    Users,
    of_network,
)
from pierule_server.gateway import previews
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.arrivals import BACKLOG, Arrivals
from pierule_server.gateway.budget import buckets_of_games, budget_of, budget_of_games
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.page import Page, game_files, policy
from pierule_server.gateway.passed_sockets import PassedSockets
from pierule_server.gateway.peer_socket import GatewayState, Passed, PeerSocket, Receiver
from pierule_server.gateway.previews import Previews
from pierule_server.gateway.request_queue import REFUSED, REFUSED_AT_ONCE, RequestQueue
from pierule_server.identity.bans import Bans
from pierule_server.rooms.hub import Hub
from pierule_server.settings import Settings
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

PATH = "/ws"

ARCHIVE = "/api/"

_CODECS = server_codecs()


class Listener:
    """Serves connections until it is stopped. `api_port` is the port of this host on which the
    archive's API is. With `passed` it listens on no port: another process passes it connections
    (`take`)."""

    def __init__(
        self,
        settings: Settings,
        hub: Hub,
        dispatch: Dispatch,
        connections: Connections,
        bans: Bans | None = None,
        api_port: int | None = None,
        *,
        passed: bool = False,
    ) -> None:
        self._settings = settings
        self._connections = connections
        self.affinity = connections.affinity
        self._hub = hub
        self._dispatch = dispatch
        self._bans = bans
        self._api_port = api_port
        self._admission = Admission(settings)
        self._door = GatewayState(
            self, self._admission, Arrivals(settings), settings.outbox_bytes,
            settings.handshake_seconds, settings.ping_seconds,
        )  # fmt: skip
        per_address = settings.address_budget, settings.address_budget_burst
        self.token_buckets = TokenBuckets(*per_address)
        self.games = buckets_of_games(*per_address)
        self._refused = TokenBuckets(REFUSED, REFUSED_AT_ONCE)
        self.users = Users(
            settings.connections_per_user, settings.user_rate, settings.user_burst,
            TokenBuckets(settings.user_budget, settings.user_budget_burst),
        )  # fmt: skip
        self._files = Page(more=game_files(documents()))
        proxied = (settings.proxy_header, "X-Forwarded-Proto")
        self._previews = Previews(settings.host, api_port, proxied)
        self._server: Server
        self._passed_sockets: PassedSockets | None = None
        self._passed = passed
        self._tasks = Tasks()

    async def start(self) -> int:
        """Begin to serve. Returns the port, or 0 for none. Raises OSError if the port cannot be
        used."""
        settings = self._settings
        make = partial(PeerSocket, door=self._door)
        options: dict[str, Any] = {"ping_interval": None, "close_timeout": settings.close_seconds}
        self._server = serving = serve(
            _never,
            settings.host,
            settings.port,
            select_subprotocol=select_subprotocol,
            compression=None,
            max_size=settings.frame_bytes,
            create_connection=make,  # type: ignore[arg-type]
            server_header=None,
            backlog=BACKLOG,
            **options,
        )
        if self._passed:
            self._passed_sockets = PassedSockets(
                serving, select_subprotocol, make, settings.frame_bytes, **options
            )
            return 0
        await serving
        for listening in self._server.sockets:  # accepted sockets inherit these sizes
            listening.setsockopt(SOL_SOCKET, SO_SNDBUF, settings.buffer_bytes)
            listening.setsockopt(SOL_SOCKET, SO_RCVBUF, settings.buffer_bytes)
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def take(self, connected: socket, passed: Passed) -> None:
        """Serve a connection that another process has accepted. Raises OSError if it has ended."""
        assert self._passed_sockets is not None
        await self._passed_sockets.take(connected, passed)

    async def stop(self) -> None:
        """Accept no more connections, and close the open ones with 1001."""
        for connection in self._connections:
            connection.close(Close.GOING_AWAY)
        self._server.close(code=Close.GOING_AWAY)
        for handshaking in list(self._door.handshaking):
            handshaking.transport.abort()
        await self._connections.gone()
        await self._server.wait_closed()
        self._door.moments.stop()

    def greet(self, socket: PeerSocket, request: Request) -> None:
        """Let a client in, or answer a visitor (see `SocketOwner`)."""
        path = request.path.partition("?")[0]
        if path == PATH:
            socket.respond_with(self._refusal(socket, request))
        else:
            answer = self._tasks.begin(self._answer(socket, request, path), "a visitor is answered")
            self._server.handler_tasks.add(answer)
            answer.add_done_callback(self._server.handler_tasks.discard)

    async def _answer(self, socket: PeerSocket, request: Request, path: str) -> None:
        try:
            response = await self._page(socket, request, path)
        except Exception:
            logger.exception("a page could not be served: please file a bug", path=path)
            response = socket.respond(
                HTTPStatus.INTERNAL_SERVER_ERROR, "The server failed; try again later.\n"
            )
        socket.respond_with(response)

    def opened(self, socket: PeerSocket) -> None:
        """A client has connected (see `SocketOwner`)."""
        assert socket.subprotocol is not None
        settings, address = self._settings, socket.address or ""
        allowance = Allowance(
            settings.connection_rate, settings.connection_burst, settings.refusals, self.users,
            budget_of(address, self.token_buckets), budget_of_games(address, self.games),
            Budget("refusals", of_network(address), self._refused),
        )  # fmt: skip
        codec = _CODECS[socket.subprotocol]
        connection = Connection(socket, codec, settings.outbox_bytes, allowance)
        connection.hint = hint_in(socket.request.path) if socket.request else None
        self._connections.add(connection)
        moments = self._door.moments
        socket.hello = moments.add(settings.hello_seconds, _expect_hello, connection)
        socket.deliver(RequestQueue(connection, socket, self._dispatch, settings))

    def closed(self, socket: PeerSocket, receiver: Receiver) -> None:
        """A client is gone (see `SocketOwner`)."""
        assert isinstance(receiver, RequestQueue)
        self._tasks.begin(self._leave(socket, receiver), "a client has gone")

    async def _leave(self, socket: PeerSocket, requests: RequestQueue) -> None:
        connection = requests.connection
        self._door.moments.cancel(socket.hello, connection)
        try:
            await requests.settled()
            connection.allowance.leave(socket.loop.time())
            self._dispatch.leave(connection)
            await connection.closed()
        finally:
            self._connections.remove(connection)
            sent = socket.protocol.close_sent
            metrics.count_close(None if sent is None else sent.code)

    async def _page(self, socket: ServerConnection, request: Request, path: str) -> Response | None:
        """The answer to a request that is not a WebSocket handshake. None for methods other than
        GET and HEAD: then the library refuses the request."""
        if request.method not in ("GET", "HEAD"):
            return None  # the library refuses it
        if self._api_port is not None and path.startswith(ARCHIVE):
            return _elsewhere(socket, request, self._api_port)
        if previews.PATH.fullmatch(path):
            response = await self._previews.answer(path, request) or self._files.below(request)
        else:
            response = self._files.answer(path, request)
        response = response or self._text(socket, path, request)
        if self._api_port is not None:
            response.headers["Content-Security-Policy"] = policy(self._api_port)
        if request.method == "HEAD":
            response.body = b""
        return response

    def _text(self, socket: ServerConnection, path: str, request: Request) -> Response:
        """The answer at a path for which the built page has no file."""
        if path == "/":
            host = _host(request) or "this server"
            return socket.respond(
                HTTPStatus.OK,
                "Pierule: matches of two-player board games that open with a pie rule.\n"
                f"Play in a terminal: pierule rooms --server ws://{host}{PATH}\n"
                "This server has no page yet. `make page` builds it; then restart the server.\n",
            )
        return socket.respond(
            HTTPStatus.NOT_FOUND, f"This server has nothing at this path. Try / or {PATH}.\n"
        )

    def _refusal(self, socket: PeerSocket, request: Request) -> Response | None:
        """The answer that refuses this client; None if it may connect (SPEC 1.13)."""
        if self._connections.draining:
            return _refuse(socket, "draining", "This node shuts down; connect to another.", 1)
        origins = request.headers.get_all("Origin")
        host = _host(request)
        if not all(self._admission.allows(origin, host) for origin in origins):
            return _refuse(
                socket, "origin", "Pages of this origin may not connect (operators: see --origins)."
            )
        banned = self._bans and self._bans.why(socket.address)
        if banned:
            return _refuse(socket, "banned", f"Sorry, {banned}")
        if socket.crowded:
            return _refuse(socket, "address", "Your address has too many connections here.", 5)
        return None


_STATUS = {
    "draining": HTTPStatus.SERVICE_UNAVAILABLE,
    "origin": HTTPStatus.FORBIDDEN,
    "banned": HTTPStatus.FORBIDDEN,
    "address": HTTPStatus.TOO_MANY_REQUESTS,
}


def _refuse(socket: PeerSocket, reason: str, text: str, retry: int | None = None) -> Response:
    """An answer that refuses a handshake. `retry` is after how many seconds to try again."""
    socket.refusal = reason
    response = socket.respond(_STATUS[reason], f"{text}\n")
    if retry is not None:
        response.headers["Retry-After"] = str(retry)
    return response


def _elsewhere(socket: ServerConnection, request: Request, port: int) -> Response:
    """A redirect to another port of the requested host (SPEC 27.1), for pages of every origin."""
    host = re.sub(r":\d*$", "", _host(request) or "")
    response = socket.respond(HTTPStatus.TEMPORARY_REDIRECT, "")
    response.headers["Location"] = f"//{host}:{port}{request.path}"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def _host(request: Request) -> str | None:
    """The requested host; None if the request names none, or several."""
    hosts = request.headers.get_all("Host")
    return hosts[0] if len(hosts) == 1 else None


async def _never(_socket: ServerConnection) -> None:
    """Stands in place of the library's handler. `PeerSocket` begins and ends by itself."""


def _expect_hello(connection: Connection) -> None:
    if connection.user is None:
        connection.close(Close.HELLO_TIMEOUT)


def select_subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol:
    """The first of our subprotocols that the client offers (SPEC 1)."""
    for subprotocol in _CODECS:
        if subprotocol in offered:
            return Subprotocol(subprotocol)
    if isinstance(socket, PeerSocket):
        socket.refusal = "subprotocol"
    raise NegotiationError(f"offer one of the subprotocols {', '.join(_CODECS)}")

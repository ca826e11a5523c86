"""Serves `/healthz`, `/readyz` and `/metrics` on the operators' port, apart from the clients' port.

The `websockets` library serves it, as it serves the clients' port: with one strict parser that
bounds line length, headers and time. `prometheus_client` has a server, too, but runs it in a
thread. A thread would answer `/healthz` even while the event loop hangs, and `/healthz` exists to
show that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from prometheus_client.exposition import choose_encoder
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from pierule_server import metrics
from pierule_server.connections.connections import Connections
from pierule_server.gateway.page import guard
from pierule_server.lobby.lobby import Lobby
from pierule_server.operations.keyring_member import KeyringMember
from pierule_server.rooms.archive_writer import ArchiveWriter
from pierule_server.rooms.deadlines import DeadlineSweeper
from pierule_server.rooms.hub import Hub
from pierule_server.settings import Settings
from pierule_server.store.room_log import RoomLog

SECONDS = 5.0
"""The most seconds that a request may take to arrive."""

STORE_SILENCE = 2.0
"""Seconds without an answer after which the store counts as unreachable. The node asks it 20 times
a second."""

LAG_INTERVAL = 0.1
"""Seconds between two measurements of how late the event loop is."""

NOBODY = "no living node can play"

APART = 1_000
"""The distance from the clients' port to the port that `auto` takes."""


class Operations:
    """Answers operators about one node."""

    def __init__(
        self,
        settings: Settings,
        version: str,
        hub: Hub,
        log: RoomLog,
        deadline_sweeper: DeadlineSweeper,
        connections: Connections,
        lobby: Lobby,
        nodes: KeyringMember,
        archive: ArchiveWriter,
    ) -> None:
        self._host = settings.operations_host
        self._port = chosen_port(settings)
        self._hub = hub
        self._log = log
        self._deadline_sweeper = deadline_sweeper
        self._connections = connections
        self._lobby = lobby
        self._nodes = nodes
        self._archive = archive
        self._watch: asyncio.Task[None] | None = None
        self._server: Server | None = None
        metrics.INFO.info({"version": version})
        metrics.DRAINING.set(0)

    async def start(self) -> tuple[str, int] | None:
        """Begin to listen. Returns the host and the port, or None if there is no operators' port.
        Raises OSError if the port cannot be used."""
        self._watch = asyncio.create_task(_watch_the_loop(), name="watch on the event loop")
        if self._port is None:
            return None
        self._server = await serve_operators(self._host, self._port, self._page)
        return self._host, next(iter(self._server.sockets)).getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def trouble(self) -> str | None:
        """Why this node should get no clients now; None if it should."""
        if self._connections.draining:
            return "draining"
        if self._store_reachable():
            return None
        return "\n".join(self._log.troubles or ["the store does not answer"])

    def _store_reachable(self) -> bool:
        return self._deadline_sweeper.silence() < STORE_SILENCE

    def measure(self) -> None:
        """Update the gauges that are computed only when somebody reads them."""
        metrics.STORE_REACHABLE.set(self._store_reachable())
        self._connections.measure()
        self._lobby.measure()
        self._hub.measure()
        self._archive.measure()

    async def _page(self, socket: ServerConnection, request: Request) -> Response:
        match request.path.partition("?")[0]:
            case "/healthz":
                return socket.respond(HTTPStatus.OK, "ok\n")
            case "/readyz":
                trouble = self.trouble()
                if trouble is not None:
                    return socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, f"{trouble}\n")
                lines = ["ready", *self.lines()]
                return socket.respond(HTTPStatus.OK, "".join(f"{line}\n" for line in lines))
            case "/metrics":
                return self._metrics(socket, request)
        return socket.respond(HTTPStatus.NOT_FOUND, "There are /healthz, /readyz and /metrics.\n")

    def lines(self) -> list[str]:
        """What operators should fix, although this node can serve."""
        return [*self._log.troubles, *self._archive.troubles, *self._unplayable()]

    def _unplayable(self) -> list[str]:
        """A line for each requested room whose game or rules this node lacks. It says whether
        another living node has them."""
        return [
            f"{'cannot play here' if self._nodes.plays(need.game, need.rules) else NOBODY}: "
            f"{room} {need.why}"
            for room, need in sorted(self._hub.unplayable.items())
        ]

    def _metrics(self, socket: ServerConnection, request: Request) -> Response:
        self.measure()
        encode, kind = choose_encoder(", ".join(request.headers.get_all("Accept")))
        body = encode(metrics.REGISTRY)
        return respond_metrics(socket, body, kind)


Page = Callable[[ServerConnection, Request], Awaitable[Response]]


async def serve_operators(host: str, port: int, page: Page) -> Server:
    """Serve pages that operators may only read (GET, HEAD). Raises OSError if the port cannot be
    used."""

    async def answer(socket: ServerConnection, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            response = socket.respond(HTTPStatus.METHOD_NOT_ALLOWED, "Use GET or HEAD.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        response = await page(socket, request)
        if request.method == "HEAD":
            response.body = b""
        return response

    return await serve(
        _never,
        host,
        port,
        process_request=answer,
        process_response=_guard,
        compression=None,
        open_timeout=SECONDS,
        close_timeout=SECONDS,
        server_header=None,
    )


def respond_metrics(socket: ServerConnection, body: bytes, kind: str) -> Response:
    """A response with encoded metrics, of content type `kind`."""
    response = socket.respond(HTTPStatus.OK, "")
    response.headers.pop("Content-Type")
    response.headers.pop("Content-Length")
    response.headers["Content-Type"] = kind
    response.headers["Content-Length"] = str(len(body))
    response.body = body
    return response


def _guard(_socket: ServerConnection, _request: Request, response: Response) -> None:
    guard(response)


async def _watch_the_loop() -> None:
    """Measure how late timers run."""
    clock = asyncio.get_running_loop().time
    while True:
        due = clock() + LAG_INTERVAL
        await asyncio.sleep(LAG_INTERVAL)
        metrics.LOOP_LAG_SECONDS.observe(max(0.0, clock() - due))


async def _never(socket: ServerConnection) -> None:
    """Never called: `process_request` answers every request."""


def chosen_port(settings: Settings) -> int | None:
    """The operators' port: 0 for a free one, None for none. Raises ValueError."""
    text = settings.operations_port
    match text:
        case "off":
            return None
        case "auto":
            port = settings.port
            return port + APART if 0 < port <= 65_535 - APART else 0
    if text.isascii() and text.isdecimal() and int(text) <= 65_535:
        return int(text)
    raise ValueError(f"--operations-port must be auto, off or a port, not {text!r}")

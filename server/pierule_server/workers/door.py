"""The clients' port of a supervisor: accepts connections, counts them, passes them to workers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress

import structlog
from websockets.datastructures import Headers

from pierule_server import metrics
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.arrivals import BACKLOG, Arrival, Arrivals
from pierule_server.settings import Settings
from pierule_server.tasks import Tasks
from pierule_server.workers import peeking
from pierule_server.workers.choosing import choose
from pierule_server.workers.life import Life, leave

AT_ONCE = 64
"""The most connections to accept in one turn of the event loop."""

FULL = 0.5
"""Seconds without accepting after the system had no socket left."""

NOBODY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 47\r\n\r\n"
    b"The server restarts; connect again in a moment."
)

_logger = structlog.get_logger(__name__)


def listen(settings: Settings) -> socket.socket:
    """A socket that listens on the clients' port. Raises OSError if the port cannot be used."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):  # accepted sockets inherit these sizes
        listening.setsockopt(socket.SOL_SOCKET, option, settings.buffer_bytes)
    listening.setblocking(False)
    return listening


class Door:
    """Accepts connections and passes each to one of the workers that are `usable` then."""

    def __init__(
        self,
        settings: Settings,
        listening: socket.socket,
        usable: Callable[[], Mapping[int, Life]],
    ) -> None:
        self._listening = listening
        self._usable = usable
        self._admission = Admission(settings)
        self._arrivals = Arrivals(settings)
        self._tasks = Tasks()
        self._later: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to accept connections."""
        asyncio.get_running_loop().add_reader(self._listening.fileno(), self._accept)

    async def stop(self) -> None:
        """Stop accepting connections."""
        if self._later is not None:
            self._later.cancel()
        asyncio.get_running_loop().remove_reader(self._listening.fileno())
        await self._tasks.stop()

    def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(AT_ONCE):
            try:
                connected, peer = self._listening.accept()
            except (BlockingIOError, ConnectionError):
                return
            except OSError as error:  # for example, too many open files
                _logger.error(  # noqa: TRY400
                    "cannot accept connections; trying again: raise the limit of open files if the "
                    "error names it",
                    error=str(error),
                )
                loop.remove_reader(self._listening.fileno())
                self._later = loop.call_later(FULL, self.start)
                return
            connected.setblocking(False)
            self._tasks.begin(self._bring_in(connected, peer[0]), "a connection comes in")

    async def _bring_in(self, connected: socket.socket, peer: str) -> None:
        """Count a connection, look at its request, and pass it on."""
        arrival: Arrival | None = None
        proxied = self._admission.trusts(peer)
        now = asyncio.get_running_loop().time()
        try:
            if not proxied:
                arrival = self._arrivals.enter(self._admission.origin_of(peer, Headers()), now)
                if arrival is None:
                    connected.close()
                    return
            head = await peeking.peeked(connected, whole=proxied)
            if head is not None and proxied:
                told = peeking.headers(head)
                if told is not None:  # otherwise the worker counts it
                    arrival = self._arrivals.enter(self._admission.origin_of(peer, told), now)
                    head = head if arrival else None
            if head is not None:
                self.pass_on(connected, arrival, peeking.hint(head))
                return
        except asyncio.CancelledError:
            leave(connected, arrival)
            raise
        leave(connected, arrival)

    def pass_on(
        self, connected: socket.socket, arrival: Arrival | None, bucket: int | None = None
    ) -> None:
        """Pass a connection to a worker, or answer 503 if there is none."""
        usable = self._usable()
        number = choose({number: life.load for number, life in usable.items()}, bucket)
        if number is None:
            with suppress(OSError):
                connected.send(NOBODY)
                connected.recv(peeking.BYTES)  # unread bytes would make the close a reset
            leave(connected, arrival)
            return
        metrics.CONNECTIONS_PASSED.count("load" if bucket is None else "bucket")
        usable[number].take(connected, arrival)

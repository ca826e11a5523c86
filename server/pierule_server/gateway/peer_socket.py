"""A WebSocket that withstands a hostile peer before anybody knows who it is.

Everything that the library does by itself has bounds here: sockets of one address, system buffers,
answers to pings that nobody reads, endless control frames. The content of messages is not known
here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import OPEN, Event

from pierule_protocol.codes import CLOSE_MEANINGS, Close
from pierule_server.connections.connection import WriteCoalescer
from pierule_server.connections.limits import TokenBucket
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.arrivals import Arrival, Arrivals
from pierule_server.gateway.page import guard

logger = structlog.get_logger()

CONTROL_RATE = 20
CONTROL_BURST = 100
"""Pings, and pongs that we did not ask for: no library sends more than one in some seconds."""

FRAGMENTS = 256
"""The most frames of one message: empty ones could go on for ever."""


_WORDS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "This is no request that is understood here: HTTP/1.1 without a body, "
    "or a WebSocket handshake (RFC 6455).",
    HTTPStatus.METHOD_NOT_ALLOWED: "Only GET and HEAD are allowed here.",
    HTTPStatus.REQUEST_URI_TOO_LONG: "The address is too long.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too long, or too many.",
    HTTPStatus.UPGRADE_REQUIRED: "Here begins a WebSocket: connect with a client of the protocol.",
}
"""What is said instead of the library's words, which tell of its insides."""

_LIBRARY = b"Failed to open a WebSocket connection"

_REASONS: dict[int, str] = {HTTPStatus.OK: "path", HTTPStatus.NOT_FOUND: "path"}


class Receiver(Protocol):
    """Where the messages of a socket go."""

    def receive(self, data: bytes, text: bool) -> None:
        """Take a message, as the bytes that came, and whether it is a text frame."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A connection that another process has accepted and counted, perhaps as one too many for its
    `address`; None if that is not known. It wants to hear when the connection has `left`."""

    address: str | None
    crowded: bool
    left: Callable[[], None]


@dataclass(slots=True)
class GatewayState:
    """What the sockets of a node share."""

    admission: Admission
    arrivals: Arrivals
    outbox_bytes: int
    coalescer: WriteCoalescer = field(default_factory=WriteCoalescer)


class PeerSocket(ServerConnection):
    """The server's end of a TCP connection, from its first byte on.

    `address` is the address for which it counts, None until a proxy has told it; `crowded` says
    that the address has too many. `refusal` is why the handshake is refused, for the metrics, if
    the status does not tell.

    Messages go to the receiver where they are read, not to a task that waits for them: this relies
    on the library's `process_event`, and leaves its `recv` with none.
    """

    def __init__(
        self, *args: Any, door: GatewayState, passed: Passed | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.address: str | None = None
        self.crowded = False
        self.refusal: str | None = None
        self._door = door
        self._arrival: Arrival | None = None
        self._passed = passed
        self._peer = ""
        self._receiver: Receiver | None = None
        self._parts: list[Frame] = []
        self._early: list[Frame] = []
        self._paused = False
        self._failed = False
        self._control = TokenBucket(CONTROL_RATE, CONTROL_BURST)
        # What the library refuses by itself, such as a long line, passes no hook of `serve`.
        send = partial(self._respond, self.protocol.send_response)
        self.protocol.send_response = send  # type: ignore[method-assign]
        end = partial(self._end, self.protocol.send_eof)
        self.protocol.send_eof = end  # type: ignore[method-assign]

    @property
    def coalescer(self) -> WriteCoalescer:
        return self._door.coalescer

    def deliver(self, receiver: Receiver) -> None:
        """From now on this receiver gets the messages, including those that were sent too early."""
        self._receiver = receiver
        del self.protocol.send_response, self.protocol.send_eof
        for handshake in (self.request, self.response):  # Nobody asks any more: 3 kB less.
            if handshake is not None:
                handshake.headers.clear()
        early, self._early = self._early, []
        for frame in early:
            self._take(frame)
        self.resume()

    def pause(self) -> None:
        """Stop reading for the moment: the data stays with the system, and then with the client."""
        if not self._paused and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        name = transport.get_extra_info("peername")
        self._peer = name[0] if name else ""
        if self._passed is not None and self._passed.address is not None:
            self.address, self.crowded = self._passed.address, self._passed.crowded
        elif not self._door.admission.trusts(self._peer):
            self._count(self._door.admission.origin_of(self._peer, Headers()))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._arrival is not None:
            self._arrival.leave()
        if self._passed is not None:
            self._passed.left()

    def process_event(self, event: Event) -> None:
        if isinstance(event, Request):
            if self.address is None:
                self._count(self._door.admission.origin_of(self._peer, event.headers))
        elif isinstance(event, Frame) and self._excessive(event):
            self.fail(Close.FLOODING)
            return
        elif isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            if self._failed:
                return  # It came along with what it failed for.
            if self._receiver is not None:
                self._take(event)
            else:  # It has not even been let in.
                self._early.append(event)
                self.pause()
            return
        super().process_event(event)

    def _take(self, frame: Frame) -> None:
        """Give the receiver a complete message; the library has checked its size and order."""
        if self._parts or not frame.fin:
            self._parts.append(frame)
            if len(self._parts) > FRAGMENTS:
                self._parts.clear()
                self.fail(Close.TOO_LARGE)
            if not frame.fin or not self._parts:
                return
            parts, self._parts = self._parts, []
            frame = Frame(parts[0].opcode, b"".join(part.data for part in parts))
        assert self._receiver is not None
        self._receiver.receive(bytes(frame.data), frame.opcode is Opcode.TEXT)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_write_buffer_size() > self._door.outbox_bytes:
            self.fail(Close.SLOW)  # the answers to its pings, say, that it does not read

    def fail(self, code: Close) -> None:
        """Close at once: what still comes in is not even parsed. Bounded in time."""
        if self.state is not OPEN:
            return
        logger.warning("connection failed", close=code.name.lower(), address=self.address)
        self._failed = True
        self._door.coalescer.flush()  # what it is told before
        self.protocol.fail(code, CLOSE_MEANINGS[code].text)
        self.send_data()
        self.resume()  # what is behind is to be discarded, up to its end
        self.loop.call_later(self.close_timeout or 0, self.transport.abort)

    def _respond(self, send: Callable[[Response], None], response: Response) -> None:
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            _say(response, ours=self.refusal is not None)
            guard(response)
            if self.request is not None:
                guard(response, self._door.admission.pinned(self._peer, self.request.headers))
            if self.request is None or "Upgrade" in self.request.headers:
                reason = self.refusal or _REASONS.get(response.status_code, "malformed")
                self._door.arrivals.refusals.count(reason, self.address or self._peer)
        send(response)

    def _end(self, end: Callable[[], None]) -> None:
        """The library says nothing to what it cannot read, and to a request with a body. Nobody
        is there to read an answer if the connection has ended, or was cut off."""
        self.protocol.send_eof = end  # type: ignore[method-assign]
        error = self.protocol.handshake_exc
        ended = self.transport.is_closing() or isinstance(error and error.__cause__, EOFError)
        if isinstance(error, InvalidMessage) and not ended:
            refusal = self.protocol.reject(HTTPStatus.BAD_REQUEST, _LIBRARY.decode())
            self.protocol.send_response(refusal)
        else:
            end()

    def _count(self, address: str) -> None:
        self.address = address
        self._arrival = self._door.arrivals.enter(address, self.loop.time())
        if self._arrival is None:
            self.crowded = True
            self.transport.abort()
        else:
            self.crowded = self._arrival.crowded

    def _excessive(self, frame: Frame) -> bool:
        if self.state is not OPEN:
            return False
        if frame.opcode is Opcode.PONG:
            if bytes(frame.data) in self.pending_pings:
                return False
        elif frame.opcode is not Opcode.PING:
            return False
        if self._control.wait(self.loop.time()) > 0:
            return True
        self._control.take()
        return False


def _say(response: Response, *, ours: bool) -> None:
    """Have the response say in our words what the library says in its own; `ours` are already."""
    said = bytes(response.body or b"")
    if said.startswith(_LIBRARY):
        words = _WORDS.get(response.status_code, "This is not understood here.")
        response.body = said.removeprefix(_LIBRARY + b": ") if ours else f"{words}\n".encode()
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))

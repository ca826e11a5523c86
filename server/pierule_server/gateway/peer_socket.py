"""A WebSocket that withstands a hostile peer, even before the peer says who it is.

It bounds everything that the library does by itself: sockets of one address, system buffers,
answers to pings that nobody reads, endless control frames. It does not know the content of
messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol, cast

import structlog
from websockets.asyncio.messages import Assembler
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES, CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import CONNECTING, OPEN, Event

from pierule_protocol import world
from pierule_protocol.codes import CLOSE_MEANINGS, Close
from pierule_server.connections.connection import WriteCoalescer
from pierule_server.connections.limits import TokenBucket
from pierule_server.gateway import frame_bounds
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.arrivals import Arrival, Arrivals
from pierule_server.gateway.fair_queue import FairQueue
from pierule_server.gateway.moments import Moments
from pierule_server.gateway.page import guard
from pierule_server.gateway.plain_words import LIBRARY, asks_for_websocket, put_plainly
from pierule_server.gateway.short_frames import is_between, is_text, payload_of

logger = structlog.get_logger()

_LIBRARYS_LOGGER = logging.getLogger("websockets.server")

_LONG_HEAD = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE

_REASONS: dict[int, str] = {HTTPStatus.OK: "path", HTTPStatus.NOT_FOUND: "path"}


class Receiver(Protocol):
    """Gets the messages of a socket."""

    def receive(self, data: bytes, text: bool) -> None:
        """Take a message: its bytes, and whether it is a text frame."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A connection that another process has accepted and counted. `address` is None if that process
    does not know it. `crowded`: the address has too many connections. Call `left` when the
    connection ends."""

    address: str | None
    crowded: bool
    left: Callable[[], None]


class SocketOwner(Protocol):
    """Hears of sockets: the listener."""

    def greet(self, socket: PeerSocket, request: Request) -> None:
        """A request has come; `respond_with` answers it, now or later."""

    def opened(self, socket: PeerSocket) -> None:
        """The handshake is done: call `deliver` to say where messages go."""

    def closed(self, socket: PeerSocket, receiver: Receiver) -> None:
        """A socket that had a receiver has ended."""


@dataclass(slots=True)
class GatewayState:
    """What the sockets of a node share. A handshake may take `handshake_seconds`. `ping_seconds` is
    the time between two pings, and the time for an answer."""

    owner: SocketOwner
    admission: Admission
    arrivals: Arrivals
    outbox_bytes: int
    handshake_seconds: float
    ping_seconds: float
    coalescer: WriteCoalescer = field(default_factory=WriteCoalescer)
    moments: Moments = field(default_factory=Moments)
    fair_queue: FairQueue = field(default_factory=FairQueue)
    handshaking: set[PeerSocket] = field(default_factory=set)


class _NoMessages:
    """Stands in place of the library's queue of messages, which nobody reads."""

    frames = ()

    def close(self) -> None:
        """Do nothing."""


_NO_MESSAGES = _NoMessages()


class PeerSocket(ServerConnection):
    """The server's end of a TCP connection, from its first byte on.

    `address` is the address to which it counts; None until a proxy has told it. `crowded` says that
    the address has too many. `refusal` says for the metrics why the handshake is refused, if the
    status does not tell. `hello` is the moment by which the client must say hello.

    Messages go to the receiver as soon as they are read. Nothing runs for an idle socket: no
    handler's task, no task that pings, no queue. So this overrides the library's `process_event`,
    and `recv` gets no messages. Our own attributes are slots, because a dictionary takes 1 kB more
    from the 31st attribute on.
    """

    __slots__ = (
        *("_arrival", "_asked", "_between", "_control", "_door", "_failed", "_head", "_moment"),
        *("_parts", "_passed", "_paused", "_peer", "_receiver"),
        *("address", "crowded", "hello", "refusal"),
    )

    def __init__(
        self, *args: Any, door: GatewayState, passed: Passed | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.drain_waiters = []  # type: ignore[assignment]  # an empty deque takes 760 bytes
        self.logger = self.protocol.logger = _LIBRARYS_LOGGER  # not one for each, with its name
        del self.request_rcvd
        self.address: str | None = None
        self.crowded = False
        self.hello = 0
        self.refusal: str | None = None
        self._door = door
        self._arrival: Arrival | None = None
        self._asked: bytes | None = None
        self._moment = 0
        self._passed = passed
        self._peer = ""
        self._receiver: Receiver | None = None
        self._parts: list[Frame] | None = None
        self._paused = False
        self._between = False
        self._failed = False
        self._head = 0
        self._control = TokenBucket(frame_bounds.RATE, frame_bounds.AT_ONCE)
        # If the library itself refuses something, such as a long line, it calls no hook of `serve`.
        send = partial(self._respond, self.protocol.send_response)
        self.protocol.send_response = send  # type: ignore[method-assign]
        end = partial(self._end, self.protocol.send_eof)
        self.protocol.send_eof = end  # type: ignore[method-assign]

    @property
    def coalescer(self) -> WriteCoalescer:
        return self._door.coalescer

    def deliver(self, receiver: Receiver) -> None:
        """Give all messages to this receiver from now on."""
        self._receiver = receiver
        del self.protocol.send_response, self.protocol.send_eof
        for handshake in (self.request, self.response):  # nobody needs them: 3 kB less
            if handshake is not None:
                handshake.headers.clear()

    def pause(self) -> None:
        """Stop reading for now. Data stays with the system, and then with the client."""
        if not self._paused and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The library's method would start a task and make a queue that nobody reads.
        self.transport = cast("asyncio.Transport", transport)
        self.recv_messages = cast("Assembler", _NO_MESSAGES)
        self._door.handshaking.add(self)
        self._next(self._door.handshake_seconds, _cut)
        name = transport.get_extra_info("peername")
        self._peer = name[0] if name else ""
        connected = transport.get_extra_info("socket")
        if connected is not None and self._door.arrivals.full(connected.fileno()):
            self._door.arrivals.refusals.count("full", self._peer)
            self.transport.abort()
            return
        if self._passed is not None and self._passed.address is not None:
            self.address, self.crowded = self._passed.address, self._passed.crowded
        elif not self._door.admission.trusts(self._peer):
            self._count(self._door.admission.origin_of(self._peer, Headers()))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._door.moments.cancel(self._moment, self)
        self._door.handshaking.discard(self)
        if self._arrival is not None:
            self._arrival.leave()
        if self._passed is not None:
            self._passed.left()
        if self._receiver is not None:
            self._door.owner.closed(self, self._receiver)
        self._untie()

    def _untie(self) -> None:
        """Let go of what holds this socket, too. Otherwise only the garbage collector could free
        it, and a collector that finds a thousand sockets stops everything for 25 ms."""
        protocol: Any = self.protocol
        if protocol.handshake_exc is not None:
            protocol.handshake_exc.__traceback__ = None  # the request has it, too
        self._receiver = protocol.select_subprotocol = None
        protocol.handshake_exc = protocol.parser_exc = protocol.parser = None
        vars(protocol).pop("send_response", None)
        vars(protocol).pop("send_eof", None)

    def respond_with(self, response: Response | None) -> None:
        """Answer the request: with this response, or (None) as the library does, which opens the
        WebSocket if the handshake is correct."""
        assert self.request is not None
        protocol = self.protocol
        if protocol.state is not CONNECTING or protocol.eof_sent or self.transport.is_closing():
            self.transport.abort()  # the client has ended, or sent something else after its request
            return
        response = response or protocol.accept(self.request)
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS and not self.server.is_serving():
            response = protocol.reject(
                HTTPStatus.SERVICE_UNAVAILABLE, "This node shuts down; connect to another.\n"
            )
        self.response = response
        protocol.send_response(response)
        self.send_data()
        if protocol.state is OPEN:
            self._door.handshaking.discard(self)
            self._next(self._door.ping_seconds, PeerSocket.keep_alive)
            self._door.owner.opened(self)
        else:
            self._next(self.close_timeout or 0, _cut)

    def _next(self, seconds: float, work: Callable[[PeerSocket], None]) -> None:
        """Call `work` after this many seconds, unless another call replaces it."""
        self._door.moments.cancel(self._moment, self)
        self._moment = self._door.moments.add(seconds, work, self)

    def keep_alive(self) -> None:
        """Ping the client. Give it up if it has not answered the last ping."""
        if self.state is not OPEN:
            return
        if self._asked is not None and self._asked in self.pending_pings:
            self._fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            return
        self._asked = world.random().randbytes(4)
        self.pending_pings[self._asked] = self.loop.create_future(), self.loop.time()
        self.protocol.send_ping(self._asked)
        self.send_data()
        self._next(self._door.ping_seconds, PeerSocket.keep_alive)

    def process_event(self, event: Event) -> None:
        if isinstance(event, Request):
            if self.address is None:
                self._count(self._door.admission.origin_of(self._peer, event.headers))
            self.request = event
            if not self.transport.is_closing():
                self._door.owner.greet(self, event)
            return
        if isinstance(event, Frame) and self._excessive(event):
            self.fail(Close.FLOODING)
            return
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            if self._failed:
                return  # it came together with what made the socket fail
            if self._receiver is not None:
                self._take(event)
            return
        super().process_event(event)

    def _take(self, frame: Frame) -> None:
        """Put frames together, and give complete messages to the receiver. The library has checked
        their size and order."""
        if self._parts or not frame.fin:
            parts = self._parts = self._parts or []
            parts.append(frame)
            if len(parts) > frame_bounds.FRAGMENTS:
                self._parts = None
                self.fail(Close.TOO_LARGE)
                return
            if not frame.fin:
                return
            self._parts = None
            frame = Frame(parts[0].opcode, b"".join(part.data for part in parts))
        assert self._receiver is not None
        self._receiver.receive(bytes(frame.data), frame.opcode is Opcode.TEXT)

    def data_received(self, data: bytes) -> None:
        if self._between and self.protocol.state is OPEN:
            payload = payload_of(data)
            if payload is not None and self._receiver is not None:
                self._receiver.receive(payload, is_text(data))
                return
        if self.protocol.state is not CONNECTING:
            self._parse(data)
        elif not self.in_turn(partial(self._shake_hands, data)):
            self.pause()

    def in_turn(self, begin: Callable[[], None]) -> bool:
        """Call `begin` when it is the turn of the client's address (see `FairQueue`)."""
        return self._door.fair_queue.add(self.address or self._peer, begin)

    def _shake_hands(self, data: bytes) -> None:
        self.resume()
        if not self.transport.is_closing():
            self._parse(data)
            self._head += len(data)
            ended = self.request is not None or self.protocol.eof_sent
            if self._head > frame_bounds.HEAD_BYTES and not ended:
                self.protocol.send_response(self.protocol.reject(_LONG_HEAD, LIBRARY.decode()))
                self.send_data()

    def _parse(self, data: bytes) -> None:
        for start in range(0, len(data), frame_bounds.SLICE):
            super().data_received(data[start : start + frame_bounds.SLICE])
            if self._failed:
                return
        self._between = self._receiver is not None and is_between(self.protocol)
        if self.transport.get_write_buffer_size() > self._door.outbox_bytes:
            self.fail(Close.SLOW)  # for example, it does not read the answers to its pings

    def fail(self, code: Close) -> None:
        """Close now, within the time-out, and do not even parse what still comes in."""
        if self.state is OPEN:
            logger.warning("connection failed", close=code.name.lower(), address=self.address)
            self._door.coalescer.flush()  # nothing can follow the close frame
            self._fail(code, CLOSE_MEANINGS[code].text)

    def _fail(self, code: int, why: str) -> None:
        self._failed = True
        self.protocol.fail(code, why)
        self.send_data()
        self.resume()  # read and discard the rest
        self._next(self.close_timeout or 0, _cut)

    def _respond(self, send: Callable[[Response], None], response: Response) -> None:
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            put_plainly(response, ours=self.refusal is not None)
            guard(response)
            if self.request is not None:
                guard(response, self._door.admission.pinned(self._peer, self.request.headers))
            if self.request is None or asks_for_websocket(self.request):
                reason = self.refusal or _REASONS.get(response.status_code, "malformed")
                self._door.arrivals.refusals.count(reason, self.address or self._peer)
        send(response)

    def _end(self, end: Callable[[], None]) -> None:
        """Answer a request that the library cannot read, or one with a body: the library would only
        hang up. A connection that has ended or was cut off gets no answer."""
        self.protocol.send_eof = end  # type: ignore[method-assign]
        error = self.protocol.handshake_exc
        ended = self.transport.is_closing() or isinstance(error and error.__cause__, EOFError)
        if isinstance(error, InvalidMessage) and not ended:
            refusal = self.protocol.reject(HTTPStatus.BAD_REQUEST, LIBRARY.decode())
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
        price = frame_bounds.price_of(frame, self.pending_pings)
        if not price or self.state is not OPEN:
            return False
        if self._control.wait(self.loop.time(), price) > 0:
            return True
        self._control.take(price)
        return False


def _cut(socket: PeerSocket) -> None:
    socket.transport.abort()

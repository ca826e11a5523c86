"""One client's connection: what the server sends to it.

The outbox is the transport's own buffer. The connection writes whole frames, and those of one turn
of the event loop together. If the buffer grows over its bound, the connection closes as slow (law
10). Nothing else may write data frames to the WebSocket: a frame inside another would break it.

A write is a system call, and on most machines the most expensive part of a small message. A mover's
event and answer, or the events of a busy room, are mostly ready in the same turn. But the event is
sent where it is read, and the answer by a task that this turn wakes. So writes wait for those
tasks.

In a room with many followers, writes take longer than everything else, and under full load the next
event is ready as soon as they are done. So after writes to `MANY` peers the coalescer takes a
`REST`, and then writes everything that came meanwhile: that gave 1.2 times the deliveries to 100
and to 4,000 followers. A single event never waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

import structlog
from websockets.exceptions import ConnectionClosed
from websockets.protocol import OPEN, State

from pierule_protocol.codec import Codec
from pierule_protocol.codes import CLOSE_MEANINGS, Close
from pierule_protocol.messages import BlockLevel, ClientMessage, Error, ServerMessage
from pierule_server import metrics
from pierule_server.connections.limits import Allowance
from pierule_server.identity.tokens import User

logger = structlog.get_logger()

TRIPS = 8
"""The client's lag is the shortest of this many latest round trips (SPEC 9.5)."""

MANY = 64
"""Writes to this many peers take longer than an action."""

REST = 0.002
"""Seconds. The event loop counts in whole milliseconds, so it is 1 to 2 ms."""


class Coalesced(Protocol):
    """Has data to send at the end of a turn."""

    def flush(self) -> None:
        """Send the data."""


class WriteCoalescer:
    """Flushes everything that has data to send, at the end of each turn of the event loop. A node
    has one."""

    def __init__(self) -> None:
        self._waiting: list[Coalesced] = []
        self._resting = False

    def add(self, departing: Coalesced) -> None:
        """Flush this peer at the end of the turn, or of the rest."""
        if not self._waiting and not self._resting:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.flush)
        self._waiting.append(departing)

    def flush(self) -> None:
        """Flush all peers now."""
        waiting, self._waiting = self._waiting, []
        for departing in waiting:
            departing.flush()
        if len(waiting) >= MANY and not self._resting:
            self._resting = True
            asyncio.get_running_loop().call_later(REST, self._go_on)

    def _go_on(self) -> None:
        self._resting = False
        self.flush()


class _HasState(Protocol):
    @property
    def state(self) -> State: ...


class Socket(Protocol):
    """What a connection needs of its WebSocket. `gateway.peer_socket` implements it."""

    @property
    def transport(self) -> asyncio.Transport: ...

    @property
    def protocol(self) -> _HasState: ...

    @property
    def coalescer(self) -> WriteCoalescer: ...

    @property
    def address(self) -> str | None: ...

    @property
    def latency(self) -> float: ...

    @property
    def close_timeout(self) -> float | None: ...

    async def ping(self) -> Awaitable[float]: ...

    async def close(self, code: int, reason: str) -> None: ...

    async def wait_closed(self) -> None: ...

    def fail(self, code: Close) -> None: ...


class Connection:
    """The server's end of one client's WebSocket.

    `user` is None until hello. `following` holds the ids of the rooms that it follows. `block_list`
    holds the users whom its user mutes or blocks, as last read. `lag` is the shortest of the latest
    round trips, in whole milliseconds; 0 before the first. `hint` is the bucket with which the
    client came (SPEC 1.15), or with which the server last told it to connect.
    """

    __slots__ = (
        *("__weakref__", "_closing", "_departures", "_outbox_bytes", "_pinging", "_protocol"),
        *("_retiring", "_socket", "_transport", "_trips", "_unsent", "_working"),
        *("allowance", "codec", "following", "hint", "lag", "block_list", "user"),
    )

    def __init__(
        self,
        socket: Socket,
        codec: Codec[ClientMessage],
        outbox_bytes: int,
        allowance: Allowance,
    ) -> None:
        self.codec = codec
        self.allowance = allowance
        self.user: User | None = None
        self.following: set[str] = set()
        self.hint: int | None = None
        self.block_list: Mapping[str, BlockLevel] = {}
        self.lag = 0
        self._trips: tuple[float, ...] = ()
        self._socket = socket
        # With cold caches a delivery mostly waits for memory. So `flush` finds these two here, and
        # one frame needs no list.
        self._transport, self._protocol = socket.transport, socket.protocol
        self._departures = socket.coalescer
        self._unsent: bytes | list[bytes] | None = None
        self._outbox_bytes = outbox_bytes
        self._closing: asyncio.Task[None] | None = None
        self._pinging: asyncio.Task[None] | None = None
        self._working = False
        self._retiring = False

    @property
    def address(self) -> str | None:
        """The address to which the connection counts (see `gateway.peer_socket`)."""
        return self._socket.address

    @property
    def unsent(self) -> int:
        """The number of bytes that wait to be sent."""
        return self._transport.get_write_buffer_size()

    @property
    def closing(self) -> bool:
        """Whether the connection closes: it sends nothing more, so it cannot answer requests."""
        return self._closing is not None

    def enter(self, user: User) -> bool:
        """Give the connection to this user; False if the user has too many connections."""
        now = asyncio.get_running_loop().time()
        if not self.allowance.enter(user.id, now, user.standing):
            return False
        self.user = user
        return True

    def send(self, message: ServerMessage) -> None:
        """Send a message to this client only."""
        if isinstance(message, Error):
            metrics.REFUSALS.labels(message.code).inc()
        self.push(frame(self.codec, message))

    def push(self, data: bytes) -> None:
        """Send a frame in this client's codec. Many clients may share the same bytes."""
        if self._closing is not None:
            return
        unsent = self._unsent
        if unsent is None:
            self._unsent = data
            self._departures.add(self)
        elif isinstance(unsent, list):
            unsent.append(data)
        else:
            self._unsent = [unsent, data]

    def flush(self) -> None:
        """Write what was pushed in this turn. Close as slow if too much is unsent."""
        unsent, transport = self._unsent, self._transport
        if unsent is None:
            return
        self._unsent = None
        data = b"".join(unsent) if isinstance(unsent, list) else unsent
        if self._protocol.state is not OPEN:
            return
        transport.write(data)
        if transport.get_write_buffer_size() > self._outbox_bytes:
            logger.warning("closed as slow", user=self.user and self.user.id)
            self.close(Close.SLOW)

    def measure_lag(self) -> None:
        """Measure the round trip behind everything that was sent so far (SPEC 9)."""
        if self._pinging is None or self._pinging.done():
            self._pinging = asyncio.create_task(self._ping())

    async def _ping(self) -> None:
        self.flush()  # the ping must come after what was pushed
        try:
            answered = await self._socket.ping()
            self._trips = (*self._trips[1 - TRIPS :], await answered)
            # The library's own pings count, too, so a client gains nothing if it answers only ours
            # late.
            self.lag = round(min(*self._trips, self._socket.latency or inf) * 1_000)
        except ConnectionClosed:
            pass

    async def reached(self) -> bool:
        """Whether everything sent so far has reached the client: it answers a ping that comes after
        it. A socket may look open long after its peer is gone."""
        self.flush()
        try:
            await (await self._socket.ping())
        except ConnectionClosed:
            return False
        return True

    def begin_work(self) -> None:
        """A request is under way: if the connection must retire, it waits for the answer."""
        self._working = True

    def end_work(self) -> None:
        """The request is answered."""
        self._working = False
        if self._retiring:
            self.close(Close.RESTART)

    def retire(self) -> None:
        """Send the client to another node as soon as no request is under way."""
        self._retiring = True
        if not self._working:
            self.close(Close.RESTART)

    def close(self, code: Close) -> None:
        """Begin to close, and send nothing more."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code))

    def fail(self, code: Close) -> None:
        """Close because the peer misbehaves, and read nothing more from it."""
        if self._closing is None:
            self._socket.fail(code)
            self._closing = asyncio.create_task(self._socket.wait_closed())

    async def _close(self, code: Close) -> None:
        """Close within the time-out. Without it the library would wait for ever for a peer that
        does not read."""
        self.flush()  # nothing can follow the close frame
        socket = self._socket
        try:
            async with asyncio.timeout(socket.close_timeout):
                await socket.close(code, CLOSE_MEANINGS[code].text)
        except TimeoutError:
            self._transport.abort()

    async def closed(self) -> None:
        """Wait for the tasks of this connection, once the socket is closed or closing."""
        for task in (self._closing, self._pinging):
            if task is not None:
                await task


def frame(codec: Codec[Any], message: ServerMessage) -> bytes:
    """A message as one unmasked WebSocket frame (RFC 6455, 5.2). It is here because the library's
    own function takes 2.5 us."""
    data: bytes = codec.encode(message)
    length = len(data)
    if length < _COMMON:
        return _HEADS[codec.text][length] + data
    return _head(codec.text, length) + data


def _head(text: bool, length: int) -> bytes:
    first = 0x81 if text else 0x82
    if length < 126:
        return bytes((first, length))
    if length < 65_536:
        return bytes((first, 126)) + length.to_bytes(2)
    return bytes((first, 127)) + length.to_bytes(8)


_COMMON = 512
_HEADS = [[_head(text, length) for length in range(_COMMON)] for text in (False, True)]
"""The frame heads of all short messages, made once."""


@dataclass(slots=True)
class Broadcast:
    """A message for many connections, serialised once for each codec (law 11)."""

    message: ServerMessage
    _frames: dict[Codec[Any], bytes] = field(default_factory=dict)

    def send(self, followers: Iterable[Connection]) -> None:
        """Send the message to these connections."""
        frames = self._frames
        for follower in followers:
            codec = follower.codec
            data = frames.get(codec)
            if data is None:
                data = frames[codec] = frame(codec, self.message)
            follower.push(data)

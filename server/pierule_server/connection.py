"""One client: its frames in, its answers and events out.

The outbox is the transport's own buffer: frames are written to it whole, and a client whose
buffer grows over the bound is closed as slow (law 10). Nothing else may write data frames to the
WebSocket, because a frame in the middle of another would break it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN

from pierule_protocol.codec import Codec
from pierule_protocol.codes import CLOSE_MEANINGS, Close
from pierule_protocol.messages import ClientMessage, ServerMessage
from pierule_server.identity import User

log = structlog.get_logger()


class Connection:
    """The server's end of one client's WebSocket.

    `user` is None until hello. `following` holds the ids of the rooms that it follows. `lag` is
    the last round trip that was measured, in whole milliseconds; 0 before the first.
    """

    def __init__(
        self, socket: ServerConnection, codec: Codec[ClientMessage], outbox_bytes: int
    ) -> None:
        self.codec = codec
        self.user: User | None = None
        self.following: set[str] = set()
        self.lag = 0
        self._socket = socket
        self._outbox_bytes = outbox_bytes
        self._closing: asyncio.Task[None] | None = None
        self._pinging: asyncio.Task[None] | None = None

    def send(self, message: ServerMessage) -> None:
        """Send a message to this client alone."""
        self.push(frame(self.codec, message))

    def push(self, data: bytes) -> None:
        """Send a frame that was made for this client's codec, perhaps for many at once."""
        socket = self._socket
        if self._closing is not None or socket.state is not OPEN:
            return
        socket.transport.write(data)
        if socket.transport.get_write_buffer_size() > self._outbox_bytes:
            log.warning("closed as slow", user=self.user and self.user.id)
            self.close(Close.SLOW)

    def measure_lag(self) -> None:
        """Measure the round trip, behind whatever was sent so far (SPEC, Clocks)."""
        if self._pinging is None or self._pinging.done():
            self._pinging = asyncio.create_task(self._ping())

    async def _ping(self) -> None:
        try:
            answered = await self._socket.ping()
            self.lag = round(await answered * 1_000)
        except ConnectionClosed:
            pass

    @property
    def closing(self) -> bool:
        """Whether a close was begun here: what still comes in is not worked on."""
        return self._closing is not None

    def close(self, code: Close) -> None:
        """Begin to close; nothing more is sent. Bounded by the socket's `close_timeout`."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code))

    async def _close(self, code: Close) -> None:
        socket = self._socket
        try:
            # The library waits without bound for room to write to one who does not read.
            async with asyncio.timeout(socket.close_timeout):
                await socket.close(code, CLOSE_MEANINGS[code].text)
        except TimeoutError:
            socket.transport.abort()

    async def closed(self) -> None:
        """Wait for what was begun here, once the socket is closed or closing."""
        for task in (self._closing, self._pinging):
            if task is not None:
                await task


def frame(codec: Codec[Any], message: ServerMessage) -> bytes:
    """A message as the bytes of one unmasked WebSocket frame (RFC 6455, 5.2)."""
    opcode = Opcode.TEXT if codec.text else Opcode.BINARY
    return Frame(opcode, codec.encode(message)).serialize(mask=False)

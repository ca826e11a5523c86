"""One end of the Unix socket between a supervisor and a worker. It carries messages, and open
connections.

A message is its length in four bytes, then msgpack. A connection travels beside the bytes of its
message (SCM_RIGHTS). Nobody has read from it, so the worker finds everything that the client sent.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

import msgspec
import structlog

from pierule_server import metrics

CLOGGED = 256
"""If more messages than this are unsent, the peer counts as stuck."""

AGAIN = 0.05
"""Seconds before a message is sent again that the system had no room for."""

_NO_ROOM = (errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM)

_CHUNK = 65_536
_FEW = 16
_FLAGS = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

_logger = structlog.get_logger(__name__)

T = TypeVar("T")


class Channel(Generic[T]):
    """Sends messages to the peer, and calls `receive` with each message from it.

    A message of a type in `carrying` brings a connection, the second argument of `receive`; None if
    this process had no file descriptor left for it. If the peer closes the channel, it calls
    `lost`."""

    def __init__(
        self,
        end: socket.socket,
        decoder: msgspec.msgpack.Decoder[T],
        receive: Callable[[T, socket.socket | None], None],
        carrying: tuple[type, ...] = (),
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._end = end
        self._decoder = decoder
        self._receive = receive
        self._carrying = carrying
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._encoder = msgspec.msgpack.Encoder()
        self._unsent: deque[tuple[bytes, socket.socket | None]] = deque()
        self._unread = bytearray()
        self._came: deque[int | None] = deque()
        self._again: asyncio.TimerHandle | None = None
        self._deaf = False
        end.setblocking(False)
        self._loop.add_reader(end.fileno(), self._read)

    @property
    def clogged(self) -> bool:
        """Whether the peer is gone or does not read."""
        return self._deaf or len(self._unsent) > CLOGGED

    def send(self, message: object, passed: socket.socket | None = None) -> None:
        """Send a message, perhaps with the connection `passed`, which stays open here, too. If the
        peer is gone, nothing happens."""
        data = self._encoder.encode(message)
        if self._deaf:
            return
        self._unsent.append((len(data).to_bytes(4) + data, passed))
        if len(self._unsent) == 1:
            self._write()

    def finish(self) -> None:
        """Receive what a peer sent before it ended, then close."""
        while self._end.fileno() >= 0 and self._read():
            pass
        self.close()

    def close(self) -> None:
        """Close this end, and any connections that came without a message."""
        self._be_silent()
        if self._end.fileno() >= 0:
            self._loop.remove_reader(self._end.fileno())
            self._end.close()
        while self._came:
            if (number := self._came.popleft()) is not None:
                socket.close(number)

    def _be_silent(self) -> None:
        """Send no more."""
        self._deaf = True
        self._unsent.clear()
        if self._again is not None:
            self._again.cancel()
        if self._end.fileno() >= 0:
            self._loop.remove_writer(self._end.fileno())

    def _write(self) -> None:
        while self._unsent:
            data, passed = self._unsent[0]
            try:
                if passed is None:
                    sent = self._end.send(data)
                else:
                    sent = socket.send_fds(self._end, [data], [passed.fileno()])
            except BlockingIOError:
                self._loop.add_writer(self._end.fileno(), self._write)
                return
            except OSError as error:
                self._fail(error)
                return
            if sent < len(data):
                self._unsent[0] = data[sent:], None
            else:
                self._unsent.popleft()
        self._loop.remove_writer(self._end.fileno())

    def _fail(self, error: OSError) -> None:
        """Handle an error of sending. Reading goes on, because a peer that is gone may have sent
        something before."""
        self._loop.remove_writer(self._end.fileno())
        if error.errno in _NO_ROOM:
            self._again = self._loop.call_later(AGAIN, self._write)
            return
        self._be_silent()
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_WR)

    def _read(self) -> bool:
        """Receive what is there. Returns whether there may be more."""
        try:
            data, came, flags, _ = socket.recv_fds(self._end, _CHUNK, _FEW, _FLAGS)
        except BlockingIOError:
            return False
        except OSError:
            data, came, flags = b"", [], 0
        if not data:
            self.close()
            self._lost()
            return False
        self._came.extend(came)
        if flags & socket.MSG_CTRUNC and not came:
            self._came.append(None)
        self._unread += data
        for message in self._messages():
            try:
                self._hear(message)
            except Exception:
                metrics.BACKGROUND_FAULTS.inc()
                _logger.exception("a bug in handling a message between supervisor and worker")
        return True

    def _hear(self, message: T) -> None:
        carries = isinstance(message, self._carrying) and self._came
        number = self._came.popleft() if carries else None
        self._receive(message, None if number is None else socket.socket(fileno=number))

    def _messages(self) -> list[T]:
        """Take the complete messages out of what was read."""
        found, unread, at = [], self._unread, 0
        while len(unread) >= at + 4:
            end = at + 4 + int.from_bytes(unread[at : at + 4])
            if len(unread) < end:
                break
            try:
                found.append(self._decoder.decode(unread[at + 4 : end]))
            except msgspec.DecodeError as error:
                _logger.error(  # noqa: TRY400
                    "cannot read a message between supervisor and worker: restart the service if "
                    "you have just updated it",
                    error=str(error),
                )
            at = end
        del unread[:at]
        return found

"""One end of the Unix socket between a supervisor and a worker: messages, and open connections.

A message is its length in four bytes and msgpack. A connection travels beside the bytes of its
message (SCM_RIGHTS), and nobody has read from it: the worker finds everything that its client sent.
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
"""Unsent messages at which a peer counts as stuck."""

AGAIN = 0.05
"""Seconds until the system is asked again that had no room for a message."""

_NO_ROOM = (errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM)

_CHUNK = 65_536
_FEW = 16
_FLAGS = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

_logger = structlog.get_logger(__name__)

T = TypeVar("T")


class Channel(Generic[T]):
    """Sends messages, and gives those of the peer to `receive`, with the connection that came along
    with a message of one of the types `carrying`: None if this process had no descriptor left for
    it. When the peer ends it, `lost` is called."""

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
        """Whether the peer does not read, or is gone."""
        return self._deaf or len(self._unsent) > CLOGGED

    def send(self, message: object, passed: socket.socket | None = None) -> None:
        """Send a message, with the connection `passed`, which stays open here. A peer that is gone
        hears nothing."""
        data = self._encoder.encode(message)
        if self._deaf:
            return
        self._unsent.append((len(data).to_bytes(4) + data, passed))
        if len(self._unsent) == 1:
            self._write()

    def finish(self) -> None:
        """Hear what a peer has said that has ended, and end it."""
        while self._end.fileno() >= 0 and self._read():
            pass
        self.close()

    def close(self) -> None:
        """End it, on both sides."""
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
        """What to do if a message cannot be sent. A peer that is gone may have said something
        before, so reading goes on."""
        self._loop.remove_writer(self._end.fileno())
        if error.errno in _NO_ROOM:
            self._again = self._loop.call_later(AGAIN, self._write)
            return
        self._be_silent()
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_WR)

    def _read(self) -> bool:
        """Whether there may be more."""
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
                _logger.exception("a message was not followed")
        return True

    def _hear(self, message: T) -> None:
        carries = isinstance(message, self._carrying) and self._came
        number = self._came.popleft() if carries else None
        self._receive(message, None if number is None else socket.socket(fileno=number))

    def _messages(self) -> list[T]:
        """The complete messages in what was read."""
        found, unread, at = [], self._unread, 0
        while len(unread) >= at + 4:
            end = at + 4 + int.from_bytes(unread[at : at + 4])
            if len(unread) < end:
                break
            try:
                found.append(self._decoder.decode(unread[at + 4 : end]))
            except msgspec.DecodeError as error:
                _logger.error("a message between supervisor and worker", error=str(error))  # noqa: TRY400
            at = end
        del unread[:at]
        return found

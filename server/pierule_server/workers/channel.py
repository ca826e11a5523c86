"""One end of the Unix socket between a supervisor and a worker: messages, and open connections.

A message is its length in four bytes and msgpack. A connection travels beside the bytes of its
message (SCM_RIGHTS), and nobody has read from it: the worker finds everything that its client sent.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

import msgspec
import structlog

CLOGGED = 256
"""Unsent messages at which a peer counts as stuck."""

_CHUNK = 65_536
_FEW = 16
_FLAGS = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

_logger = structlog.get_logger(__name__)

T = TypeVar("T")


class Channel(Generic[T]):
    """Sends messages, and gives those of the peer to `receive`, with the connection that came along
    with a message of one of the types `carrying`."""

    def __init__(
        self,
        end: socket.socket,
        decoder: msgspec.msgpack.Decoder[T],
        receive: Callable[[T, socket.socket | None], None],
        carrying: tuple[type, ...] = (),
    ) -> None:
        self._end = end
        self._decoder = decoder
        self._receive = receive
        self._carrying = carrying
        self._loop = asyncio.get_running_loop()
        self._encoder = msgspec.msgpack.Encoder()
        self._unsent: deque[tuple[bytes, socket.socket | None]] = deque()
        self._unread = bytearray()
        self._came: deque[int] = deque()
        end.setblocking(False)
        self._loop.add_reader(end.fileno(), self._read)

    @property
    def clogged(self) -> bool:
        """Whether the peer does not read."""
        return len(self._unsent) > CLOGGED

    def send(self, message: object, passed: socket.socket | None = None) -> None:
        """Send a message, with the connection `passed`, which stays open here. A peer that is gone
        hears nothing."""
        data = self._encoder.encode(message)
        if self._end.fileno() < 0:
            return
        self._unsent.append((len(data).to_bytes(4) + data, passed))
        if len(self._unsent) == 1:
            self._write()

    def close(self) -> None:
        """End it, on both sides."""
        if self._end.fileno() >= 0:
            self._loop.remove_reader(self._end.fileno())
            self._loop.remove_writer(self._end.fileno())
            self._end.close()
        self._unsent.clear()
        while self._came:
            socket.close(self._came.popleft())

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
            except OSError:  # It is gone.
                self.close()
                return
            if sent < len(data):
                self._unsent[0] = data[sent:], None
            else:
                self._unsent.popleft()
        self._loop.remove_writer(self._end.fileno())

    def _read(self) -> None:
        try:
            data, came, _, _ = socket.recv_fds(self._end, _CHUNK, _FEW, _FLAGS)
        except BlockingIOError:
            return
        except OSError:
            data, came = b"", []
        if not data:
            self.close()
            return
        self._came.extend(came)
        self._unread += data
        for message in self._messages():
            carries = isinstance(message, self._carrying) and self._came
            passed = socket.socket(fileno=self._came.popleft()) if carries else None
            with suppress(OSError):
                self._receive(message, passed)

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

"""A WebSocket client on a plain socket, for tests: it sends any bytes, allowed or not, and reads
only when told to. It uses nothing of the library under test."""

from __future__ import annotations

import base64
import os
import socket
import struct
import time
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

BOUND = 60.0
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def request(
    url: str, subprotocol: str = "pierule.1.msgpack", headers: dict[str, str] | None = None
) -> bytes:
    """A handshake. `headers` are added, even if it has them already."""
    parts = urlsplit(url)
    lines = [
        f"GET {parts.path} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        f"Sec-WebSocket-Protocol: {subprotocol}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def masked(opcode: int, payload: bytes, fin: bool = True, rsv: int = 0) -> bytes:
    """A client's frame; the mask is zero, which masks nothing."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    if len(payload) < 126:
        head = struct.pack("!BB", first, 0x80 | len(payload))
    elif len(payload) < 2**16:
        head = struct.pack("!BBH", first, 0x80 | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, len(payload))
    return head + b"\0\0\0\0" + payload


class Ended(Exception):
    """The server has closed the TCP connection."""


class Raw:
    """One connection. `status` is the handshake's; `codec` is msgpack or json."""

    def __init__(
        self,
        url: str,
        codec: str = "msgpack",
        receive_buffer: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        parts = urlsplit(url)
        self.text = codec == "json"
        self._encode: Any = msgspec.json.encode if self.text else msgspec.msgpack.encode
        self._decode: Any = msgspec.json.decode if self.text else msgspec.msgpack.decode
        self._data = bytearray()
        self.socket = socket.socket()
        self.socket.settimeout(BOUND)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect((parts.hostname, parts.port))
        try:
            self.write(request(url, f"pierule.1.{codec}", headers))
            while b"\r\n\r\n" not in self._data:
                self._more()
        except Ended:
            self.status = 0
            return
        self.status = int(self._data.split(b" ", 2)[1])
        del self._data[: self._data.index(b"\r\n\r\n") + 4]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def write(self, data: bytes) -> None:
        """Send bytes, whatever they are. Raises Ended."""
        try:
            self.socket.sendall(data)
        except ConnectionError as error:
            raise Ended from error

    def send(self, **message: Any) -> None:
        """Send a message: its fields."""
        self.send_bytes(self._encode(message))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as a message of the codec's kind."""
        self.write(masked(TEXT if self.text else BINARY, data))

    def frame(self) -> tuple[int, bytes]:
        """The opcode and the payload of the next frame. Raises Ended."""
        length, start = self._byte(1) & 0x7F, 2
        if length >= 126:
            start = 4 if length == 126 else 10
            self._byte(start - 1)
            length = int.from_bytes(self._data[2:start])
        while len(self._data) < start + length:
            self._more()
        opcode, payload = self._data[0] & 0x0F, bytes(self._data[start : start + length])
        del self._data[: start + length]
        return opcode, payload

    def message(self) -> dict[str, Any]:
        """The next message; pings are answered. Raises Ended."""
        while True:
            opcode, payload = self.frame()
            if opcode in (TEXT, BINARY):
                found: dict[str, Any] = self._decode(payload)
                return found
            if opcode == CLOSE:
                raise Ended(int.from_bytes(payload[:2]))
            if opcode == PING:
                self.write(masked(PONG, payload))

    def answer(self) -> dict[str, Any]:
        """The next message that is an answer."""
        while True:
            message = self.message()
            if message["type"] in ("ok", "error"):
                return message

    def ask(self, **message: Any) -> dict[str, Any]:
        self.send(**message)
        return self.answer()

    def hello(self, **fields: Any) -> dict[str, Any]:
        """Say hello; the welcome."""
        answer = self.ask(id=0, type="hello", **fields)
        assert answer["type"] == "ok", answer
        welcome: dict[str, Any] = answer["welcome"]
        return welcome

    def closed(self) -> int | None:
        """The server's close code, or None if there is none; earlier messages are dropped."""
        code = None
        until = time.monotonic() + BOUND
        try:
            while time.monotonic() < until:
                opcode, payload = self.frame()
                if opcode == CLOSE:
                    code = int.from_bytes(payload[:2])
                    self.write(masked(CLOSE, payload))
        except Ended:
            return code
        raise AssertionError(f"not closed in {BOUND} s")

    def _byte(self, index: int) -> int:
        while len(self._data) <= index:
            self._more()
        return self._data[index]

    def _more(self) -> None:
        try:
            data = self.socket.recv(65_536)
        except ConnectionError as error:
            raise Ended from error
        if not data:
            raise Ended
        self._data += data

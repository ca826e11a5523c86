"""What may become of any bytes that a visitor sends to the clients' port: a page, a WebSocket, or a
refusal, and nothing is left of them."""

from __future__ import annotations

import asyncio
import base64
import socket
from contextlib import AsyncExitStack
from typing import Any

from pierule_server.gateway.page import SECURITY
from pierule_server.gateway.peer_socket import Passed
from pierule_server.workers import peeking
from support.raw import BINARY, CLOSE, PING, TEXT, masked
from support.session import Playground, playing

BOUND = 60.0
READ = 65_536
ADDRESS = "192.0.2.7"
ANSWERS = {"200", "304", "505"}
"""Pages, and the refusal of another version of HTTP. A WebSocket begins with 101; all else is a
refusal that begins with 4."""


class Visits:
    """A node that is visited by one after the other: the listener, its sockets and the
    library are real."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._wrong: list[dict[str, Any]] = []
        self._loop.set_exception_handler(lambda _, context: self._wrong.append(context))
        self._until = AsyncExitStack()
        self._playground = self._loop.run_until_complete(self._start())

    async def _start(self) -> Playground:
        node = playing(passed=True, close_seconds=1, frame_bytes=2_048)
        playground = await self._until.enter_async_context(node)
        await playground.listener.start()
        self._until.push_async_callback(playground.listener.stop)
        return playground

    def close(self) -> None:
        """Stop the node."""
        self._loop.run_until_complete(self._until.aclose())
        self._loop.close()

    def check(self, data: bytes) -> bytes:
        """Send these bytes and no more; return the answer. Fails if it is out of order."""
        peeking.hint(data)
        peeking.headers(data)
        answer = self._loop.run_until_complete(asyncio.wait_for(self._visit(data), BOUND))
        assert not self._wrong, self._wrong
        assert not self._playground.listener._door.handshaking, "a handshake is left over"
        if answer:
            self._check_answer(answer)
        return answer

    async def _visit(self, data: bytes) -> bytes:
        left = self._loop.create_future()
        ours, theirs = socket.socketpair()
        with ours:
            ours.setblocking(False)
            await self._loop.sock_sendall(ours, data)
            ours.shutdown(socket.SHUT_WR)
            passed = Passed(ADDRESS, crowded=False, left=lambda: left.set_result(None))
            theirs.setblocking(False)
            await self._playground.listener.take(theirs, passed)
            answer = bytearray()
            while part := await self._loop.sock_recv(ours, READ):
                answer += part
            await left
        await self._playground.listener._connections.gone()
        return bytes(answer)

    def _check_answer(self, answer: bytes) -> None:
        if answer[0] & 0x80:  # frames answer a client that did not wait for the handshake's answer
            return
        head = answer.partition(b"\r\n\r\n")[0].decode()
        line, *rest = head.split("\r\n")
        version, status = line.split(" ")[:2]
        assert version == "HTTP/1.1"
        if status == "101":
            return
        assert status in ANSWERS or status[0] == "4", head
        headers = dict(each.split(": ", 1) for each in rest)
        for name, value in SECURITY.items():
            assert headers[name] == value, head


def visits() -> list[bytes]:
    """Some visits to begin with: of the page, of files, and of clients with a first frame."""
    host = b"Host: pierule.example\r\n"
    socket_ = (
        b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: " + base64.b64encode(b"k" * 16) + b"\r\n"
    )
    codec = b"Sec-WebSocket-Protocol: pierule.1.json\r\n"
    hello = masked(TEXT, b'{"type":"hello","id":1}')
    frames = (hello, masked(PING, b"x"), masked(CLOSE, b"\x03\xe8"), masked(BINARY, b"\x80"))
    return [
        *(b"%s / HTTP/1.1\r\n%s\r\n" % (method, host) for method in (b"GET", b"HEAD", b"POST")),
        b"GET / HTTP/1.1\r\n" + host + b"Accept-Encoding: br;q=1.0, gzip;q=0\r\n"
        b'If-None-Match: "x", *\r\n\r\n',
        b"GET /assets/../../secret HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /game/abcdefgh?lang=ko HTTP/1.1\r\n" + host + b"X-Forwarded-Proto: https\r\n\r\n",
        b"GET /ws?bucket=63 HTTP/1.1\r\n" + host + socket_ + b"Origin: http://elsewhere\r\n\r\n",
        *(
            b"GET /ws?bucket=7 HTTP/1.1\r\n" + host + socket_ + codec + b"\r\n" + frame
            for frame in (b"", *frames, b"".join(frames))
        ),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ]

"""Looks at a request before anybody reads it: for the hint of a bucket, and, behind a proxy, for
the client's address.

What the client sent stays in its socket. Each look has a bound of time and bytes, and no client
waits for another. At the bound, the supervisor passes the connection on with what it has seen.
"""

from __future__ import annotations

import asyncio
import re
import socket

from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeaderValue

from pierule_server.connections.affinity import hint_in

SECONDS = 2.0
BYTES = 32_768
"""The longest head that proxies pass on by default, including cookies."""

FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.2
"""Seconds between two looks at a request that comes in parts."""

_REQUEST = re.compile(rb"GET ([^ ]+) HTTP/1\.1")


def hint(head: bytes) -> int | None:
    """The bucket that a request hints at, if any."""
    found = _REQUEST.fullmatch(head.partition(b"\r\n")[0])
    return None if found is None else hint_in(found[1].decode("latin-1"))


def headers(head: bytes) -> Headers | None:
    """The headers of a request; None if they are incomplete or malformed."""
    lines, end, _ = head.partition(b"\r\n\r\n")
    if not end:
        return None
    found = Headers()
    for line in lines.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if not colon:
            return None
        try:
            found[name.decode("latin-1")] = value.strip().decode("latin-1")
        except InvalidHeaderValue:
            return None
    return found


def enough(head: bytes, *, whole: bool) -> bool:
    """Whether to stop looking: the first line is there, or the `whole` head; or this is not a
    request."""
    end = b"\r\n\r\n" if whole else b"\r\n"
    return end in head or len(head) >= BYTES or not head[:1].isupper()


async def peeked(connected: socket.socket, *, whole: bool) -> bytes | None:
    """What a client has sent so far; None if it has gone."""
    loop = asyncio.get_running_loop()
    end, pause, head = loop.time() + SECONDS, FIRST_PAUSE, b""
    while True:
        try:
            head = connected.recv(BYTES, socket.MSG_PEEK)
            if not head:
                return None
            if enough(head, whole=whole) or loop.time() >= end:
                return head
            # The loop cannot wait for more: the socket stays readable, because we leave its bytes.
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        except BlockingIOError:
            if not await _readable(connected, end):
                return head
        except OSError:
            return None


async def _readable(connected: socket.socket, end: float) -> bool:
    """Wait until the socket is readable; False if it is not by `end`, in the loop's seconds."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[None] = loop.create_future()

    def come() -> None:
        if not waiting.done():
            waiting.set_result(None)

    loop.add_reader(connected.fileno(), come)
    try:
        async with asyncio.timeout_at(end):
            await waiting
    except TimeoutError:
        return False
    else:
        return True
    finally:
        loop.remove_reader(connected.fileno())

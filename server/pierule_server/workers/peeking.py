"""A look at a request before anybody reads it: which bucket it hints at, and for which address it
counts behind a proxy.

What a client sends stays in its socket. How long and how far we look is bounded, and each client is
looked at by itself; if the bound is reached, the connection is passed on as it is.
"""

from __future__ import annotations

import asyncio
import re
import socket

from websockets.datastructures import Headers

from pierule_server.connections.affinity import hint_in

SECONDS = 2.0
BYTES = 32_768
"""As much of a head as proxies pass on by default, cookies included."""

FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.2
"""Seconds between two looks at a request that comes in parts."""

_REQUEST = re.compile(rb"GET ([^ ]+) HTTP/1\.1")


def hint(head: bytes) -> int | None:
    """The bucket that a request names, if there is such a one."""
    found = _REQUEST.fullmatch(head.partition(b"\r\n")[0])
    return None if found is None else hint_in(found[1].decode("latin-1"))


def headers(head: bytes) -> Headers | None:
    """The headers of a request; None if they are not all there, or are none."""
    lines, end, _ = head.partition(b"\r\n\r\n")
    if not end:
        return None
    found = Headers()
    for line in lines.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if not colon:
            return None
        found[name.decode("latin-1")] = value.strip().decode("latin-1")
    return found


def enough(head: bytes, *, whole: bool) -> bool:
    """Whether there is all that we want to see: the first line, or the `whole` head. What is no
    request needs no further look."""
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
            # It counts as readable all the time, since we leave there what we have seen.
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        except BlockingIOError:
            if not await _readable(connected, end):
                return head
        except OSError:
            return None


async def _readable(connected: socket.socket, end: float) -> bool:
    """Wait until there is something; False if nothing has come until `end`."""
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

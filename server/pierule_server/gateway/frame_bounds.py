"""Bounds for what a peer sends besides requests: the head of its first request, and frames that no
request pays for (law 10).

Every frame takes some microseconds, also one that carries nothing. The rates of requests bound
whole messages, but not control frames and the pieces of messages. So these have a budget of their
own for each connection.
"""

from __future__ import annotations

from collections.abc import Container

from websockets.frames import Frame, Opcode

HEAD_BYTES = 32_768
"""The longest head of a request; proxies pass on none that is longer, by default. The library alone
would keep 1 MB for each client that never ends its head."""

SLICE = 1_024
"""Bytes that the library may parse before we look at what it has found. The system can hand over
250 kB at once: 40,000 empty frames, which take a quarter of a second."""

FRAGMENTS = 128
"""The most frames of one message: without a bound, empty frames could go on for ever."""

RATE, AT_ONCE = 20, 100
"""What the frames of a connection may cost per second, and in one burst. A ping costs 1, and so
does a pong that answers no ping of ours. Ordinary libraries send at most one in some seconds."""

PIECE = 0.5
"""What each piece of a message costs, except its last one. So a message may have all the pieces
that `FRAGMENTS` allows, but not every message."""


def price_of(frame: Frame, pings: Container[bytes]) -> float:
    """The price of a frame. `pings` are the payloads of our pings that still wait for a pong."""
    if frame.opcode is Opcode.PONG:
        return 0.0 if bytes(frame.data) in pings else 1.0
    if frame.opcode is Opcode.PING:
        return 1.0
    return 0.0 if frame.fin else PIECE

"""Reads short frames without the library: nearly every read of a socket brings one whole frame.

The library's parser is a generator that can wait at any byte, and takes a tenth of an action's
time. It still reads everything but a single short frame, and checks what the protocol forbids.
"""

from __future__ import annotations

from typing import Any

from websockets.frames import Opcode, apply_mask  # type: ignore[attr-defined]
from websockets.protocol import Protocol
from websockets.streams import StreamReader

LONGEST = 125
"""The longest payload whose length fits into the second byte (RFC 6455, 5.2)."""

_HEAD = 6
_FINAL = {0x80 | Opcode.TEXT, 0x80 | Opcode.BINARY}
_BETWEEN = StreamReader.at_eof.__code__


def is_between(protocol: Protocol) -> bool:
    """Whether the library is between two messages: it has read all frames completely, and no
    message is in parts."""
    bound = protocol.max_message_size
    if protocol.current_size is not None or protocol.debug or (bound or LONGEST) < LONGEST:
        return False
    inner: Any = protocol.parser
    while inner is not None:
        if inner.gi_code is _BETWEEN:
            return True
        inner = inner.gi_yieldfrom
    return False


def payload_of(data: bytes) -> bytes | None:
    """The payload of a short, masked, unfragmented data frame; None if the bytes are anything
    else."""
    if len(data) < _HEAD or data[0] not in _FINAL or data[1] != len(data) - _HEAD + 0x80:
        return None
    return apply_mask(data[_HEAD:], data[2:_HEAD]) if data[1] <= 0x80 + LONGEST else None


def is_text(data: bytes) -> bool:
    """Whether such a frame is a text frame."""
    return data[0] & 0x0F == Opcode.TEXT

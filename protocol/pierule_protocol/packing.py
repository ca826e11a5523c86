"""msgpack bytes to plain values and back, with the `msgpack` package. `codec` makes messages of
them.

Nothing here trusts the lengths that a frame claims (SPEC 1.14).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgpack import ExtraData, FormatError, OutOfData, Packer, StackError, Unpacker, unpackb

MOST_KEYS = 64
"""The most keys of a map: twice as many as the widest message has."""

_NONE = -2
"""The maximum length of `bin` and `ext`, which the protocol does not have. 0 would accept empty
ones, and -1 means the length of the frame."""

_SMALL = 256
"""A frame of at most this many bytes cannot do harm by its claims: 85 arrays that claim 256 items
each take 180 KB."""

_TAGS = "type", "kind"
"""The keys that tell messages, records and clocks apart."""

_WORDS: dict[type[Exception], str] = {
    ExtraData: "there are more bytes after the message",
    FormatError: "it has a byte that msgpack does not use",
    OutOfData: "it ends too early",
    StackError: "it is nested too deeply",
}
_WORDLESS = tuple(_WORDS)

LOST = "\N{REPLACEMENT CHARACTER}"
"""Replaces bytes that are not UTF-8 in `unpack_loosely`."""

pack: Callable[[Any], bytes] = Packer().pack
"""Plain values as bytes."""


def unpack(data: bytes) -> Any:
    """The value in these bytes. Raises ValueError if they are not msgpack, or if they contain what
    the protocol does not allow: keys that are not text, more than 64 keys in a map, `bin`, `ext`.

    The last of duplicate keys wins. Two different values of `type` or `kind` are joined to a value
    that does not exist, so the message is refused. (Only such frames need the slow hook.)
    """
    twice = data.count(b"type") > 1 or data.count(b"kind") > 1
    try:
        if len(data) > _SMALL:
            _skip(data)
        return unpackb(
            data,
            max_map_len=MOST_KEYS,
            max_bin_len=_NONE,
            max_ext_len=_NONE,
            object_pairs_hook=_last_wins if twice else None,
        )
    except _WORDLESS as error:
        raise ValueError(_WORDS[type(error)]) from None


def unpack_loosely(data: bytes) -> Any:
    """Unpack what `unpack` refuses, to explain why: `bin` and `ext` become bytes, and `LOST`
    replaces bytes that are not UTF-8. Raises ValueError if the bytes are not msgpack."""
    try:
        _skip(data)
        return unpackb(
            data,
            max_map_len=MOST_KEYS,
            ext_hook=lambda _, value: value,
            unicode_errors="replace",
            object_pairs_hook=_last_wins,
        )
    except _WORDLESS as error:
        raise ValueError(_WORDS[type(error)]) from None


def _skip(data: bytes) -> None:
    """Check that every claimed length is true; raises if not. Unpacking would allocate as many
    items as each array claims, for nested arrays too. Skipping allocates nothing."""
    reader = Unpacker(max_buffer_size=len(data))
    reader.feed(data)
    reader.skip()


def _last_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for tag in _TAGS:
            values = [value for key, value in pairs if key == tag]
            if isinstance(found.get(tag), str) and any(value != values[0] for value in values):
                found[tag] = " and ".join(map(str, values))
    return found

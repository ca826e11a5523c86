"""msgpack bytes to plain values and back, with the `msgpack` package. The codec knows what they
mean.

Nothing here trusts what a frame claims about itself (SPEC 1.14).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgpack import ExtraData, FormatError, OutOfData, Packer, StackError, Unpacker, unpackb

MOST_KEYS = 64
"""The most keys of one map: twice as many as the widest message has."""

_NONE = -2
"""Given as a greatest length, because the protocol has no `bin` and no `ext`: 0 lets empty ones
through, and -1 means the length of the frame."""

_SMALL = 256
"""Bytes of a frame whose claims cannot hurt: 85 arrays that claim 256 items each take 180 KB."""

_TAGS = "type", "kind"
"""The keys that tell messages, records and clocks apart."""

_WORDS: dict[type[Exception], str] = {
    ExtraData: "something follows the message",
    FormatError: "a byte that means nothing",
    OutOfData: "it ends too early",
    StackError: "it is nested too deep",
}
_WORDLESS = tuple(_WORDS)

LOST = "\N{REPLACEMENT CHARACTER}"
"""Stands in `unpack_loosely` for bytes that are not UTF-8."""

pack: Callable[[Any], bytes] = Packer().pack
"""Plain values as bytes."""


def unpack(data: bytes) -> Any:
    """What the bytes hold. Raises ValueError if they are not msgpack, or not what the protocol
    allows: text keys, at most 64 to a map, no `bin`, no `ext`.

    Of duplicate keys the last one wins. Two different `type`s or `kind`s become one that does not
    exist, so the code that looks it up refuses the message. (The hook that does this is slow.)
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
    """The same, to explain what `unpack` refuses: `bin` and `ext` come as bytes, and `LOST` stands
    for what is not UTF-8."""
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
    """Find out whether all claims are true. An array is allocated for as many items as it claims,
    inside others that were; skipping allocates nothing."""
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

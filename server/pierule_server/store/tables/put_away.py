"""Packs the log of a room that is put away into one value: `unpack` gives back what `pack` took.

The first byte names the format. Format 2 is a zlib stream of lines, one JSON array for each entry:
epoch, time, the record's text, names. It lacks seq and chain, because they follow from the rest.
"""

from __future__ import annotations

import zlib

import msgspec

from pierule_protocol.log.events import EMPTY, Entry, chain

_FORMAT = b"\x02"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[int, int, str, dict[str, str]])


class Unpackable(Exception):
    """The log would not come back as it is, because its seqs or chains are wrong."""


def pack(entries: list[Entry]) -> bytes:
    """A whole log as one value. Raises Unpackable."""
    lines = _encoder.encode_lines(
        [(entry.epoch, entry.at, entry.record, entry.names) for entry in entries]
    )
    packed = _FORMAT + zlib.compress(lines, 9)
    if unpack(packed) != entries:
        raise Unpackable("the log's numbers or chains are broken")
    return packed


def unpack(packed: bytes) -> list[Entry]:
    """The log in a value. Raises ValueError if `pack` did not make the value."""
    try:
        if packed[:1] != _FORMAT:
            raise ValueError(f"a log in the unknown format {packed[:1].hex()}")
        lines = _decoder.decode_lines(zlib.decompress(packed[1:]))
    except (zlib.error, msgspec.DecodeError) as error:
        raise ValueError(f"a damaged value: {error}") from error
    entries: list[Entry] = []
    link = EMPTY.chain
    for seq, (epoch, at, record, names) in enumerate(lines, 1):
        link = chain(link, epoch, seq, record.encode(), at)
        entries.append(Entry(epoch, seq, link, at, record, names))
    return entries

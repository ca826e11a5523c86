"""Reads entries of a log from the store's replies, or finds out what is wrong with them."""

from __future__ import annotations

import msgspec
from redis.exceptions import ResponseError

from pierule_protocol.log.events import Entry
from pierule_protocol.state.room import CorruptLog
from pierule_server.store.tables.naming import decode_names

SAFE = 2**53
"""No number of an entry is larger: scripts and clients count in floating point."""


def entry_of(room: str, place: bytes, fields: list[bytes]) -> Entry:
    """The entry that `append.lua` put into a stream. Raises CorruptLog if the item is not an
    entry."""
    number, _, rest = place.partition(b"-")
    seq = int(number)
    try:
        _, epoch, _, link, _, at, _, record, *names = fields
        named = decode_names(names[1]) if names else {}
        entry = Entry(int(epoch), seq, int(link), int(at), record.decode(), named)
    except (ValueError, IndexError, msgspec.DecodeError) as error:
        raise CorruptLog(room, seq, f"is not an entry: {error}") from error
    if rest != b"0" or not (0 < entry.epoch <= SAFE and 0 <= entry.at <= SAFE):
        raise CorruptLog(room, seq, "is not an entry: its numbers are out of range")
    return entry


def is_no_log(error: BaseException) -> bool:
    """Whether an error reply says that the key of a log holds something else."""
    return isinstance(error, ResponseError) and str(error).startswith("WRONGTYPE")

"""From what stands in the store to the entries of a log, or to what is wrong with it."""

from __future__ import annotations

import msgspec
from redis.exceptions import ResponseError

from pierule_protocol.log.events import Entry
from pierule_protocol.state.room import CorruptLog
from pierule_server.store.tables.naming import decode_names

SAFE = 2**53
"""No number of an entry is larger: scripts and clients count in floating point."""


def entry_of(room: str, place: bytes, fields: list[bytes]) -> Entry:
    """The entry that `append.lua` put into the stream. Raises CorruptLog if it was not so."""
    number, _, rest = place.partition(b"-")
    seq = int(number)
    try:
        _, epoch, _, link, _, at, _, record, *names = fields
        named = decode_names(names[1]) if names else {}
        entry = Entry(int(epoch), seq, int(link), int(at), record.decode(), named)
    except (ValueError, IndexError, msgspec.DecodeError) as error:
        raise CorruptLog(room, seq, f"is no entry: {error}") from error
    if rest != b"0" or not (0 < entry.epoch <= SAFE and 0 <= entry.at <= SAFE):
        raise CorruptLog(room, seq, "is no entry: its numbers are out of range")
    return entry


def is_no_log(error: BaseException) -> bool:
    """Whether an error reply says that what stands where a log should be is something else."""
    return isinstance(error, ResponseError) and str(error).startswith("WRONGTYPE")

"""How rooms are divided into buckets, in the store and in the hint where to connect (SPEC 1.15)."""

from __future__ import annotations

from zlib import crc32

BUCKETS = 64
"""How many buckets there are. A store records this number when it is first used. With another
number, nodes would look for its rooms in the wrong places."""


def bucket_of(room: str) -> int:
    """The bucket of a room: the same on every machine and in every release."""
    return crc32(room.encode()) % BUCKETS

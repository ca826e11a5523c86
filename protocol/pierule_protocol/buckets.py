"""How rooms are grouped: in the store, and as a hint of where to connect (SPEC 1.15)."""

from __future__ import annotations

from zlib import crc32

BUCKETS = 64
"""The store keeps this number from its first start; another one would look for rooms in the wrong
place."""


def bucket_of(room: str) -> int:
    """The bucket of a room: the same on every machine and in every release."""
    return crc32(room.encode()) % BUCKETS

"""The file format of a dump, which shows any damage. `deploy/STORE.md` describes it.

    PIERULE DUMP 1\\n          the format's number
    frame, frame, ...         each: length (4 bytes), CRC-32 (4 bytes), a msgpack map

Numbers are big-endian. The first frame is a `Head`. Then comes a `Key` for each key. The last frame
is an `End` with the SHA-256 of all bytes before it. This module knows nothing of stores.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import BinaryIO, Literal, TypeAlias
from zlib import crc32

import msgspec
from msgpack import packb, unpackb

NUMBER = 1
"""The number of this format. A release that writes another format increments it."""

_MAGIC = b"PIERULE DUMP "
_LINE = 32
"""The first line has at most this many bytes."""
_FRAME = struct.Struct(">II")

Kind: TypeAlias = Literal["string", "hash", "zset", "list", "set", "stream"]


class BadDump(ValueError):
    """The file is not a dump, is damaged, has another format, or cannot be written."""


class Head(msgspec.Struct, frozen=True, tag="head"):
    """The origin of a dump: the store's format, number of buckets and time (ms since 1970), and the
    release that wrote it."""

    format: int
    buckets: int
    at: int
    release: str


class Key(msgspec.Struct, frozen=True, tag="key"):
    """One key of the store. It expires at `until`, in ms since 1970; null: never.

    `values` has: for a string, the string; for a hash, each field and its value; for a zset, each
    member and its score; for a list or a set, the members; for a stream, the last id that was
    given, then for each entry a list of its id, its fields and their values.
    """

    name: bytes
    kind: Kind
    until: int | None
    values: list[bytes | list[bytes]]


class End(msgspec.Struct, frozen=True, tag="end"):
    """The number of keys, and the SHA-256 of everything before this frame."""

    keys: int
    sha256: bytes


_Record: TypeAlias = Head | Key | End
_TYPES: dict[object, type[_Record]] = {"head": Head, "key": Key, "end": End}


class Writer:
    """Writes a dump to a file that is open for bytes."""

    def __init__(self, file: BinaryIO, head: Head) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.keys = 0
        self.bytes = 0
        self._write(b"%s%d\n" % (_MAGIC, NUMBER))
        self._frame(head)

    def add(self, key: Key) -> None:
        """Write one more key."""
        self.keys += 1
        self._frame(key)

    def end(self) -> None:
        """Write the frame that shows that the dump is complete."""
        self._frame(End(self.keys, self._digest.digest()))

    def _frame(self, record: _Record) -> None:
        payload: bytes = packb(msgspec.to_builtins(record, builtin_types=(bytes,)))
        self._write(_FRAME.pack(len(payload), crc32(payload)) + payload)

    def _write(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise BadDump(f"cannot write the dump: {error.strerror}") from None
        self._digest.update(data)
        self.bytes += len(data)


class Reader:
    """Reads a dump from a file that is open for bytes. Everything raises BadDump."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._at = 0
        self._check_magic()
        head = self._frame()
        if not isinstance(head, Head):
            raise self._damaged("its first frame is not a head")
        self.head = head

    def __iter__(self) -> Iterator[Key]:
        """All keys. At the end it checks that none is missing."""
        count = 0
        while True:
            before = self._digest.digest()
            match self._frame():
                case Key() as key:
                    count += 1
                    yield key
                case End(keys=keys, sha256=sha256) if (keys, sha256) == (count, before):
                    if self._file.read(1):
                        raise self._damaged("there are bytes after its end")
                    return
                case _:
                    raise self._damaged("its end does not match what comes before it")

    def _check_magic(self) -> None:
        line = self._file.readline(_LINE)
        self._digest.update(line)
        self._at = len(line)
        number = line.removeprefix(_MAGIC).strip()
        if not line.startswith(_MAGIC) or not number.isdigit():
            raise BadDump("this file is not a dump of `pierule admin dump`")
        if int(number) != NUMBER:
            raise BadDump(f"this dump has format {int(number)}; this release reads format {NUMBER}")

    def _frame(self) -> _Record:
        length, checksum = _FRAME.unpack(self._read(_FRAME.size))
        payload = self._read(length)
        if crc32(payload) != checksum:
            raise self._damaged("a checksum is wrong")
        try:
            value = unpackb(payload)
            return msgspec.convert(value, _TYPES[value["type"]])
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(str(error)) from None

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise self._damaged("it ends too early")
        self._digest.update(data)
        self._at += size
        return data

    def _damaged(self, how: str) -> BadDump:
        return BadDump(f"the dump is damaged near byte {self._at}: {how}")

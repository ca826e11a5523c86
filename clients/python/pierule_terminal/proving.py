"""What `pierule verify` knows about signatures and digests: the user's keys, the digests, and the
feed numbers that it has seen (SPEC 28)."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from pierule_protocol.log.digest import BadDigest, Digest, digest_hash, read_digest
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import Amendment, Proof, RoomRecord
from pierule_protocol.log.trust import Doubt, Kind, PinnedKey, Trust

DIGEST_BYTES = 1 << 24
"""The longest line with a digest, in bytes."""


class Unreadable(Exception):
    """A file or a line cannot be read; the text says where and why."""


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its name ends in `.gz`; `-` is standard input. Raises
    OSError, also for a packed file that is damaged or cut short."""
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as plain:
        if not file.endswith(".gz"):
            yield plain
            return
        try:
            with gzip.open(plain) as unpacked:
                yield cast("BinaryIO", unpacked)
        except (EOFError, zlib.error) as error:
            raise OSError("it is damaged or cut short") from error


def read_digests(files: list[str]) -> list[Digest]:
    """The digests of files, one per line. Raises Unreadable."""
    return [digest for file in files for digest in _digests(file)]


def _digests(file: str) -> Iterator[Digest]:
    try:
        with opened(file) as stream:
            lines = iter(lambda: stream.readline(DIGEST_BYTES), b"")
            for number, data in enumerate(lines, 1):
                try:
                    yield read_digest(data)
                except BadDigest as error:
                    raise Unreadable(f"{file}:{number}: not a digest: {error}") from None
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror or error}") from None


class Prover:
    """Says what is doubtful about records. Without keys, all that it says of a signature is that
    the key is unknown."""

    def __init__(self, keys: list[PinnedKey], digests: list[Digest]) -> None:
        self.trust = Trust(keys, digests)
        self.pins = bool(keys)
        self._seen: set[int] = set()
        self._acknowledged: list[RoomRecord] = []

    def doubt(self, record: RoomRecord | Amendment) -> Doubt | None:
        """What is doubtful about a record; None if nothing is. A user who gives no key expects no
        signature."""
        if isinstance(record.feed, int):
            self._seen.add(record.feed)
        found = self.trust.doubt(record)
        if found is not None and found.kind is Kind.UNSIGNED and not self.pins:
            return None
        return found

    def proven(self, record: RoomRecord | Amendment) -> str:
        """What to say about a record that is not doubtful; empty if it is not signed."""
        said = ""
        if isinstance(record, RoomRecord) and isinstance(record.receipt, Proof):
            said = f", acknowledged by {record.receipt.key}"
        if not isinstance(record.proof, Proof):
            return said
        digest = isinstance(record.feed, int) and self.trust.chain.covering(record.feed)
        listed = f", in digest {digest.number}" if digest else ""
        return f"{said}, signed by {record.proof.key}{listed}"

    def acknowledge(self, record: RoomRecord) -> None:
        """Remember a receipt that is not doubtful. Later records of the room must have its
        events."""
        if isinstance(record.receipt, Proof):
            self._acknowledged.append(record)

    def lost(self, record: RoomRecord) -> int | None:
        """The number of the first event that a receipt covers but this record lacks; None if there
        is none."""
        for receipt in self._acknowledged:
            if receipt.room == record.room:
                for index, event in enumerate(receipt.events):
                    if log_hash([event]) != log_hash(record.events[index : index + 1]):
                        return index + 1
        return None

    def digest_doubts(self) -> Iterator[tuple[int, Doubt]]:
        """What is doubtful about the digests, by their numbers."""
        for digest in self.trust.chain.digests:
            found = self.trust.doubt_digest(digest)
            if found is not None:
                yield digest.number, found
        for each in self.trust.chain.breaks:
            yield each.number, Doubt(Kind.ALTERED, each.why)

    @property
    def summary(self) -> str:
        """The digests in a line of text, with the hash that a user should keep."""
        first, *_ = digests = self.trust.chain.digests
        last = digests[-1]
        return (
            f"digests {first.number} to {last.number} cover the feed numbers {first.first} to "
            f"{last.last}; the hash of the last digest is {digest_hash(last)}"
        )

    def missing(self) -> list[tuple[int, str]]:
        """The feed numbers, with their rooms, that digests list but no record had."""
        return [
            (feed, room)
            for digest in self.trust.chain.digests
            for feed, (_, room) in enumerate(digest.leaves, digest.first)
            if room is not None and feed not in self._seen
        ]

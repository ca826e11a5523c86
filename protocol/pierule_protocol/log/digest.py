"""Digests of an archive: what was signed under each feed number, in ranges of numbers (SPEC 28).

A digest lists a leaf for each number, and names the digest before it by its hash. So if you keep
one hash, you notice later if anything before it was changed, added or removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import msgspec

from pierule_protocol.log.proof import netstrings
from pierule_protocol.log.record import Hash, KeyId, Signature

FORMAT: Literal["pierule.digest"] = "pierule.digest"
VERSION: Literal[1] = 1

RANGE = 100
"""How many feed numbers a new digest covers. Readers use `first` and `last` instead."""


class Digest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a server signed under the feed numbers from `first` to `last`. Each leaf is a pair: the
    SHA-256 of the signature, and the id of the room, or null if the game is private."""

    format: Literal["pierule.digest"]
    version: Literal[1]
    number: int
    first: int
    last: int
    previous: Hash | None
    leaves: list[tuple[Hash, str | None]]
    key: KeyId
    signature: Signature

    def leaf(self, feed: int) -> tuple[str, str | None]:
        """The leaf of a number that the digest covers."""
        return self.leaves[feed - self.first]


class BadDigest(Exception):
    """The bytes are not a digest; the text says why."""


_decoder = msgspec.json.Decoder(Digest)


def read_digest(data: bytes) -> Digest:
    """The digest in a line of JSON. Raises BadDigest."""
    try:
        found = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadDigest(str(error)) from None
    if not 1 <= found.first <= found.last or len(found.leaves) != found.last - found.first + 1:
        raise BadDigest(
            f"it has {len(found.leaves)} leaves, which does not fit the feed numbers "
            f"{found.first} to {found.last}"
        )
    return found


def leaf_of(signature: bytes | None) -> str:
    """The leaf of a feed number: the SHA-256 of its signature, or of nothing if there is none."""
    return sha256(signature or b"").hexdigest()


def statement(
    number: int, first: int, last: int, previous: str | None,
    leaves: Iterable[tuple[str, str | None]],
) -> bytes:  # fmt: skip
    """The bytes of a digest that the server signs. Their SHA-256 is the digest's hash."""
    numbers = str(number), str(first), str(last)
    listed = [field for leaf, room in leaves for field in (leaf, room or "")]
    return netstrings("pierule digest 1", *numbers, previous or "", *listed)


def digest_statement(digest: Digest) -> bytes:
    """The bytes that the server signed for this digest."""
    return statement(digest.number, digest.first, digest.last, digest.previous, digest.leaves)


def digest_hash(digest: Digest) -> str:
    """The hash that names a digest. Users keep it, and the next digest has it as `previous`."""
    return sha256(digest_statement(digest)).hexdigest()


@dataclass(frozen=True, slots=True)
class Break:
    """Why a list of digests is not a chain; `number` is that of the digest."""

    number: int
    why: str


class DigestChain:
    """Digests by number, and the breaks in their chain. Equal duplicates count once."""

    def __init__(self, digests: Iterable[Digest]) -> None:
        self.breaks: list[Break] = []
        self.digests: list[Digest] = []
        for digest in sorted(digests, key=lambda each: each.number):
            self._add(digest)
        self._firsts = [digest.first for digest in self.digests]
        self.numbers = {digest_hash(digest): digest.number for digest in self.digests}
        """The number of each digest by its hash."""

    def _add(self, digest: Digest) -> None:
        before = self.digests[-1] if self.digests else None
        why: Iterable[str] = []
        if before is None:
            if (digest.number == 1) != (digest.previous is None):
                why = ["only the first digest has no `previous`, and it is number 1"]
            if digest.number == 1 and digest.first != 1:
                why = [f"the first digest begins with feed number {digest.first}, not 1"]
        elif digest.number == before.number:
            why = _differences(before, digest)
        else:
            why = _gaps(before, digest)
        self.breaks += [Break(digest.number, each) for each in why]
        if before is None or digest.number != before.number:
            self.digests.append(digest)

    def covering(self, feed: int) -> Digest | None:
        """The digest that covers a feed number; None if there is none."""
        index = bisect_right(self._firsts, feed) - 1
        if index < 0 or feed > self.digests[index].last:
            return None
        return self.digests[index]


def _gaps(before: Digest, digest: Digest) -> Iterator[str]:
    if digest.number != before.number + 1:
        yield f"digest {before.number + 1} is missing before it"
    elif digest.previous != digest_hash(before):
        yield f"it does not follow digest {before.number}, which has changed since"
    elif digest.first != before.last + 1:
        yield (
            f"it begins with feed number {digest.first}, but digest {before.number} ends with "
            f"{before.last}"
        )


def _differences(one: Digest, other: Digest) -> Iterator[str]:
    """How two digests of the same number differ."""
    if digest_hash(one) == digest_hash(other):
        return
    if (one.first, one.last) != (other.first, other.last):
        yield "it is there twice, with different ranges"
        return
    pairs = enumerate(zip(one.leaves, other.leaves, strict=True), one.first)
    changed = [f"{feed}{_named(a, b)}" for feed, (a, b) in pairs if a != b]
    what = f"at {', '.join(changed[:_SHOWN])}" if changed else "in their pasts"
    yield f"it is there twice, and the two differ {what}"


_SHOWN = 5


def _named(*leaves: tuple[str, str | None]) -> str:
    rooms = sorted({room for _, room in leaves if room})
    return f" (room {', '.join(rooms)})" if rooms else ""

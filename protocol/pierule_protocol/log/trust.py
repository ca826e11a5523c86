"""Whether a key that the user trusts has signed a record, and digests list it.

`pierule verify` and readers of dumps use it. Only the user says which keys count: a key that comes
with the data proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from pierule_protocol.log.digest import Digest, DigestChain, digest_statement, leaf_of
from pierule_protocol.log.proof import (
    Unsignable,
    amendment_statement,
    is_signed,
    key_id,
    log_hash,
    receipt_statement,
    record_statement,
)
from pierule_protocol.log.record import Amendment, Proof, RoomRecord

_PINNED = re.compile(r"([0-9a-f]{64})(?:@([0-9a-f]{64}))?\Z")

NO_DIGEST = "0" * 64
"""What a key is revoked with if no digest is trusted: nothing that it signed counts (SPEC 28.7)."""


@dataclass(frozen=True, slots=True)
class PinnedKey:
    """A public key that the user trusts. If it was revoked, `until` is the hash of the last digest
    that is still trusted, or NO_DIGEST."""

    public: bytes
    until: str | None = None


def pinned(text: str) -> PinnedKey:
    """The key that `PUBLIC` or `PUBLIC@DIGEST` names, in hexadecimal. Raises ValueError."""
    found = _PINNED.match(text)
    if found is None:
        raise ValueError(
            f"{text!r} is not a key: give the 64 hexadecimal digits of the public key, then "
            "@DIGEST (64 digits) if the key was revoked"
        )
    return PinnedKey(bytes.fromhex(found[1]), found[2])


class Kind(Enum):
    """What kind of doubt it is."""

    UNSIGNED = "unsigned"
    UNKNOWN = "signed by an unknown key"
    REVOKED = "signed by a revoked key"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why not to believe a record, an amendment or a digest."""

    kind: Kind
    why: str

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.why}"


class Trust:
    """The keys that a user has pinned, and the digests that they have."""

    def __init__(self, keys: Iterable[PinnedKey], digests: Iterable[Digest] = ()) -> None:
        self.keys = {key_id(key.public): key for key in keys}
        self.chain = DigestChain(digests)

    def doubt(self, record: RoomRecord | Amendment) -> Doubt | None:
        """Why not to believe that a pinned key signed this; None if it did, and digests that cover
        it list it. A record with a receipt is checked by the receipt, and by its proof if it has
        one. Raises ModuleNotFoundError without `cryptography`."""
        receipt = record.receipt if isinstance(record, RoomRecord) else None
        if not isinstance(receipt, Proof):
            return self._archived(record)
        assert isinstance(record, RoomRecord)
        found = self._acknowledged(record, receipt)
        if found is None and isinstance(record.proof, Proof):
            return self._archived(record)
        return found

    def _acknowledged(self, record: RoomRecord, receipt: Proof) -> Doubt | None:
        said = receipt_statement(record.room, log_hash(record.events), record.final.place)
        found = self._signature(receipt.key, receipt.signature, said)
        if found is None and self.keys[receipt.key].until is not None:
            return Doubt(Kind.REVOKED, f"{receipt.key}; no digest shows that the receipt is older")
        return found

    def _archived(self, record: RoomRecord | Amendment) -> Doubt | None:
        proof = record.proof
        if not isinstance(proof, Proof):
            return Doubt(Kind.UNSIGNED, "it has no proof")
        try:
            found = self._signature(proof.key, proof.signature, _statement(record))
        except Unsignable as error:
            found = Doubt(Kind.ALTERED, f"no server signs such a record: {error}")
        if found is not None and found.kind is not Kind.ALTERED:
            return found
        feed = record.feed if isinstance(record.feed, int) else 0
        digest = self.chain.covering(feed)
        listed = digest and self._listed(digest, feed, proof, record.room)
        if found is None:
            return listed or self._revoked(proof.key, digest)
        if digest is None or listed is not None:
            return found
        hint = f"digest {digest.number} lists its signature, so the record was changed"
        return Doubt(Kind.ALTERED, f"{found.why}; {hint}")

    def doubt_digest(self, digest: Digest) -> Doubt | None:
        """Why not to believe that a pinned key signed a digest; None if it did."""
        found = self._signature(digest.key, digest.signature, digest_statement(digest))
        return found or self._revoked(digest.key, digest)

    def _signature(self, key: str, signature: str, statement: bytes) -> Doubt | None:
        known = self.keys.get(key)
        if known is None:
            return Doubt(Kind.UNKNOWN, key)
        if is_signed(known.public, statement, bytes.fromhex(signature)):
            return None
        return Doubt(Kind.ALTERED, f"this is not what key {key} signed")

    def _listed(self, digest: Digest, feed: int, proof: Proof, room: str) -> Doubt | None:
        """Why a digest does not list this signature and room under the number; None if it does."""
        leaf, named = digest.leaf(feed)
        under = f"under number {feed}, digest {digest.number} has"
        if leaf != leaf_of(bytes.fromhex(proof.signature)):
            return Doubt(Kind.ALTERED, f"{under} another signature")
        if named is not None and named != room:
            return Doubt(Kind.ALTERED, f"{under} the room {named}")
        return None

    def _revoked(self, key: str, digest: Digest | None) -> Doubt | None:
        """Why not to trust a revoked key for what this digest covers; None if it may be trusted.
        Only an unbroken chain to the last trusted digest shows that: a thief can sign anything with
        a stolen key."""
        until = self.keys[key].until
        if until is None:
            return None
        if until == NO_DIGEST:
            return Doubt(Kind.REVOKED, f"{key}; nothing that it signed is trusted")
        last = self.chain.numbers.get(until)
        if last is None or self.chain.breaks:
            return Doubt(Kind.REVOKED, f"{key}; no unbroken chain of digests leads to {until}")
        if digest is None or digest.number > last:
            return Doubt(Kind.REVOKED, f"{key}; you trust it only up to digest {last}")
        return None


def _statement(record: RoomRecord | Amendment) -> bytes:
    if isinstance(record, Amendment):
        return amendment_statement(record)
    return record_statement(record)

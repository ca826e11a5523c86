"""Keys that sign in tests, without the server's code."""

from __future__ import annotations

from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pierule_protocol.log.proof import key_id, log_hash, receipt_statement
from pierule_protocol.messages import LogEntry, Receipt

KEY = bytes(range(32))
OTHER = bytes(range(1, 33))


def public_of(key: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()


def sign(key: bytes, statement: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key).sign(statement)


def receipt_of(room: str, events: Sequence[LogEntry], key: bytes = KEY) -> Receipt:
    """A server's receipt of these events: the whole log of a room so far."""
    place, log = events[-1].place, log_hash(events)
    signature = sign(key, receipt_statement(room, log, place)).hex()
    return Receipt(
        epoch=place.epoch, seq=place.seq, chain=place.chain, log=log,
        key=key_id(public_of(key)), signature=signature,
    )  # fmt: skip

"""Keys that sign in tests, with nothing of the server's."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY = bytes(range(32))
OTHER = bytes(range(1, 33))


def public_of(key: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()


def sign(key: bytes, statement: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key).sign(statement)

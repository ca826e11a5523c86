"""Which setting of the server raises the limit that a refusal is about.

A load generator is one address with many guests, which is exactly what the limits prevent.
"""

from __future__ import annotations

_BY_WORDS = (
    ("your network has", "--address-budget 0"),
    ("you have asked", "--user-budget 0"),
    ("too many requests", "--connection-rate 0 --user-rate 0"),
    ("open or running rooms", "--rooms-per-user 0"),
    ("connection may follow", "--rooms-followed N"),
    ("connections at this node", "--connections-per-user 0"),
    ("address has too many", "--connections-per-address 0 --handshakes-per-address 0"),
    ("HTTP 429", "--connections-per-address 0 --handshakes-per-address 0"),
    ("memory is nearly full", "--store-memory BYTES, or maxmemory of your own store"),
    ("this server has no guests", "--guests on"),
)

LIFTED = (
    "--connections-per-address 0 --handshakes-per-address 0 --address-budget 0 "
    "--connection-rate 0 --user-rate 0 --abandoned-per-address 0"
)
"""The settings that lift all limits which a load from one address meets."""


def hint(words: str) -> str | None:
    """The settings for a refusal with these words; None if no setting applies."""
    return next((flags for part, flags in _BY_WORDS if part in words), None)

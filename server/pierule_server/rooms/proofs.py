"""Proofs that the server has told a client of a place (SPEC 16.9).

A player who knows an event that the log lacks makes a new epoch begin. Anybody can make a place up,
so the server believes only places that it has proved itself.
"""

from __future__ import annotations

from binascii import b2a_base64
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from pierule_protocol.log.events import Place
from pierule_protocol.messages import ProvenPlace, Since
from pierule_server.store.tables.secrets import Secrets

BYTES = 12
"""Bytes of the HMAC in a proof: nobody guesses 96 bits over the wire, and every event carries
them."""


class Proofs:
    """Makes and checks proofs: `KID.MAC`, by the secrets of a store."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def of(self, room: str, epoch: int, seq: int, chain: int) -> str:
        """The proof of a place: the same at every node, and for everybody."""
        return f"{self._secrets.kid}.{_mac(self._secrets.key, room, epoch, seq, chain)}"

    def place(self, room: str, place: Place) -> ProvenPlace:
        """A place with its proof."""
        epoch, seq, chain = place.epoch, place.seq, place.chain
        return ProvenPlace(epoch, seq, chain, self.of(room, epoch, seq, chain))

    def hold(self, room: str, since: Since) -> bool:
        """Whether a server with these secrets has given this proof for the place."""
        kid, _, mac = (since.proof or "").partition(".")
        key = self._secrets.proofs.get(kid)
        if key is None:
            return False
        true = _mac(key, room, since.epoch, since.seq, since.chain)
        return compare_digest(true.encode(), mac.encode())


@lru_cache(1_024)
def _mac(key: bytes, room: str, epoch: int, seq: int, chain: int) -> str:
    """HMAC-SHA256 (RFC 2104). `hmac.digest` hashes the key again for each message and takes four
    times as long: 2.5 us instead of 0.6. The latest are remembered, because an `ok` comes soon
    after its event."""
    first, second = _keyed(key)
    inner, outer = first.copy(), second.copy()
    inner.update(b"%b %d %d %d" % (room.encode(), epoch, seq, chain))
    outer.update(inner.digest())
    return b2a_base64(outer.digest()[:BYTES], newline=False).decode()


@lru_cache
def _keyed(key: bytes) -> tuple[Any, Any]:
    """The two hashes that have read the key, which is as long as a block of SHA-256."""
    assert len(key) == sha256().block_size
    return sha256(bytes(byte ^ 0x36 for byte in key)), sha256(bytes(byte ^ 0x5C for byte in key))

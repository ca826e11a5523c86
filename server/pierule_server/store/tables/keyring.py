"""The table of living nodes: the key with which each signs, the keys that it accepts (without their
secrets), its games, and whether it has an archive. Nodes that would refuse each other's tokens must
not serve one store (deploy/README.md, Keys)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from pierule_protocol import world
from pierule_server.store.buckets import keys_key, salt_key
from pierule_server.store.driver.access import Script

LIFE_MS = 15_000
"""Milliseconds after which a node that has not renewed its entry counts as dead."""


class Ring(msgspec.Struct, frozen=True):
    """A node's entry: the id of the key with which it signs, a proof of each key that it accepts,
    by id, the versions of the rules that it has, by game, and whether it has an archive."""

    signs: str
    proofs: Mapping[str, str]
    games: Mapping[str, list[int]] = {}
    archives: bool = False


class _Kept(Ring, frozen=True):
    """An entry in the store, and when it expires, in the store's ms since 1970."""

    ends: int = 0


class KeyConflict(NamedTuple):
    """A living node whose keys do not fit ours: one of the two does not accept the `key` with which
    the other signs, or has another secret under that id. `fault` says which: `theirs` does not
    accept ours, `ours` does not accept theirs, or the `secret` differs. `ends` is when the other
    node's entry expires, in the store's ms since 1970."""

    node: str
    key: str
    ends: int
    fault: str

    def __str__(self) -> str:
        if self.fault == "secret":
            return (
                f"node {self.node}, which serves this store, has another secret under the id "
                f"{self.key!r} in PIERULE_KEYS: all nodes need the same keys, and a new key needs "
                "an id of its own"
            )
        if self.fault == "theirs":
            return (
                f"node {self.node}, which serves this store, does not accept the key {self.key!r} "
                "with which this node signs: first add that key to PIERULE_KEYS of every node, but "
                "not as its first key"
            )
        return (
            f"node {self.node}, which serves this store, signs with the key {self.key!r}, which "
            "this node does not accept: keep that key in PIERULE_KEYS, but not as the first, until "
            "no node signs with it"
        )


class Keyring:
    """The entries of a store's nodes. `request(bucket, *command)` asks the primary of a bucket.
    Every method may raise `StoreUnavailable`."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def salt(self) -> bytes:
        """The salt for proofs of keys. All nodes of the store have the same, other stores have
        others."""
        kept = await self._request(0, "SET", salt_key(), fresh := world.token_hex(16), "NX", "GET")
        return fresh.encode() if kept is None else bytes(kept)

    async def join(self, node: str, ring: Ring) -> KeyConflict | None:
        """Add the entry of a node that is about to serve. If a living node has keys that do not
        fit, add nothing and return that conflict."""
        match await self._run("join", node, msgspec.json.encode(ring)):
            case [bytes(other), bytes(key), bytes(ends), bytes(fault)]:
                return KeyConflict(other.decode(), key.decode(), int(ends), fault.decode())
        return None

    async def renew(self, node: str, ring: Ring) -> None:
        """The node still serves: renew its entry."""
        await self._run("renew", node, msgspec.json.encode(ring))

    async def games(self) -> dict[str, set[int]]:
        """The versions of each game's rules that any living node has. A node that died a moment ago
        may still count."""
        known: dict[str, set[int]] = {}
        told = await self._request(0, "HGETALL", keys_key())
        for ring in told[1::2]:
            for game, rules in msgspec.json.decode(ring, type=Ring).games.items():
                known.setdefault(game, set()).update(rules)
        return known

    async def archivists(self, now: int) -> list[str]:
        """The nodes with an archive that live at the store's time `now`, sorted. A node that was
        killed a moment ago still counts."""
        told = await self._request(0, "HGETALL", keys_key())
        rings = [msgspec.json.decode(ring, type=_Kept) for ring in told[1::2]]
        return sorted(
            node.decode()
            for node, ring in zip(told[::2], rings, strict=True)
            if ring.archives and ring.ends >= now
        )

    async def leave(self, node: str) -> None:
        """The node no longer serves: remove its entry."""
        await self._run("leave", node, b"")

    async def _run(self, verb: str, node: str, ring: bytes) -> Any:
        return await _KEYS.run(self._request, 0, 1, keys_key(), verb, node, ring, LIFE_MS)


_KEYS = Script("join_keyring.lua")

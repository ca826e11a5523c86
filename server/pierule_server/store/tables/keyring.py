"""What the living nodes of a store say of themselves, again and again: which keys they sign tokens
by and accept, without any secret, and which games they have. Nodes that would not believe each
other's tokens must not serve one store (deploy/README.md, Keys)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from pierule_protocol import world
from pierule_server.store.buckets import keys_key, salt_key
from pierule_server.store.driver.access import Script

LIFE_MS = 15_000
"""Milliseconds after which a node counts as dead that has not renewed what it said."""


class Ring(msgspec.Struct, frozen=True):
    """The id of the key by which a node signs, a proof of each key that it accepts, by id, and the
    versions of the rules that it has, by game."""

    signs: str
    proofs: Mapping[str, str]
    games: Mapping[str, list[int]] = {}


class KeyConflict(NamedTuple):
    """A living node with which another cannot serve one store: the one of the two does not accept
    the other's `key`, or has another secret under its id. `ends` tells when it counts as dead."""

    node: str
    key: str
    ends: int
    theirs: bool

    def __str__(self) -> str:
        if self.theirs:
            return (
                f"the node {self.node}, which serves this store, does not accept the key "
                f"{self.key!r} by which this one would sign: first give it to every node, not as "
                "the first of its keys"
            )
        return (
            f"the node {self.node}, which serves this store, signs by the key {self.key!r}, which "
            "this one does not accept: keep it, not as the first, until no node signs by it"
        )


class Keyring:
    """What the nodes of a store say of their keys. `request(bucket, *command)` asks the primary of
    a bucket. Every method may raise `StoreUnavailable`."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def salt(self) -> bytes:
        """What proofs are made over: the same for all nodes of the store, and no other's."""
        kept = await self._request(0, "SET", salt_key(), fresh := world.token_hex(16), "NX", "GET")
        return fresh.encode() if kept is None else bytes(kept)

    async def join(self, node: str, ring: Ring) -> KeyConflict | None:
        """Note the keys of a node that is about to serve, unless there is one with which it cannot
        serve the same store."""
        match await self._run("join", node, msgspec.json.encode(ring)):
            case [bytes(other), bytes(key), bytes(ends), int(theirs)]:
                return KeyConflict(other.decode(), key.decode(), int(ends), bool(theirs))
        return None

    async def renew(self, node: str, ring: Ring) -> None:
        """It still serves."""
        await self._run("renew", node, msgspec.json.encode(ring))

    async def games(self) -> dict[str, set[int]]:
        """The versions of each game's rules that some living node has. One that died a moment ago
        may still be among them."""
        known: dict[str, set[int]] = {}
        told = await self._request(0, "HGETALL", keys_key())
        for ring in told[1::2]:
            for game, rules in msgspec.json.decode(ring, type=Ring).games.items():
                known.setdefault(game, set()).update(rules)
        return known

    async def leave(self, node: str) -> None:
        """It serves no longer."""
        await self._run("leave", node, b"")

    async def _run(self, verb: str, node: str, ring: bytes) -> Any:
        return await _KEYS.run(self._request, 0, 1, keys_key(), verb, node, ring, LIFE_MS)


_KEYS = Script("join_keyring.lua")

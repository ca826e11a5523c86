"""Secrets that a store keeps for its nodes: what no client may be able to compute.

They lie in one hash, in the store and not in the settings, because they must be the same at every
node and belong to the rooms: a dump or a backup has them, and whoever has one can compute what
follows from them. Nothing shows them. The first node that finds none makes them; nodes read them
again every few seconds, so a rotation needs no restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pierule_protocol import world
from pierule_server.store.buckets import secrets_key

ROOMS = "rooms"
"""The field of the secret from which ids of rooms follow. It is never exchanged: a node that
finishes what another has begun must come to the same id."""

IDS = "ids"
"""The field of the secret from which the ids of an identity provider's users follow. It is never
exchanged: the users would be others."""


class Secrets:
    """What was read last. `proofs` holds the secrets that prove places, by key id; `kid` and `key`
    are those in use. Key ids are numbers, and the highest is in use.

    `request(bucket, *command, write=…)` asks the primary of a bucket.
    """

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request
        self.rooms = b""
        self.ids = b""
        self.proofs: dict[str, bytes] = {}
        self.kid = ""
        self.key = b""

    async def read(self) -> None:
        """Learn them; make those that there are none of. Raises StoreUnavailable."""
        found = await self._fields()
        if not (found.keys() >= {ROOMS, IDS} and len(found) > 2):
            for field in (ROOMS, IDS, "1"):
                await self._make(field)
            found = await self._fields()
        self._take(found)

    async def rotate(self) -> str:
        """Make a secret that proves from now on, and keep the earlier ones; its key id. Raises
        StoreUnavailable."""
        await self.read()
        kid = str(int(self.kid) + 1)
        await self._make(kid)
        await self.read()
        return kid

    async def drop(self, kid: str) -> bool:
        """Forget an earlier secret: what it has proved is proved no more. False if there is none,
        or it is in use. Raises StoreUnavailable."""
        await self.read()
        if kid not in self.proofs or kid == self.kid:
            return False
        await self._request(0, "HDEL", secrets_key(), kid, write=True)
        await self.read()
        return True

    def _take(self, found: dict[str, str]) -> None:
        self.rooms = found.pop(ROOMS).encode()
        self.ids = found.pop(IDS).encode()
        self.proofs = {kid: found[kid].encode() for kid in sorted(found, key=int)}
        self.kid, self.key = next(reversed(self.proofs.items()))

    async def _make(self, field: str) -> None:
        """HSETNX decides between two nodes that start at the same time."""
        fresh = world.token_hex(32)
        await self._request(0, "HSETNX", secrets_key(), field, fresh, write=True)

    async def _fields(self) -> dict[str, str]:
        reply = await self._request(0, "HGETALL", secrets_key())
        return {
            name.decode(): value.decode()
            for name, value in zip(reply[::2], reply[1::2], strict=True)
        }

"""The table of secrets that nodes share, for values that no client may be able to compute.

They are in one hash in the store and not in the settings, because they must be the same at every
node and belong to the rooms. A dump or a backup has them, so anybody who has it can compute those
values. Nothing shows the secrets. The first node that finds none makes them. Nodes read them again
every few seconds, so a rotation needs no restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pierule_protocol import world
from pierule_server.store.buckets import secrets_key

ROOMS = "rooms"
"""The field of the secret from which ids of rooms follow. Nobody ever replaces it: a node that
finishes what another node began must compute the same id."""

IDS = "ids"
"""The field of the secret from which the ids of an identity provider's users follow. Nobody ever
replaces it, because these users would become different users."""


class Secrets:
    """The secrets as last read. `proofs` has the secrets that prove places, by key id; `kid` and
    `key` are the id and the secret in use. Key ids are numbers; the highest is in use.

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
        """Read the secrets, and make those that are missing. Raises StoreUnavailable."""
        found = await self._fields()
        if not (found.keys() >= {ROOMS, IDS} and len(found) > 2):
            for field in (ROOMS, IDS, "1"):
                await self._make(field)
            found = await self._fields()
        self._take(found)

    @property
    def following(self) -> str:
        """The key id of the next secret."""
        return str(int(self.kid) + 1)

    async def rotate(self) -> str:
        """Make a secret that proves places from now on, and keep the earlier ones. Returns its key
        id. Raises StoreUnavailable."""
        await self.read()
        kid = self.following
        await self._make(kid)
        await self.read()
        return kid

    async def drop(self, kid: str) -> bool:
        """Forget an earlier secret: its proofs are no longer valid. False if it does not exist or
        is in use. Raises StoreUnavailable."""
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
        """Make a secret unless it exists. If two nodes do it at the same time, HSETNX decides."""
        fresh = world.token_hex(32)
        await self._request(0, "HSETNX", secrets_key(), field, fresh, write=True)

    async def _fields(self) -> dict[str, str]:
        reply = await self._request(0, "HGETALL", secrets_key())
        return {
            name.decode(): value.decode()
            for name, value in zip(reply[::2], reply[1::2], strict=True)
        }

"""A node's part in what the nodes of a store say of themselves: it does not begin to serve beside
one whose tokens it would refuse, or that would refuse its own; and it knows which games any of them
has."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import structlog

from pierule_games import GAMES
from pierule_server.identity.tokens import Keys
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.keyring import KeyConflict, Keyring, Ring
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

RENEW = 4.0
"""Seconds between two renewals; three in a row may fail."""

LOOK = 0.5
"""Seconds between two tries while another node may be dead."""


class KeyringMember:
    """The keys and games of the node `name`, as others know of them."""

    def __init__(self, keyring: Keyring, name: str, keys: Keys) -> None:
        self._keyring = keyring
        self._name = name
        self._keys = keys
        self._games: Mapping[str, set[int]] = {}
        self._tasks = Tasks()

    def plays(self, game: str, rules: int) -> bool:
        """Whether some living node has these rules."""
        return rules in self._games.get(game, ())

    async def start(self) -> None:
        """Publish which keys this node has. Raises ValueError if it cannot serve beside a living
        node, and StoreUnavailable."""
        salt = await self._keyring.salt()
        games = {name: sorted(game.rules) for name, game in GAMES.items()}
        ring = Ring(self._keys.current, self._keys.proofs(salt), games)
        seen: KeyConflict | None = None
        while (found := await self._keyring.join(self._name, ring)) is not None:
            # What a node has left behind that was killed is never renewed: wait for its end.
            if seen is not None and (found.node, found.key) == (seen.node, seen.key):
                if found.ends != seen.ends:
                    raise ValueError(str(found))
            else:
                logger.warning("keys do not fit", node=found.node, key=found.key)
                seen = found
            await asyncio.sleep(LOOK)
        self._games = await self._keyring.games()
        self._tasks.keep(partial(self._run, ring), "keyring_member")

    async def stop(self) -> None:
        """This node no longer serves."""
        await self._tasks.stop()
        with suppress(StoreUnavailable):  # Then it counts as dead in a while.
            await self._keyring.leave(self._name)

    async def _run(self, ring: Ring) -> None:
        while True:
            await asyncio.sleep(RENEW)
            with suppress(StoreUnavailable):
                await self._keyring.renew(self._name, ring)
                self._games = await self._keyring.games()

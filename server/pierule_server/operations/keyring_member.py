"""Publishes a node's key ids and games in the keyring, and reads those of the other nodes.

A node does not begin to serve beside a node whose tokens it would refuse, or that would refuse its
own. It also knows which games the other nodes have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

import structlog

from pierule_games import GAMES
from pierule_server.identity.tokens import Keys
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.keyring import KeyConflict, Keyring, Ring
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

RENEW = 4.0
"""Seconds between two renewals of the entry. Three in a row may fail before it expires."""

LOOK = 0.5
"""Seconds between two attempts to join while another node may be dead."""


class KeyringMember:
    """The entry of the node `name` in the keyring, with its keys and games, and whether it
    `archives` games."""

    def __init__(self, keyring: Keyring, name: str, keys: Keys, *, archives: bool) -> None:
        self._keyring = keyring
        self._name = name
        self._keys = keys
        self._archives = archives
        self._games: Mapping[str, set[int]] = {}
        self._tasks = Tasks()

    def plays(self, game: str, rules: int) -> bool:
        """Whether a living node has this version of a game's rules."""
        return rules in self._games.get(game, ())

    async def start(self) -> None:
        """Publish the entry, and keep renewing it. Raises ValueError if a living node has keys that
        do not fit, and StoreUnavailable."""
        seen: KeyConflict | None = None
        while (found := await self._keyring.join(self._name, await self._ring())) is not None:
            # A killed node leaves an entry that nobody renews: wait until it expires. If it is
            # renewed instead, the node lives.
            if seen is not None and (found.node, found.key) == (seen.node, seen.key):
                if found.ends != seen.ends:
                    raise ValueError(str(found))
            else:
                logger.warning(
                    "keys differ from those of another node; waiting to see whether it lives",
                    node=found.node, key=found.key,
                )  # fmt: skip
                seen = found
            await asyncio.sleep(LOOK)
        self._games = await self._keyring.games()
        self._tasks.keep(self._run, "keyring_member")

    async def stop(self) -> None:
        """Remove the entry: this node no longer serves."""
        await self._tasks.stop()
        with suppress(StoreUnavailable):  # then the entry expires in a while
            await self._keyring.leave(self._name)

    async def _ring(self) -> Ring:
        # A store that has come back empty has another salt, and the same keys have other proofs.
        salt = await self._keyring.salt()
        games = {name: sorted(game.rules) for name, game in GAMES.items()}
        return Ring(self._keys.current, self._keys.proofs(salt), games, self._archives)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(RENEW)
            with suppress(StoreUnavailable):
                await self._keyring.renew(self._name, await self._ring())
                self._games = await self._keyring.games()

"""A seek that waits for a connection of this node."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pierule_server.connections.connection import Connection
from pierule_server.store.tables.pools import PoolKey, Seeker


@dataclass(slots=True)
class Waiting:
    """A seek of a connection of this node. Whoever sends the store a command about it holds
    `order`, so that no renewal overtakes the end of the connection."""

    pool: PoolKey
    seeker: Seeker
    order: asyncio.Lock = field(default_factory=asyncio.Lock)
    renewals: int = 0


def blocked(connection: Connection) -> list[str]:
    """The users with whom the connection's user must not be paired (SPEC 21.7)."""
    return [user for user, how in connection.block_list.items() if how == "block"]

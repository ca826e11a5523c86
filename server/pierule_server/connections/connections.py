"""All connections of this node: sends news to all of them, and sends them away (SPEC 1.5).

This module does not know what a connection does or which rooms it follows.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator

import structlog

from pierule_protocol import world
from pierule_protocol.messages import Notice, ServerMessage
from pierule_server import metrics
from pierule_server.connections.affinity import Affinity
from pierule_server.connections.connection import Broadcast, Connection

logger = structlog.get_logger()

CLOSES_PER_SECOND = 100
"""How fast the node sends clients away if there is time. Each of them costs another node a
handshake and the joining of its rooms."""

SPREAD = 0.8
"""The node sends clients away during this part of the time for draining. The rest is for pending
requests."""


class Connections:
    """The open connections. `affinity` says which should connect elsewhere. `draining` never ends
    once it is true. New connections get the notices `store_away` and `announcement` while they are
    set."""

    def __init__(self, affinity: Affinity | None = None) -> None:
        self.affinity = affinity or Affinity()
        self.draining = False
        self.store_away: Notice | None = None
        self.announcement: Notice | None = None
        self._open: set[Connection] = set()
        self._none = asyncio.Event()
        self._none.set()

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._open))

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: Connection) -> None:
        """Add a connection whose handshake was accepted."""
        self._open.add(connection)
        self._none.clear()
        metrics.CONNECTIONS.inc()
        if self.store_away is not None:
            connection.send(self.store_away)
        if self.announcement is not None:
            connection.send(self.announcement)
        if self.draining:  # the handshake was accepted just before
            connection.retire()

    def remove(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._open.remove(connection)
        metrics.CONNECTIONS.dec()
        if not self._open:
            self._none.set()

    async def gone(self) -> None:
        """Wait until no connection is open."""
        await self._none.wait()

    def tell(self, message: ServerMessage) -> None:
        """Send a message to all connections, serialised once for each codec."""
        Broadcast(message).send(self._open)

    async def drain(self, seconds: float) -> None:
        """Send every client away, each at its own moment. Returns when the last one is gone, or
        after `seconds`."""
        self.draining = True
        metrics.DRAINING.set(1)
        leaving = len(self._open)
        logger.info("draining", connections=leaving, seconds=seconds)
        self.tell(Notice(kind="draining", seconds=math.ceil(seconds)))
        spread = min(SPREAD * seconds, leaving / CLOSES_PER_SECOND)
        loop = asyncio.get_running_loop()
        moments = [
            loop.call_later(world.random().uniform(0, spread), connection.retire)
            for connection in self._open
        ]
        try:
            async with asyncio.timeout(seconds):
                await self._none.wait()
        except TimeoutError:
            pass
        finally:
            for moment in moments:
                moment.cancel()
            logger.info("drained", left=len(self._open))

    def measure(self) -> None:
        """Update the gauges of users and of unsent data."""
        unsent = [connection.unsent for connection in self._open]
        users = {connection.user.id for connection in self._open if connection.user}
        metrics.USERS.set(len(users))
        metrics.OUTBOX_BYTES.set(sum(unsent))
        metrics.OUTBOX_LARGEST_BYTES.set(max(unsent, default=0))

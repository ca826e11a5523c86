"""Checks the store itself from time to time while a node runs.

It checks whether this is still the same store, whether the store keeps its data, and whether nodes
wait for all its replicas. It tells operators; no finding ends a serving node.
"""

from __future__ import annotations

import asyncio

import structlog
from redis.exceptions import RedisError

from pierule_server import metrics
from pierule_server.store.driver import preflight
from pierule_server.store.driver.replicas import Replicas
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import StoreUnusable
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

INTERVAL = 10.0
"""Seconds between two checks, unless the store has just come back."""


class Watch:
    """Checks the store. `troubles` says what an operator should fix, by the latest check."""

    def __init__(self, topology: Topology, replicas: int) -> None:
        self._topology = topology
        self._replicas = Replicas(topology, replicas)
        self._tasks = Tasks()
        self._soon = asyncio.Event()
        self.troubles: list[str] = []

    def start(self) -> None:
        """Begin to check every `INTERVAL` seconds."""
        self._tasks.keep(self._run, "watch on the store")

    async def stop(self) -> None:
        """Stop checking."""
        await self._tasks.stop()

    def look_soon(self) -> None:
        """Check soon, because this may be another store now."""
        self._soon.set()

    async def look(self) -> None:
        """Check everything, and log what is new. Raises `RedisError` or `OSError`."""
        troubles = []
        try:
            if await preflight.keep_layout(self._topology):
                metrics.STORE_EMPTIED.inc()
                logger.critical(
                    "the store has come back empty (its format key was gone): restore it from a "
                    "backup if rooms are lost"
                )
        except StoreUnusable as error:
            troubles.append(str(error))
        troubles += [finding.text for finding in await preflight.inspect(self._topology)]
        for text in troubles:
            if text not in self.troubles:
                logger.warning("the store needs attention", trouble=text)
        trouble = await self._replicas.look()
        self.troubles = troubles + ([trouble] if trouble else [])

    async def _run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(INTERVAL):
                    await self._soon.wait()
            except TimeoutError:
                pass
            self._soon.clear()
            try:
                await self.look()
            except (RedisError, OSError) as error:  # requests meet the same error and report it
                logger.debug("cannot check the store", error=str(error))

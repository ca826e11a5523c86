"""Keeps a part of the store's memory for running games.

A full store refuses every action. So long before that, the node refuses requests that make the
store grow by more than actions do. This module only finds out when. A store without a bound, or one
that does not tell, is never short.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import structlog
from redis.exceptions import RedisError

from pierule_server import metrics
from pierule_server.store.driver.preflight import info
from pierule_server.store.driver.primary import Primary
from pierule_server.store.driver.topology import Topology
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

INTERVAL = 1.0
"""Seconds between two looks."""

SHORT, PLENTY = 0.75, 0.70
"""The used parts of a primary's memory (`maxmemory`) from which on it is short, and below which it
no longer is."""


class Reserve:
    """Whether the store is `short` of memory. The fullest primary decides, because the data of a
    user is in many buckets."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._tasks = Tasks()
        self.short = False

    @property
    def trouble(self) -> str | None:
        """What an operator should fix, if anything."""
        if not self.short:
            return None
        return (
            f"the store is short of memory: while {PLENTY:.0%} are used, the server takes nothing "
            "new. Raise maxmemory, or wait until games end"
        )

    async def look(self) -> None:
        """Ask all primaries, and leave out those that do not tell."""
        told = await asyncio.gather(*map(_used, self._topology.primaries))
        fullest = max((each for each in told if each is not None), default=None)
        if fullest is None:
            return
        used = fullest.part
        metrics.STORE_MEMORY_BYTES.labels("used").set(fullest.used)
        metrics.STORE_MEMORY_BYTES.labels("max").set(fullest.most)
        short = used >= (PLENTY if self.short else SHORT)
        if short is not self.short:
            self.short = short
            if short:
                logger.error(
                    "the store is short of memory: refusing everything new", used=round(used, 3)
                )
            else:
                logger.info("the store has memory again", used=round(used, 3))

    def start(self) -> None:
        """Begin to look every `INTERVAL` seconds."""
        self._tasks.keep(self._run, "watch on the store's memory")

    async def stop(self) -> None:
        await self._tasks.stop()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            await self.look()


class _Memory(NamedTuple):
    """The memory of a primary: the used part of it, the used bytes, and the most bytes (0: no
    bound)."""

    part: float
    used: int
    most: int


async def _used(primary: Primary) -> _Memory | None:
    """How much memory a primary uses; None if it does not tell."""
    try:
        memory = await info(primary, "memory")
    except (RedisError, OSError):
        return None
    used, most = int(memory.get("used_memory", 0)), int(memory.get("maxmemory", 0))
    return _Memory(used / most if most else 0.0, used, most)

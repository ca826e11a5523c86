"""Whether all replicas are waited for: one that is not may be promoted, and lacks what was
acknowledged. The operator is told; what a write waits for is not changed here.
"""

from __future__ import annotations

import asyncio

import structlog
from redis.exceptions import RedisError

from pierule_server import metrics
from pierule_server.store.preflight import info
from pierule_server.store.topology import Topology

log = structlog.get_logger()

INTERVAL = 10.0
"""Seconds between two looks."""


class Replicas:
    """The replicas that the primaries of a store have, and how many are `awaited`."""

    def __init__(self, topology: Topology, awaited: int) -> None:
        self._topology = topology
        self._awaited = awaited
        self._task: asyncio.Task[None] | None = None
        self.trouble: str | None = None
        """What an operator should mend, if anything."""
        metrics.REPLICAS.labels("awaited").set(awaited)

    async def look(self) -> None:
        """Ask all primaries, and tell what is new. Raises `RedisError` or `OSError`."""
        primaries = self._topology.primaries
        found = [_online(await info(each, "replication")) for each in primaries]
        metrics.REPLICAS.labels("online").set(max(found))
        trouble = _trouble(min(found), max(found), self._awaited)
        if trouble != self.trouble:
            self.trouble = trouble
            log.warning("replicas", trouble=trouble) if trouble else log.info("replicas are well")

    def start(self) -> None:
        """Begin to look now and then."""
        self._task = asyncio.create_task(self._run(), name="watch on the replicas")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                await self.look()
            except (RedisError, OSError) as error:  # Requests find that out, and say so.
                log.debug("replicas cannot be counted", error=str(error))


def _online(replication: dict[str, str]) -> int:
    """How many replicas a primary has that follow it, from its INFO."""
    return sum(
        "state=online" in text
        for name, text in replication.items()
        if name.startswith("slave") and name.removeprefix("slave").isdecimal()
    )


def _trouble(fewest: int, most: int, awaited: int) -> str | None:
    if most > awaited:
        return (
            f"{awaited} of {most} replicas must confirm an action: a fail-over to another one "
            f"loses what was acknowledged. Serve with --replicas {most}"
        )
    if fewest < awaited:
        return (
            f"{awaited} replicas must confirm an action (--replicas), and a primary has {fewest}: "
            "nobody can act in its rooms. Bring the replicas back"
        )
    return None

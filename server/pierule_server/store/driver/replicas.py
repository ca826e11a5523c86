"""Checks whether nodes wait for all replicas. A replica for which they do not wait may be promoted,
and may lack acknowledged actions. This module only tells the operator: it does not change how many
replicas a write waits for."""

from __future__ import annotations

import structlog
from redis.exceptions import ResponseError

from pierule_server import metrics
from pierule_server.store.driver.preflight import info
from pierule_server.store.driver.topology import Topology

logger = structlog.get_logger()


class Replicas:
    """Compares the replicas of the primaries with the number that is `awaited`."""

    def __init__(self, topology: Topology, awaited: int) -> None:
        self._topology = topology
        self._awaited = awaited
        self._trouble: str | None = None
        metrics.REPLICAS.labels("awaited").set(awaited)

    async def look(self) -> str | None:
        """Ask all primaries, and log changes. Returns what an operator should fix, if anything.
        Raises `RedisError` or `OSError`."""
        primaries = self._topology.primaries
        try:
            found = [_online(await info(each, "replication")) for each in primaries]
        except ResponseError:  # they do not tell; `preflight.inspect` reports that
            return None
        metrics.REPLICAS.labels("online").set(max(found))
        trouble = _trouble(min(found), max(found), self._awaited)
        if trouble != self._trouble:
            self._trouble = trouble
            if trouble:
                logger.warning("the store's replicas need attention", trouble=trouble)
            else:
                logger.info("the store's replicas are well again")
        return trouble


def _online(replication: dict[str, str]) -> int:
    """How many replicas follow a primary, read from its INFO."""
    return sum(
        "state=online" in text
        for name, text in replication.items()
        if name.startswith("slave") and name.removeprefix("slave").isdecimal()
    )


def _trouble(fewest: int, most: int, awaited: int) -> str | None:
    if most > awaited:
        return (
            f"only {awaited} of {most} replicas must confirm an action: a fail-over to another "
            f"replica may lose acknowledged actions. Serve with --replicas {most}"
        )
    if fewest < awaited:
        return (
            f"{awaited} replicas must confirm an action (--replicas), but a primary has only "
            f"{fewest}: nobody can act in its rooms. Bring the replicas back"
        )
    return None

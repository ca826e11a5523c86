"""Whether the nodes wait for all replicas: one that they do not wait for may be promoted, and lacks
what was acknowledged. This only tells the operator; it does not change what a write waits for."""

from __future__ import annotations

import structlog
from redis.exceptions import ResponseError

from pierule_server import metrics
from pierule_server.store.driver.preflight import info
from pierule_server.store.driver.topology import Topology

logger = structlog.get_logger()


class Replicas:
    """The replicas that the primaries of a store have, and how many are `awaited`."""

    def __init__(self, topology: Topology, awaited: int) -> None:
        self._topology = topology
        self._awaited = awaited
        self._trouble: str | None = None
        metrics.REPLICAS.labels("awaited").set(awaited)

    async def look(self) -> str | None:
        """Ask all primaries, and report changes. Returns what an operator should fix, if anything.
        Raises `RedisError` or `OSError`."""
        primaries = self._topology.primaries
        try:
            found = [_online(await info(each, "replication")) for each in primaries]
        except ResponseError:  # They do not tell, which is said elsewhere.
            return None
        metrics.REPLICAS.labels("online").set(max(found))
        trouble = _trouble(min(found), max(found), self._awaited)
        if trouble != self._trouble:
            self._trouble = trouble
            logger.warning("replicas", trouble=trouble) if trouble else logger.info(
                "replicas are well"
            )
        return trouble


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

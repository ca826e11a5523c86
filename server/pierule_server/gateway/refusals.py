"""Counts refused handshakes by reason, and logs them without filling the log.

It also warns if the settings seem to lack a proxy: all its clients seem to have one address.
"""

from __future__ import annotations

import asyncio
from collections import Counter

import structlog

from pierule_server import metrics

logger = structlog.get_logger()

PAUSE = 10.0
"""Seconds between two log messages about the same reason."""

MANY = 24
"""Connections of one address that suggest a proxy: more than a household has."""


class Refusals:
    """Counts the refusals of a node. `proxies`: whether the operator has named any proxies."""

    def __init__(self, *, proxies: bool = False) -> None:
        self._since: Counter[str] = Counter()
        self._hinted = proxies

    def count(self, reason: str, address: str | None) -> None:
        """Count one more. It logs the first immediately, and those that follow together."""
        metrics.HANDSHAKES_REFUSED.labels(reason).inc()
        if reason in self._since:
            self._since[reason] += 1
            return
        self._log(reason, 1, address)

    def _log(self, reason: str, number: int, address: str | None) -> None:
        logger.warning("handshakes refused", reason=reason, number=number, address=address)
        self._since[reason] = 0
        asyncio.get_running_loop().call_later(PAUSE, self._settle, reason, address)

    def _settle(self, reason: str, address: str | None) -> None:
        number = self._since.pop(reason)
        if number:
            self._log(reason, number, address)

    def crowded(self, address: str, connections: int) -> None:
        """An address now has this many connections. If they are many, warn once."""
        if not self._hinted and connections >= MANY:
            self._hinted = True
            logger.warning(
                "many connections come from one address; if it is a proxy's, name it in "
                "--trusted-proxies, or all its clients share the limits of one address",
                address=address,
                connections=connections,
            )

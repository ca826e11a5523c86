"""What leaves together: all that one turn of the event loop has for a peer becomes one write.

A write is a system call, and on most machines the dearest part of a small message. A mover's event
and answer, or the events of a busy room, are mostly there in the same turn: the event is sent where
it is read, but the answer by the task that this turn wakes. So a turn ends behind those.
"""

from __future__ import annotations

import asyncio
from typing import Protocol


class Departing(Protocol):
    """Who has something to send."""

    def flush(self) -> None:
        """Send it."""


class Departures:
    """Those who have something to send at the end of this turn. One for a node."""

    def __init__(self) -> None:
        self._waiting: list[Departing] = []

    def add(self, departing: Departing) -> None:
        """Have it flushed at the end of this turn."""
        if not self._waiting:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.flush)
        self._waiting.append(departing)

    def flush(self) -> None:
        """Have all of them flushed, at that moment or before."""
        waiting, self._waiting = self._waiting, []
        for departing in waiting:
            departing.flush()

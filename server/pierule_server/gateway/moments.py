"""Lets all connections wait (for example, for the answer to a ping) with one timer.

A timer of the event loop takes 400 bytes, and a task that sleeps takes 1.5 kB. Here, everything
that is due in the same twentieth of a second shares one dictionary.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, TypeVar

import structlog

logger = structlog.get_logger()

STEP = 0.05
"""A call may come this many seconds late, but never early."""

T = TypeVar("T")


class Moments:
    """Calls functions later, each about one object."""

    def __init__(self) -> None:
        self._due: dict[int, dict[Any, Callable[[Any], None]]] = {}
        self._order: list[int] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, seconds: float, work: Callable[[T], None], about: T) -> int:
        """Call `work(about)` this many seconds from now. Returns the moment, for `cancel`. An
        object can have only one call in a moment."""
        loop = asyncio.get_running_loop()
        moment = int((loop.time() + seconds) / STEP) + 1
        due = self._due.get(moment)
        if due is None:
            due = self._due[moment] = {}
            heappush(self._order, moment)
            if self._order[0] == moment:
                self._wait(loop)
        due[about] = work
        return moment

    def cancel(self, moment: int, about: object) -> None:
        """Cancel the call about this object in that moment, if it is still due."""
        due = self._due.get(moment)
        if due is not None:
            due.pop(about, None)

    def stop(self) -> None:
        """Call nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        self._due.clear()
        self._order.clear()

    def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(self._order[0] * STEP, self._run)

    def _run(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        while self._order and self._order[0] * STEP <= loop.time():
            for about, work in self._due.pop(heappop(self._order)).items():
                try:
                    work(about)
                except Exception:
                    # A bug in one call must not lose the others.
                    logger.exception("a timed call failed: please file a bug")
        if self._order:
            self._wait(loop)

"""What every connection waits for (an answer to a ping, say), with one timer for all.

A timer of the event loop takes 400 bytes, and a task that sleeps takes 1.5 kB. Here a moment is an
entry in a dictionary that all share who wait for the same twentieth of a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, TypeVar

import structlog

logger = structlog.get_logger()

STEP = 0.05
"""Seconds by which something may come later than it was asked for; never earlier."""

T = TypeVar("T")


class Moments:
    """Calls functions later, each about one object."""

    def __init__(self) -> None:
        self._due: dict[int, dict[Any, Callable[[Any], None]]] = {}
        self._order: list[int] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, seconds: float, work: Callable[[T], None], about: T) -> int:
        """Call this so many seconds from now. Gives the moment, for `cancel`; an object can have
        one call in a moment."""
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
        """Do not call what was to be called about this object in that moment, if it was not yet."""
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
                    # A fault of ours about one of them is no reason to forget the others.
                    logger.exception("what was due has failed")
        if self._order:
            self._wait(loop)

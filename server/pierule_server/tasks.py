"""Work in the background of something, which ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from pierule_server import metrics

logger = structlog.get_logger()

PAUSE = 1.0
"""Seconds after a fault of ours in which the work rests: it may be there every time."""


class Tasks:
    """The tasks of one owner. They are kept here, because the event loop does not keep them."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]:
        """Have it done, until it ends or all are stopped. A fault of ours that ends it is logged
        and counted."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._end)
        return task

    def keep(self, work: Callable[[], Awaitable[None]], name: str) -> asyncio.Task[None]:
        """Have it done until all are stopped, as `kept`."""
        return self.begin(kept(work, name), name)

    async def stop(self) -> None:
        """End all of them."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (fault := task.exception()):
            _tell(task.get_name(), fault)


async def kept(work: Callable[[], Awaitable[None]], name: str) -> None:
    """Do what has no end of its own, and begin it anew when a fault of ours has ended it: a node
    that goes on without it looks healthy, and is not."""
    while True:
        try:
            return await work()
        except Exception as fault:  # noqa: BLE001
            _tell(name, fault)
        await asyncio.sleep(PAUSE)


def _tell(name: str, fault: BaseException) -> None:
    metrics.BACKGROUND_FAULTS.inc()
    logger.error("work in the background failed", work=name, exc_info=fault)

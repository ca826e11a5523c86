"""Background work that belongs to an owner and ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from pierule_server import metrics

logger = structlog.get_logger()

PAUSE = 1.0
"""Seconds before work is tried again after a bug ended it: the bug may end it every time."""


class Tasks:
    """The tasks of one owner. It holds on to them, because the event loop does not."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]:
        """Run `work` as a task until it ends or all are stopped. If a bug ends it, that is logged
        and counted."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._end)
        return task

    def keep(self, work: Callable[[], Awaitable[None]], name: str) -> asyncio.Task[None]:
        """Run `work` as `kept` does, until all are stopped."""
        return self.begin(kept(work, name), name)

    async def stop(self) -> None:
        """Cancel all tasks, and wait for their ends."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (fault := task.exception()):
            _tell(task.get_name(), fault)


async def kept(work: Callable[[], Awaitable[None]], name: str) -> None:
    """Run work that must not end, and start it again if a bug ends it. Without it, a node would
    look healthy but would not be."""
    while True:
        try:
            return await work()
        except Exception as fault:  # noqa: BLE001
            _tell(name, fault)
        await asyncio.sleep(PAUSE)


def _tell(name: str, fault: BaseException) -> None:
    metrics.BACKGROUND_FAULTS.inc()
    logger.error("work in the background failed: please file a bug", work=name, exc_info=fault)

"""Mends `asyncio.timeout` in Python 3.11.0 to 3.11.2, which Debian 12 has (CPython issue 102780).

There, a timeout in a task that was cancelled before, as when it cleans up, ends with CancelledError
instead of TimeoutError. What should have been tried again then ended for good: a node did not find
its store again after a fail-over. The libraries that we stand on have such timeouts, too, so this
replaces asyncio's own, in the way of Python 3.11.3.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

_enter = asyncio.Timeout.__aenter__
_leave = asyncio.Timeout.__aexit__


async def _count(self: asyncio.Timeout) -> asyncio.Timeout:
    """Begin, and keep how often the task had been cancelled."""
    self._cancelled_before = _cancelled()  # type: ignore[attr-defined]
    return await _enter(self)


async def _end(
    self: asyncio.Timeout,
    kind: type[BaseException] | None,
    error: BaseException | None,
    trace: TracebackType | None,
) -> None:
    """End. If nobody has cancelled the task meanwhile but the timeout, its time was over."""
    is_over = self.expired()
    await _leave(self, kind, error, trace)
    before: int = self._cancelled_before  # type: ignore[attr-defined]
    if is_over and kind is asyncio.CancelledError and _cancelled() <= before:
        raise TimeoutError from error


def _cancelled() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def mend() -> None:
    """Replace how timeouts begin and end."""
    asyncio.Timeout.__aenter__ = _count  # type: ignore[method-assign]
    asyncio.Timeout.__aexit__ = _end  # type: ignore[method-assign, assignment]

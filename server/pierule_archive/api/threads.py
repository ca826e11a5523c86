"""Threads for blocking work, with a bound on how much waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pierule_archive.api.problems import away

T = TypeVar("T")


class Threads:
    """A number of threads, for at most `most` pieces of work that run or wait. `what` names the
    work in refusals."""

    def __init__(self, threads: int, most: int, what: str) -> None:
        self._pool = ThreadPoolExecutor(threads, what)
        self._most, self._what = most, what
        self._here = 0

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run work in a thread, and return its result. Raises Failure if too much waits."""
        if self._here >= self._most:
            raise away(f"too many {self._what} are waiting; try again later")
        self._here += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        finally:
            self._here -= 1

    def close(self) -> None:
        """Start no more work."""
        self._pool.shutdown(cancel_futures=True)

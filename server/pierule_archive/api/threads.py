"""Threads for what blocks, with a bound on what waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pierule_archive.api.problems import away

T = TypeVar("T")


class Threads:
    """So many threads, and at most so many pieces of work that are under way or wait; `what` they
    are is for those who are refused."""

    def __init__(self, threads: int, most: int, what: str) -> None:
        self._pool = ThreadPoolExecutor(threads, what)
        self._most, self._what = most, what
        self._here = 0

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do it in a thread. Raises Failure if too much waits already."""
        if self._here >= self._most:
            raise away(f"too many {self._what} are waiting")
        self._here += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        finally:
            self._here -= 1

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(cancel_futures=True)

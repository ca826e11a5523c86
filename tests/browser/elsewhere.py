"""A user of a client of the protocol who is there while a browser shows what they do: where nobody
looks at their screen, they need no window."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import pierule

T = TypeVar("T")
BOUND_S = 60.0
"""Bound for all that they do."""


class Elsewhere:
    """Their client, and its loop, which runs in a thread of its own."""

    def __init__(self, url: str, who: dict[str, Any]) -> None:
        self.client: pierule.Client
        self.arrived: Future[None] = Future()
        self._url, self._who = url, who
        self._loop: asyncio.AbstractEventLoop
        self._leaves = asyncio.Event()

    async def stay(self) -> None:
        """Connect, and stay until somebody lets them leave."""
        self._loop = asyncio.get_running_loop()
        async with pierule.connect(self._url, **self._who) as self.client:
            self.arrived.set_result(None)
            await self._leaves.wait()

    def leave(self) -> None:
        self._loop.call_soon_threadsafe(self._leaves.set)

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin what may have to wait for the browser."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something, and wait until it is done."""
        return self.begin(work).result(BOUND_S)


@contextmanager
def elsewhere(url: str, **who: Any) -> Iterator[Elsewhere]:
    """Somebody at the server of this URL; `who` is what `pierule.connect` takes."""
    somebody = Elsewhere(url, who)
    with ThreadPoolExecutor(1) as thread:  # Playwright's own loop runs in this one
        staying = thread.submit(asyncio.run, somebody.stay())
        wait([somebody.arrived, staying], return_when=FIRST_COMPLETED)
        if staying.done():
            staying.result()
        try:
            yield somebody
        finally:
            somebody.leave()
            staying.result(BOUND_S)

"""Thinking in separate processes, while pings, clocks and other games go on."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from random import Random
from threading import Thread

from pierule_bots.player import Level, choose, restored
from pierule_search.search import Budget

NICENESS = 10
"""The niceness of these processes: those that serve players on the same machine come first."""


class Thinker:
    """Processes that choose actions. Call `close` when you are done."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._waiting = 0
        self._pool = self._start()

    async def choose(
        self, position: str, rules: int, level: Level, seed: int, seconds: float
    ) -> str:
        """A legal action in the position with this text, by this version of the rules, after at
        most `seconds`. If more games wait than there are processes, each gets less time."""
        self._waiting += 1
        share = min(1.0, self._processes / self._waiting)
        task = (position, rules, level, seed, seconds * share)
        pool = self._pool
        try:
            return await asyncio.wrap_future(pool.submit(_choose, *task))
        except BrokenProcessPool:  # somebody has killed one of the processes
            if pool is self._pool:
                self._pool = self._start()
            return await asyncio.wrap_future(self._pool.submit(_choose, *task))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the processes when they have finished what they are doing."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        # Not a fork: this process has threads and an event loop.
        return ProcessPoolExecutor(self._processes, get_context("spawn"), _prepare)


def _prepare() -> None:
    """Prepare a process that thinks: it runs at low priority, leaves Ctrl-C to its parent, and ends
    with its parent."""
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)  # without the parent, nobody waits for an answer


def _choose(text: str, rules: int, level: Level, seed: int, seconds: float) -> str:
    position = restored(text, rules)
    return choose(position, level, Random(seed), Budget(seconds, time.monotonic))  # noqa: S311 - no secret

"""Begins what clients ask for in turns, so no address fills a turn of the event loop (law 10).

The loop does everything that is ready before it looks at its sockets again. If sixty clients of an
address connect or ask at the same moment, an action that comes next would wait for all of them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable

import structlog

logger = structlog.get_logger()

AT_ONCE = 8
"""Pieces of work that an address may begin in one turn of the event loop: some 4 ms. With
four, a storm of reconnects cost more, because fewer calls reached the store together."""


class FairQueue:
    """Begins pieces of work: `AT_ONCE` for each address in each turn of the event loop. Those of an
    address begin in the order in which they came, and addresses do not wait for each other."""

    def __init__(self) -> None:
        self._begun: Counter[str] = Counter()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}

    def add(self, address: str, begin: Callable[[], None]) -> bool:
        """Call `begin` now, or in one of the next turns if the address has begun enough in this
        one. Returns whether it was called."""
        if self._begun[address] >= AT_ONCE:
            self._waiting.setdefault(address, deque()).append(begin)
            return False
        self._count(address)
        begin()
        return True

    def _count(self, address: str) -> None:
        if not self._begun:
            asyncio.get_running_loop().call_soon(self._next_turn)
        self._begun[address] += 1

    def _next_turn(self) -> None:
        self._begun.clear()
        for address, waiting in list(self._waiting.items()):
            for _ in range(min(AT_ONCE, len(waiting))):
                self._count(address)
                try:
                    waiting.popleft()()
                except Exception:
                    # A bug in one piece of work must not lose the others.
                    logger.exception("a client's work did not begin: please file a bug")
            if not waiting:
                del self._waiting[address]

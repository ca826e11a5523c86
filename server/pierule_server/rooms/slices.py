"""Long work in slices, so that the loop serves everybody else in between (law 10).

What works for long (positions of a line, the fold of a long log, a list of legal actions) is
written as a generator that yields after every bit. All that waits gets one slice at a time, and
after each slice the loop rests from such work for as long. The addresses that wait take turns, and
at each address its users, so that nobody waits behind all that somebody else has asked.

With 60 clients who replay without end, on a busy machine, a round trip of somebody else took 1.3 ms
(median) and 37 ms (p99); with a thread instead, which takes the interpreter from the loop for 5 ms
at a time, 5 to 10 ms and 84 to 155 ms; without either, seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextvars import ContextVar
from typing import TypeVar
from weakref import WeakValueDictionary

from pierule_protocol import world

T = TypeVar("T")

SLICE = 0.001
"""Seconds that others wait at most, and a bit."""

ASKER: ContextVar[tuple[str, str]] = ContextVar("asker", default=("", ""))
"""For which address and user the current task works; a task that it begins works for the same."""


class Slices:
    """Works on what it is given, each in its turn."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._turns: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    def _among(self, *whose: str) -> asyncio.Lock:
        """The lock of an address, or of a user there. Whoever has it waits for the next one, so
        that of each address, and there of each user, one work at a time competes with others."""
        return self._turns.setdefault(whose, asyncio.Lock())

    async def work(self, steps: Generator[None, None, T]) -> T:
        """What the generator returns in the end."""
        address, user = ASKER.get()
        while True:
            # The rest is taken with the turn in hand: else all who wait would follow at once.
            async with self._among(address, user), self._among(address), self._turn:
                end = world.monotonic() + SLICE
                try:
                    next(steps)
                    while world.monotonic() < end:
                        next(steps)
                except StopIteration as done:
                    await asyncio.sleep(0)
                    result: T = done.value
                    return result
                await asyncio.sleep(SLICE)

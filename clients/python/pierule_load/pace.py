"""When the next action is due: an even rate over all tables, whoever is free."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pierule_load.plan import Plan
from pierule_load.tally import Tally

BEHIND = 1.0
"""Seconds by which actions may be late; what is later is missed."""


class Stopped(Exception):
    """The time is up, or somebody wants the run to end."""


class Pace:
    """Deals out the moments at which somebody acts."""

    def __init__(self, plan: Plan, tally: Tally) -> None:
        self._plan, self._tally = plan, tally
        self._begin = asyncio.Event()
        self._over = asyncio.Event()
        self._began = self._next = 0.0

    @property
    def passed(self) -> float:
        """Seconds since the games may go on."""
        return asyncio.get_running_loop().time() - self._began if self._begin.is_set() else 0.0

    @property
    def over(self) -> bool:
        """Whether nobody acts any more."""
        return self._over.is_set()

    def begin(self) -> None:
        """The tables are laid: time runs from now on."""
        self._began = self._next = asyncio.get_running_loop().time()
        self._begin.set()

    def stop(self) -> None:
        """Let nobody act any more."""
        self._over.set()
        self._begin.set()

    async def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end. Raises Stopped."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over.wait()
        if self.over:
            raise Stopped

    async def turn(self) -> None:
        """Wait until it is this caller's turn to act. Raises Stopped."""
        await self._begin.wait()
        if self.over:
            raise Stopped
        rate = self._plan.rate_at(self.passed)
        if rate is None:
            return
        now = asyncio.get_running_loop().time()
        if (late := now - self._next) > BEHIND:
            self._tally.missed += round(late * rate)
            self._next = now
        due, self._next = self._next, self._next + 1 / rate
        if due > now:
            await self.pause(due - now)

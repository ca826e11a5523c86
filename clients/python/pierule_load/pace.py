"""When the next action is due: an even rate over all tables."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pierule_load.plan import Plan
from pierule_load.tally import Tally

BEHIND = 1.0
"""How many seconds late an action may be. Later actions count as missed."""


class Stopped(Exception):
    """The time is up, or somebody wants the run to end."""


class Pace:
    """Tells tables when they may act."""

    def __init__(self, plan: Plan, tally: Tally) -> None:
        self._plan, self._tally = plan, tally
        self._begin = asyncio.Event()
        self._over = asyncio.Event()
        self._began = self._next = 0.0

    @property
    def passed(self) -> float:
        """Seconds since the games began."""
        return asyncio.get_running_loop().time() - self._began if self._begin.is_set() else 0.0

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self._over.is_set()

    def begin(self) -> None:
        """The tables are ready: the time starts now."""
        self._began = self._next = asyncio.get_running_loop().time()
        self._begin.set()

    def stop(self) -> None:
        """End the time: nobody acts any more."""
        self._over.set()
        self._begin.set()

    async def pause(self, seconds: float) -> None:
        """Wait this long. Raises Stopped if the time ends before."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over.wait()
        if self.over:
            raise Stopped

    async def turn(self) -> None:
        """Wait until this caller may act. Raises Stopped."""
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

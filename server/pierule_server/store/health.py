"""Whether the store can be reached, and the one task for each primary that tries while it cannot.

Requests ask `Health.check` and fail at once, instead of each waiting for what does not answer.
What is sent, and what becomes of a request that failed, are not matters of this file.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
"""Seconds between two tries to reach a primary that is away: the first and the longest."""

SETTLE = 0.5
"""Seconds that a primary must be away before clients hear of it. A return is told at once."""


class Health:
    """Whether one primary answers. `probe` asks it, and raises if it does not."""

    def __init__(self, name: str, probe: Callable[[], Awaitable[None]]) -> None:
        self.away = False
        self.changed: Callable[[], None] = lambda: None
        """Called when `away` has changed, and after every try in vain."""
        self._name = name
        self._probe = probe
        self._here = asyncio.Event()
        self._here.set()
        self._probing: asyncio.Task[None] | None = None
        self._closed = False

    def check(self) -> None:
        """Raise redis-py's ConnectionError if the primary is away."""
        if self._closed:
            raise StoreConnectionError(f"{self._name} is a primary no more")
        if self.away:
            raise StoreConnectionError(f"{self._name} is away")

    async def here(self) -> None:
        """Wait until the primary is not away."""
        await self._here.wait()

    def suspect(self, *, hangs: bool = False) -> None:
        """Something has failed: find out whether it was more than one connection. A primary that
        `hangs` is away until it has answered, so that nobody else waits for it."""
        if self._closed:
            return
        if hangs:
            self._set(away=True)
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._try(), name=f"probe of store {self._name}")

    async def close(self) -> None:
        """Try no longer; from now on every `check` fails."""
        self._closed = True
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.gather(self._probing, return_exceptions=True)

    async def _try(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._probe()
            except (RedisError, OSError):
                self._set(away=True)
                self.changed()
            else:
                self._set(away=False)
                return
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - jitter
            pause = min(2 * pause, LONGEST_PAUSE)

    def _set(self, *, away: bool) -> None:
        if away is self.away:
            return
        self.away = away
        if away:
            self._here.clear()
        else:
            self._here.set()
        self.changed()


class Standing:
    """Tells whether all of the store can be reached: not of every hiccup, but of every return."""

    def __init__(self, away: Callable[[], bool], tell: Callable[[bool], None]) -> None:
        self._away = away
        self._tell = tell
        self._told = False
        self._timer: asyncio.TimerHandle | None = None

    def look(self) -> None:
        """Something may have changed."""
        away = self._away()
        if not away or self._told:
            self.close()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SETTLE, self._settle)
        if self._told and not away:
            self._told = False
            self._tell(True)

    def close(self) -> None:
        """Say nothing that was not said yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _settle(self) -> None:
        self._timer = None
        if self._away():
            self._told = True
            self._tell(False)

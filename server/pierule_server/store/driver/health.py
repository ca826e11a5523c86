"""Whether the store serves, and the one task per primary that tries while it does not answer.

Requests ask `Health.check` and fail at once, instead of each waiting for a silent primary. What is
sent, and what happens to a failed request, are not matters of this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError

from pierule_protocol import world
from pierule_server.store.driver.errors import AWAY, Trouble, trouble_of

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
"""Seconds between two tries to reach a primary that is away: the first and the longest."""

SETTLE = 0.5
"""Seconds that a primary must be away before clients are told. A return is told at once."""


class Health:
    """Whether one primary answers and takes writes. `probe` asks whether it answers, and raises if
    it does not."""

    def __init__(self, name: str, probe: Callable[[], Awaitable[None]]) -> None:
        self.away = False
        self.changed: Callable[[], None] = lambda: None
        """Called when `trouble` has changed, and after every try in vain."""
        self._reason = Trouble(AWAY, "not tried yet")
        self._refusal: Trouble | None = None
        self._name = name
        self._probe = probe
        self._here = asyncio.Event()
        self._here.set()
        self._probing: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the primary, if anything."""
        return self._reason if self.away else self._refusal

    def wrote(self, refusal: Trouble | None) -> None:
        """A write that this primary gets all the time succeeded, or was refused with this error."""
        before, self._refusal = self._refusal, refusal
        if (before and before.kind) != (refusal and refusal.kind):
            self.changed()

    def check(self) -> None:
        """Raise redis-py's ConnectionError if the primary is away."""
        if self._closed:
            raise StoreConnectionError(f"{self._name} is a primary no more")
        if self.away:
            raise StoreConnectionError(f"{self._name} {self._reason}")

    async def here(self) -> None:
        """Wait until the primary is not away."""
        await self._here.wait()

    def suspect(self, *, hangs: bool = False) -> None:
        """Something has failed: find out whether it was more than one connection. A primary that
        `hangs` counts as away until it has answered, so that nobody else waits for it."""
        if self._closed:
            return
        if hangs:
            self._reason = Trouble(AWAY, "no answer in time")
            self._set(away=True)
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._try(), name=f"probe of store {self._name}")

    async def close(self) -> None:
        """Stop trying; from now on every `check` fails."""
        self._closed = True
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.gather(self._probing, return_exceptions=True)

    async def _try(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._probe()
            except (RedisError, OSError) as error:
                self._reason = trouble_of(error)
                self._set(away=True)
                self.changed()
            else:
                self._set(away=False)
                return
            await asyncio.sleep(pause * world.random().uniform(0.5, 1))
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
    """Reports whether all of the store serves: not every hiccup, but every return. `trouble` says
    what is wrong, None for nothing; `tell` gets whether all is well, and the trouble."""

    def __init__(
        self, trouble: Callable[[], str | None], tell: Callable[[bool, str | None], None]
    ) -> None:
        self._trouble = trouble
        self.tell = tell
        self._told = False
        self._timer: asyncio.TimerHandle | None = None

    def look(self) -> None:
        """Something may have changed."""
        trouble = self._trouble()
        if not trouble or self._told:
            self.close()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SETTLE, self._settle)
        if self._told and not trouble:
            self._told = False
            self.tell(True, None)

    def close(self) -> None:
        """Report nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _settle(self) -> None:
        self._timer = None
        trouble = self._trouble()
        if trouble:
            self._told = True
            self.tell(False, trouble)

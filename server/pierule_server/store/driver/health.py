"""Knows whether the store serves. While a primary does not answer, one task probes it.

Requests call `Health.check`, so they fail immediately instead of waiting for a silent primary. This
module neither sends requests nor decides what happens to failed ones.
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
"""Seconds between two probes of a primary that is away: the first pause and the longest."""

SETTLE = 0.5
"""Seconds that a primary must be away before clients are told. They are told immediately when it is
back."""


class Health:
    """Whether one primary answers and takes writes. `probe` raises if the primary does not
    answer."""

    def __init__(self, name: str, probe: Callable[[], Awaitable[None]]) -> None:
        self.away = False
        self.changed: Callable[[], None] = lambda: None
        """Called when `trouble` has changed, and after every failed probe."""
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
        """Note the outcome of a regular write at this primary: None for success, or the error."""
        before, self._refusal = self._refusal, refusal
        if (before and before.kind) != (refusal and refusal.kind):
            self.changed()

    def check(self) -> None:
        """Raise redis-py's ConnectionError if the primary is away."""
        if self._closed:
            raise StoreConnectionError(f"{self._name} is no longer a primary")
        if self.away:
            raise StoreConnectionError(f"{self._name} {self._reason}")

    async def here(self) -> None:
        """Wait until the primary answers."""
        await self._here.wait()

    def suspect(self, *, hangs: bool = False) -> None:
        """A request has failed: find out whether the primary is away or only one connection broke.
        If it `hangs`, it counts as away until it answers, so nobody else waits for it."""
        if self._closed:
            return
        if hangs:
            self._reason = Trouble(AWAY, "no answer in time")
            self._set(away=True)
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._try(), name=f"probe of store {self._name}")

    async def close(self) -> None:
        """Stop probing. From now on every `check` fails."""
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
    """Reports whether all of the store serves. It reports only trouble that lasts for `SETTLE`, and
    then the return. `trouble()` says what is wrong (None: nothing). `tell(well, trouble)` gets the
    reports."""

    def __init__(
        self, trouble: Callable[[], str | None], tell: Callable[[bool, str | None], None]
    ) -> None:
        self._trouble = trouble
        self.tell = tell
        self._told = False
        self._timer: asyncio.TimerHandle | None = None

    def look(self) -> None:
        """Look whether something has changed."""
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

"""The server's time, from the fastest pings (SPEC 9.7).

`ServerClock` is pure: all times are arguments. `Timekeeper` asks the server, but only when somebody
needs the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from pierule.errors import PieruleError
from pierule_protocol import world

ROUND = 5
"""How many pings a round has. The fastest counts."""
GAP = 0.2
"""Seconds between the pings of a round."""
REST = 60.0
"""Seconds until the next round."""

DRIFT = 1e-4
"""How many seconds two clocks may drift apart in a second: the worst of ordinary quartz."""


class ServerClock:
    """How far the server's clock is ahead of ours, by the best ping so far. All times are in ms.

    The error of a ping is at most half its round trip, and grows with its age.
    """

    def __init__(self) -> None:
        self._offset: float | None = None
        self._error = 0.0
        self._taken = 0.0

    @property
    def known(self) -> bool:
        """Whether a ping was measured yet."""
        return self._offset is not None

    def measured(self, sent: float, received: float, server: int) -> None:
        """Take a ping into account: when we sent it, when its answer came, and the server's
        time."""
        offset, error = server - (sent + received) / 2, (received - sent) / 2
        if self._offset is not None:
            kept = self._error + max(0.0, received - self._taken) * DRIFT
            # If the two contradict, the new one counts: a clock was set, or this machine slept.
            if error > kept and abs(offset - self._offset) <= error + kept:
                return
        self._offset, self._error, self._taken = offset, error, received

    def restart(self) -> None:
        """Accept the next ping in any case, because another server may answer it."""
        self._taken = float("-inf")

    def time(self, now: float) -> float:
        """The server's time at our time `now`. Call it only when `known`."""
        assert self._offset is not None
        return now + self._offset


class Timekeeper:
    """Keeps the server's time. `ask` sends a ping and returns the time in its answer."""

    def __init__(self, ask: Callable[[], Awaitable[int | None]]) -> None:
        self._ask = ask
        self._clock = ServerClock()
        self._task: asyncio.Task[None] | None = None

    def now(self) -> int:
        """The store's time in milliseconds since 1970; before the first ping, this computer's."""
        return round(self._clock.time(_now()) if self._clock.known else world.wall() * 1000)

    async def measure(self) -> float:
        """Ping once, and return the round trip in milliseconds. Raises like a request."""
        sent = _now()
        server = await self._ask()
        received = _now()
        if server is not None:
            self._clock.measured(sent, received, server)
        return received - sent

    async def start(self) -> None:
        """Measure now, unless the time is known, and then again from time to time."""
        if not self._clock.known:
            await self.measure()
        if self._task is None:
            self._begin()

    def restart(self) -> None:
        """There is a new connection: measure again now, if anybody needs the time."""
        self._clock.restart()
        if self._task is not None:
            self._task.cancel()
            self._begin()

    async def stop(self) -> None:
        """Stop measuring."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._keep(), name="pierule-timekeeper")

    async def _keep(self) -> None:
        while True:
            for _ in range(ROUND):
                with suppress(PieruleError):  # without a connection there is nothing to measure
                    await self.measure()
                await asyncio.sleep(GAP)
            await asyncio.sleep(REST)


def _now() -> float:
    """Milliseconds of a clock that never jumps."""
    return world.monotonic() * 1000

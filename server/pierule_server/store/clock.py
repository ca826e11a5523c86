"""The store's time, computed from the store's answers and this machine's monotonic clock."""

from __future__ import annotations

from pierule_protocol import world

DRIFT = 1_000
"""In this many milliseconds, our clock and the store's may drift apart by one."""


class StoreClock:
    """Follows the store's clock. All times are in milliseconds. Until the store has told its time,
    it uses this machine's."""

    def __init__(self) -> None:
        self._offset = round(world.wall() * 1_000) - self.local()
        self._doubt = 10**12
        self._heard = self.local()

    def now(self) -> int:
        """The store's time in ms since 1970. A jump of this machine's clock does not move it."""
        return self.local() + self._offset

    def local(self) -> int:
        """Our monotonic time. Read it before and after you ask the store, for `hear`."""
        return int(world.monotonic() * 1_000)

    def hear(self, now: int, began: int, ended: int) -> None:
        """The store's time was `now` between our times `began` and `ended`. A slower answer than
        the one before is less certain, so it is ignored, unless that one is so old that the clocks
        may have drifted."""
        doubt = (ended - began) // 2
        if doubt <= self._doubt + (ended - self._heard) // DRIFT:
            self._offset, self._doubt, self._heard = now - (began + ended) // 2, doubt, ended

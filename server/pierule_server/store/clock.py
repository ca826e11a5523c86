"""The store's time, as this node knows it: from the store's answers, and a clock that nobody
sets."""

from __future__ import annotations

from pierule_protocol import world

DRIFT = 1_000
"""In this many milliseconds, our clock and the store's may diverge by one."""


class StoreClock:
    """All times are milliseconds. Until the store has given its time it is this machine's."""

    def __init__(self) -> None:
        self._offset = round(world.wall() * 1_000) - self.local()
        self._doubt = 10**12
        self._heard = self.local()

    def now(self) -> int:
        """The store's time. A jump of this machine's clock does not move it."""
        return self.local() + self._offset

    def local(self) -> int:
        """Our time: ask for it before and after asking the store."""
        return int(world.monotonic() * 1_000)

    def hear(self, now: int, began: int, ended: int) -> None:
        """The store's time was `now` somewhere between these two times of ours. A slow answer is
        less certain than what is known, unless that is so old that the clocks may have drifted."""
        doubt = (ended - began) // 2
        if doubt <= self._doubt + (ended - self._heard) // DRIFT:
            self._offset, self._doubt, self._heard = now - (began + ended) // 2, doubt, ended

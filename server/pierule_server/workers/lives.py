"""When a worker that has ended is started again. Pure."""

from __future__ import annotations

from dataclasses import dataclass

SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
"""Seconds before it is started again; they double while it keeps ending."""

STEADY = 30.0
"""A worker that has served for so many seconds has started well."""


@dataclass(slots=True)
class Lives:
    """The lives of one worker. It is given up after `most` that ended soon, one after the other."""

    most: int
    vain: int = 0

    def ended(self, seconds: float) -> float | None:
        """A life has ended after this time: seconds until the next, None if there is none."""
        self.vain = 1 if seconds >= STEADY else self.vain + 1
        if self.vain > self.most:
            return None
        return min(LONGEST_PAUSE, SHORTEST_PAUSE * float(1 << (self.vain - 1)))

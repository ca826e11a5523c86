"""Decides when an ended worker is started again. Pure."""

from __future__ import annotations

from dataclasses import dataclass

SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
"""Seconds before an ended worker is started again. They double while it keeps ending."""

STEADY = 30.0
"""A worker that has run for this many seconds counts as well started."""


@dataclass(slots=True)
class Lives:
    """Counts the short lives of one worker. After more than `most` in a row, the worker is given
    up."""

    most: int
    vain: int = 0

    def ended(self, seconds: float) -> float | None:
        """The worker ended after this many seconds. Returns the seconds until the next start; None
        if there is no next start."""
        self.vain = 1 if seconds >= STEADY else self.vain + 1
        if self.vain > self.most:
            return None
        return min(LONGEST_PAUSE, SHORTEST_PAUSE * float(1 << (self.vain - 1)))

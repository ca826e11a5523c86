"""Worlds under the control of a test: see `pierule_protocol.world`."""

from __future__ import annotations

from pierule_protocol.world import Machine


class Standing(Machine):
    """A machine whose clocks stand where the test sets them."""

    def __init__(self, wall: float = 1_800_000_000.0, monotonic: float = 1_000.0) -> None:
        super().__init__()
        self.now_wall, self.now = wall, monotonic

    def wall(self) -> float:
        return self.now_wall

    def monotonic(self) -> float:
        return self.now

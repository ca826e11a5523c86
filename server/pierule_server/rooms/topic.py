"""What listens to channels other than rooms: see `Hub.topics`."""

from __future__ import annotations

from typing import Protocol


class Topic(Protocol):
    """Listens to a channel other than a room's. Must not block."""

    def note(self, text: str) -> None:
        """Something was published there."""

    def gap(self) -> None:
        """Messages there may have been lost."""

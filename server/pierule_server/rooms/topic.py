"""What hears of things that are published under names that are no rooms': see `Hub.topics`."""

from __future__ import annotations

from typing import Protocol


class Topic(Protocol):
    """Hears what is published under a name that is no room's. Must not block."""

    def note(self, text: str) -> None:
        """Something was said there."""

    def gap(self) -> None:
        """Something may have been missed."""

"""The progress of a long run, on standard error if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

from pierule_protocol import world

SECONDS = 0.5
"""Seconds between two reports."""

T = TypeVar("T")


class Progress:
    """Counts items, and from time to time shows how many, of how many, and how fast."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._tells = self._stream.isatty()
        self._began = self._told = world.monotonic()
        self._expected = 0
        self.count = 0

    def expect(self, total: int) -> None:
        """Set how many items there will be."""
        self._expected = total

    def counting(self, several: Iterable[T]) -> Iterator[T]:
        """The same items, counted as they pass."""
        for each in several:
            yield each
            self.count += 1
            if self._tells and world.monotonic() - self._told >= SECONDS:
                self._tell()

    def end(self) -> None:
        """Finish the line."""
        if self._tells and self._told > self._began:
            self._tell()
            self._stream.write("\n")

    def _tell(self) -> None:
        self._told = world.monotonic()
        of = f" of {self._expected:,}" if self._expected >= self.count > 0 else ""
        rate = self.count / max(self._told - self._began, 0.001)
        self._stream.write(f"\r{self._what}: {self.count:,}{of}, {rate:,.0f}/s\x1b[K")
        self._stream.flush()

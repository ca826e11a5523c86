"""How far a long run is, for people: on a terminal's standard error, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

from pierule_protocol import world

SECONDS = 0.5
"""Between two reports."""

T = TypeVar("T")


class Progress:
    """Counts what is done and tells it now and then: how many, of how many, and how fast."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._tells = self._stream.isatty()
        self._began = self._told = world.monotonic()
        self._expected = 0
        self.count = 0

    def expect(self, total: int) -> None:
        """Say how many there will be."""
        self._expected = total

    def counting(self, several: Iterable[T]) -> Iterator[T]:
        """The same things, counted as they pass."""
        for each in several:
            yield each
            self.count += 1
            if self._tells and world.monotonic() - self._told >= SECONDS:
                self._tell()

    def end(self) -> None:
        """Leave the line to others."""
        if self._tells and self._told > self._began:
            self._tell()
            self._stream.write("\n")

    def _tell(self) -> None:
        self._told = world.monotonic()
        of = f" of {self._expected:,}" if self._expected >= self.count > 0 else ""
        rate = self.count / max(self._told - self._began, 0.001)
        self._stream.write(f"\r{self._what}: {self.count:,}{of}, {rate:,.0f}/s\x1b[K")
        self._stream.flush()

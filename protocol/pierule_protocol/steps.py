"""Work that is written as a generator and yields after every bit, so that a server can do it in
slices while others wait."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def at_once(steps: Generator[None, None, T]) -> T:
    """The result, without letting anybody else in: for short work, and outside of a loop."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result

"""Long work as a generator that yields after every small step. A server can do it in slices and
serve others in between."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def at_once(steps: Generator[None, None, T]) -> T:
    """Do all steps without a break and return the result: for short work, or without an event
    loop."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result

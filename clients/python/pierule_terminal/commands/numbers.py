"""Numbers among the arguments of commands. If one is wrong, argparse itself would only name the
function that reads it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable


def whole(least: int, most: int) -> Callable[[str], int]:
    """How to read a whole number within these bounds."""
    bounds = f"from {least} to {most}" if least else f"up to {most}"

    def read(text: str) -> int:
        if text.isdecimal() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text} is not a number {bounds}")

    return read


def real(text: str) -> float:
    """A number; NaN, which is within no bounds, if the text is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan

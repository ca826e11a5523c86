"""Decimal arithmetic that gives the same digits everywhere.

Use only operations that the General Decimal Arithmetic Specification rounds correctly: `+ - * /`,
square root, `exp` and `ln`. Powers with fractions are not among them.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow

DIGITS = 40
"""Significant digits of every step."""

PLACES = 6
"""Digits after the point of ratings and deviations."""

CONTEXT = Context(
    prec=DIGITS, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, capitals=1, clamp=0,
    flags=[], traps=[InvalidOperation, DivisionByZero, Overflow],
)  # fmt: skip

PI = Decimal("3.141592653589793238462643383279502884197")
"""To `DIGITS` significant digits."""

UNIT = Decimal(10) ** PLACES


def kept(value: Decimal) -> Decimal:
    """The value rounded to `PLACES` digits after the point, half to even."""
    return value.quantize(Decimal(1).scaleb(-PLACES), context=CONTEXT)


def to_units(value: Decimal) -> int:
    """A value of `kept` as a whole number of millionths, for databases."""
    return int(value * UNIT)


def from_units(units: int) -> Decimal:
    """The value that `to_units` turned into this number."""
    return kept(Decimal(units) / UNIT)

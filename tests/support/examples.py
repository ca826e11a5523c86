"""How many examples a property is tried with.

`make check` tries a few, each time others. `make units EXAMPLES=thorough`, which the hosted
workflow runs every night, tries all that a property is worth.
"""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""Of a property that asks for no number, when tests are thorough."""
FEW = 5

QUICK = settings(deadline=None, print_blob=True, max_examples=25)
"""A machine that others use as well must not fail an example for its time."""
THOROUGH = settings(QUICK, max_examples=USUAL)


def up_to(most: int) -> int:
    """Of a property that asks for `most` examples: in a quick run its share of them."""
    assert settings.default is not None
    return min(most, max(FEW, most * settings.default.max_examples // USUAL))

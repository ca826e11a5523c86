"""How many examples a property gets, and how much a crowd plays.

`make check` and `make slow` try a few, different ones each time. `make units slow
EXAMPLES=thorough`, which the hosted workflow runs every night, tries the full number.
"""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""The full number for a property that sets none."""
FEW = 5

QUICK = settings(deadline=None, print_blob=True, max_examples=25)
"""There is no deadline, because a busy machine must not fail an example."""
THOROUGH = settings(QUICK, max_examples=USUAL)


def thorough() -> bool:
    """Whether every property gets its full number."""
    assert settings.default is not None
    return settings.default.max_examples >= USUAL


def up_to(most: int, least: int = FEW) -> int:
    """The number of examples for a property whose full number is `most`: all, or a share in a quick
    run, but no fewer than `least`."""
    assert settings.default is not None
    return min(most, max(least, most * settings.default.max_examples // USUAL))

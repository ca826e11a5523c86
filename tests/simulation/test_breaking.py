"""Simulations find a law that is broken on purpose, within a few seeds."""

from __future__ import annotations

import pytest

from simulation.breaking import found


@pytest.mark.long(13)
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("acknowledge before append", 1),
        ("skip the compare", 1),
        ("the archive leaves numbers out", 1),
        ("a call is tried once", 177),
    ],
)
def test_a_broken_law_is_found(name: str, first: int) -> None:
    """From a seed on that finds it quickly, for that may be another one tomorrow."""
    assert found(name, 20, first)

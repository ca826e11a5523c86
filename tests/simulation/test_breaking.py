"""Simulations find a law that is broken on purpose, within a few seeds."""

from __future__ import annotations

import pytest

from simulation.breaking import found


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name",
    [
        "acknowledge before append",
        "skip the compare",
        "the archive leaves numbers out",
        "a call is tried once",
    ],
)
def test_a_broken_law_is_found(name: str) -> None:
    assert found(name, 20)

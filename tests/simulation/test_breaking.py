"""Simulations find a law that is broken on purpose, within a few seeds."""

from __future__ import annotations

import pytest

from chaos.breaking import ROOT
from simulation.breaches import BREACHES
from simulation.breaking import found


@pytest.mark.parametrize("name", BREACHES)
def test_every_breach_can_be_made_in_the_code(name: str) -> None:
    for file, old, new in BREACHES[name]:
        assert (ROOT / file).read_text().count(old) == 1
        assert new != old


@pytest.mark.long(9)
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("acknowledge before append", 1),
        ("skip the compare", 1),
        ("the archive leaves numbers out", 1),
        ("a call is tried once", 22),
    ],
)
def test_a_broken_law_is_found(name: str, first: int) -> None:
    """From a seed on that finds it quickly, for that may be another one tomorrow."""
    assert found(name, 20, first)

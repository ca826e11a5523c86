"""A short `make soak-social`: what it proves needs time for claims, this one has none for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from chaos.breaking import ROOT, changed
from social.breaking import BREACHES
from social.report import lacking, wrong_in
from social.run import Plan, soak

RUNS = 4
"""After so many runs, what has never happened is taken to be impossible."""


@pytest.mark.long(38)
@pytest.mark.timeout(RUNS * 180)
async def test_random_people_keep_every_promise(seed: int) -> None:
    """What people do is drawn, so a run may lack something rare, such as a draw: then it proves
    nothing about that, and another run adds to it. No run may show anything wrong."""
    counts: Counter[str] = Counter()
    for number in range(RUNS):
        plan = Plan(people=60, seconds=6, pace=0.2, frames=120, seed=seed + number)
        verdict, crowd = await soak(plan)
        assert wrong_in(verdict, crowd) == []
        counts += verdict.counts
        if not lacking(plan, counts):
            break
    assert lacking(plan, counts) == []


@pytest.mark.parametrize("name", BREACHES)
def test_every_social_breach_can_be_made_in_the_code(name: str, tmp_path: Path) -> None:
    changed(BREACHES[name].changes, tmp_path)
    for file, old, new in BREACHES[name].changes:
        assert old in (ROOT / file).read_text()
        assert new in (tmp_path / Path(*Path(file).parts[1:])).read_text()

"""A short `make soak-manners`: what it proves needs time for claims, this one has none for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaos.breaking import ROOT, changed
from manners.breaking import BREACHES
from manners.report import lacking, wrong_in
from manners.run import Plan, soak


async def test_people_at_random() -> None:
    plan = Plan(people=150, seconds=9, pace=0.2, frames=110)
    verdict, crowd = await soak(plan)
    assert wrong_in(verdict, crowd) == []
    assert lacking(plan, verdict.counts) == []


@pytest.mark.parametrize("name", BREACHES)
def test_breaches_can_be_made(name: str, tmp_path: Path) -> None:
    changed(BREACHES[name].changes, tmp_path)
    for file, old, new in BREACHES[name].changes:
        assert old in (ROOT / file).read_text()
        assert new in (tmp_path / Path(*Path(file).parts[1:])).read_text()

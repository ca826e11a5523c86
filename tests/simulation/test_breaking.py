"""Simulations find a law that is broken on purpose, within a few seeds."""

from __future__ import annotations

import sys

import pytest

from chaos.breaking import ROOT
from simulation import breaking
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
        ("a game is archived again", 1),
        ("drop the position check", 45),
        ("flags fall early", 22),
        ("sides hear each other", 19),
    ],
)
def test_a_broken_law_is_found(name: str, first: int) -> None:
    """From a seed on that finds it quickly, for that may be another one tomorrow."""
    assert found(name, 20, first)


@pytest.mark.parametrize(("told", "missed"), [("seed 3 fails: lost", 0), ("", 2)])
def test_the_last_line_says_how_many_were_not_found(
    told: str, missed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(breaking, "found", lambda *_: told)
    monkeypatch.setattr(sys, "argv", ["breaking", *list(BREACHES)[:2]])
    assert breaking.main() == missed
    assert capsys.readouterr().out.endswith(f"\n2 broken on purpose, {missed} not found\n")


def test_a_name_that_no_break_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["breaking", "skip the compar"])
    with pytest.raises(SystemExit):
        breaking.main()
    assert "no such break: skip the compar. There are: acknowledge" in capsys.readouterr().err

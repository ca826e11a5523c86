"""`pierule seek`: what it asks for."""

from __future__ import annotations

import argparse

import pytest

from pierule import RatingRange
from pierule_terminal.commands import seek


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    seek.configure(parser)
    return parser.parse_args(["loose", *words])


def range_of(*words: str) -> RatingRange | None:
    return seek._range(parsed(*words))


@pytest.mark.parametrize("patience", ["15", "never", "0"])
def test_bot_and_bot_after_exclude_each_other(
    patience: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert parsed().bot_after == 15
    with pytest.raises(SystemExit):
        parsed("--bot", "random", "--bot-after", patience)
    assert "--bot-after: not allowed with argument --bot" in capsys.readouterr().err


def test_a_range_has_one_bound_or_both() -> None:
    assert range_of() is None
    assert range_of("--below", "200") == RatingRange(200, None)
    assert range_of("--above", "0") == RatingRange(None, 0)
    assert range_of("--below", "200", "--above", "2000") == RatingRange(200, 2_000)


@pytest.mark.parametrize("points", ["-1", "2001", "some", "1.5"])
def test_a_wrong_bound_is_refused(points: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        range_of(f"--below={points}")
    assert f"{points} is not a number up to 2000" in capsys.readouterr().err


def test_a_waiting_user_is_shown_the_range() -> None:
    assert seek._between(parsed()) == ""
    assert seek._between(parsed("--below", "200")) == " at most 200 points weaker than you"
    both = seek._between(parsed("--below", "200", "--above", "0"))
    assert both == " at most 200 points weaker or 0 points stronger than you"

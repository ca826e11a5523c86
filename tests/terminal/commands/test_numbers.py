"""Wrong numbers among the arguments of commands."""

from __future__ import annotations

import pytest

from pierule_terminal import cli
from pierule_terminal.commands.numbers import real, whole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bot --games many", "many is not a number from 1 to 50"),
        ("bot --seconds soon", "soon is not a number above 0 and at most 60"),
        ("load ws://127.0.0.1/ws --spectators -1", "-1 is not a number up to 100000"),
        ("load ws://127.0.0.1/ws --rate fast", "fast is neither a rate, such as 200, nor `max`"),
        ("load ws://127.0.0.1/ws --seconds nan", "nan is not a number of seconds"),
        ("rooms --limit all", "all is not a number from 1 to"),
        ("seek GAME --below 1.5", "1.5 is not a number up to 2000"),
    ],
)
def test_a_wrong_number_is_explained(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words.split()) == 2
    assert said in capsys.readouterr().err


def test_numbers_within_their_bounds_are_read() -> None:
    assert [whole(0, 50)(text) for text in ("0", "50", "007")] == [0, 50, 7]
    assert [real(text) for text in ("1", "0.5", "-2e3")] == [1.0, 0.5, -2000.0]

"""What `pierule bot` offers when little is said."""

from __future__ import annotations

import pytest

from pierule_games import GAMES
from pierule_protocol.house_bots import NAMES
from pierule_terminal import cli
from pierule_terminal.commands.bot import name_of, offers_of


def test_a_bot_offers_all_games_in_default_and_smallest_size() -> None:
    offers = offers_of(None, None)
    assert {game for game, _ in offers} == set(GAMES)
    for game, rules in GAMES.items():
        sizes = [size for of, size in offers if of == game]
        assert sizes == list(dict.fromkeys((rules.default_size, min(rules.sizes))))


def test_sizes_are_parsed() -> None:
    assert offers_of("taugo", [6, 19]) == [("taugo", 6), ("taugo", 19)]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["loose", "--size", "6"], "loose has the sizes 5, 7, 9, 11, 13, 15, 17, 19, not 6"),
        (["--size", "9"], "--size needs a game"),
    ],
)
def test_impossible_sizes_are_refused(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bot", *argv]) == 2
    assert said in capsys.readouterr().err


def test_names_are_short_enough_for_a_listing() -> None:
    assert all(len(name) <= 16 for name in [*NAMES.values(), *map(name_of, NAMES)])

"""Games that are drawn before the run."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_load.scripts import EACH, deck, draw


@pytest.mark.parametrize("game", GAMES)
def test_a_drawn_game_goes_to_its_end_by_the_rules(game: str) -> None:
    script = draw(game, min(GAMES[game].sizes), Random(1))
    position: Position = GAMES[game].opening(script.size)
    for seat, action in script.steps:
        assert position.to_act == seat
        after = position.play(action)
        assert not isinstance(after, Refusal)
        position = after
    assert position.to_act is None


def test_the_games_of_a_deck_take_turns_and_come_again() -> None:
    kinds = [(game, min(GAMES[game].sizes)) for game in GAMES]
    dealt = list(islice(deck(kinds, Random(1)), 2 * EACH * len(kinds)))
    assert [(each.game, each.size) for each in dealt[: len(kinds)]] == kinds
    half = len(dealt) // 2
    assert dealt[:half] == dealt[half:]
    assert len({each.steps for each in dealt}) == half

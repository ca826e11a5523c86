"""What happens in a simulated year is planned before anybody plays."""

from __future__ import annotations

import pytest

from pierule_games import GAMES
from support.games import game
from year.people import DELETED, ENDS, KINDS, VOIDS, Year, progress, spread
from year.places import WEEKS


def test_the_same_seed_draws_the_same_year() -> None:
    first, second, other = (Year(10, 4, 2, seed).rng.random() for seed in (1, 1, 2))
    assert first == second != other


def test_a_long_year_has_more_faults() -> None:
    assert [Year(games, 4, 2, 1).faults for games in (20, 160, 10_000)] == [16, 16, 100]


@pytest.mark.parametrize("several", [VOIDS, DELETED])
def test_rare_events_have_distinct_weeks_within_the_year(several: int) -> None:
    weeks = spread(several)
    assert len(weeks) == several
    assert weeks <= set(range(1, WEEKS - 1)), "there are games before and after each of them"


def test_the_shares_of_endings_add_up_to_a_hundred() -> None:
    assert sum(share for _, share in ENDS) == 100
    assert min(share for _, share in ENDS) > 0


@pytest.mark.parametrize(("name", "size"), [kind[:2] for kind in KINDS])
def test_a_game_is_long_enough_to_be_rated(name: str, size: int) -> None:
    of = game(name, size)
    assert size in GAMES[name].sizes
    assert len(of.actions) >= 7


def test_progress_tells_how_long_it_will_take() -> None:
    assert progress(13, 2_500, 600) == "week 13: 2500 games, 250 a minute, 30 minutes left"
    assert progress(WEEKS, 10_000, 2_400).endswith(" 0 minutes left")

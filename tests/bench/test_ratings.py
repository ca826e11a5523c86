"""The comparison of rating models: the same years for a seed, and our model is the one compared."""

from __future__ import annotations

from decimal import Decimal
from math import isclose, isnan

import pytest

from bench.ratings.__main__ import CANDIDATES, judge
from bench.ratings.models import Glicko, Model
from bench.ratings.worlds import DAYS, WORLDS, play
from pierule_ratings import MODELS, VERSION, Pool, Result
from pierule_ratings.model import DAY


@pytest.mark.parametrize("world", WORLDS)
def test_a_seed_gives_the_same_year(world: str) -> None:
    year = play(world, 8, 1)
    assert year == play(world, 8, 1) != play(world, 8, 2)
    assert all(0 <= game.day <= DAYS and game.one != game.other for game in year.games)
    days = [game.day for game in year.games]
    assert days == sorted(days)


@pytest.mark.parametrize("world", WORLDS)
def test_the_compared_model_is_the_one_that_rates(world: str) -> None:
    """Up to the digits of floating point, and the milliseconds of an archive."""
    model = MODELS[VERSION]
    year, pool = play(world, 8, 1), Pool(model)
    ours = Glicko(float(model.deviation), float(model.least), float(model.widening))
    for feed, game in enumerate(year.games, 1):
        players = str(game.one), str(game.other)
        pool.add(Result(feed, players, Decimal(str(game.score)), round(game.day * DAY)))
        ours.learn(game)
    for player, rating in pool.ratings.items():
        value, deviation, _ = ours.known[int(player)]
        assert isclose(value, rating.value, abs_tol=1e-2)
        assert isclose(deviation, rating.deviation, abs_tol=1e-2)


@pytest.mark.parametrize("name", CANDIDATES)
def test_each_model_tells_strong_players_from_weak_ones(name: str) -> None:
    """It tells the strong from the weak, and lets no winner fall, if it may be chosen."""
    candidate = CANDIDATES[name]
    model: Model = candidate.make(*(values[-1] for values in candidate.grid))
    score = judge(model, play("static", 10, 3))
    assert score.order > 0.7
    assert 0.4 < score.loss < 0.75
    assert not isnan(score.moved)
    assert score.fallen == 0 or not candidate.eligible

"""The arithmetic of ratings: against the paper, against another implementation, and its laws."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal, getcontext, localcontext
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_ratings import MODELS, VERSION, Rating, rate, widened
from pierule_ratings.arithmetic import PLACES, from_units, kept, to_units
from pierule_ratings.model import DAY, work
from support.glicko import period

MODEL = MODELS[VERSION]
SCORES = [Decimal(1), Decimal("0.5"), Decimal(0)]

values = st.decimals(-1_000, 4_000, places=PLACES)
deviations = st.decimals(MODEL.least, MODEL.deviation, places=PLACES)
games = st.integers(1, 1_000)
ratings = st.builds(Rating, values, deviations, games, st.just(0))
scores = st.sampled_from(SCORES)


def rating(value: int, deviation: int) -> Rating:
    return Rating(Decimal(value), Decimal(deviation), 1)


def test_the_example_of_the_paper_is_reproduced() -> None:
    """Its three games are one period, so what each teaches is added before the rating changes."""
    opponents = [rating(1400, 30), rating(1550, 100), rating(1700, 300)]
    won = [Decimal(1), Decimal(0), Decimal(0)]
    wide = replace(MODEL, deviation=Decimal(350))
    steps = [
        work(wide, rating(1500, 200), opponent, score, 0)[0].quantities
        for opponent, score in zip(opponents, won, strict=True)
    ]
    assert [f"{step['g']:.4f}" for step in steps] == ["0.9955", "0.9531", "0.7242"]
    assert [f"{step['E']:.3f}" for step in steps] == ["0.639", "0.432", "0.303"]
    learnt = sum((step["1/d²"] for step in steps), Decimal(0))
    assert f"{(1 / learnt).sqrt():.0f}" == "232"  # 231.67 in the paper, from rounded numbers
    square = 1 / (1 / Decimal(200) ** 2 + learnt)
    change = sum(s["q"] * s["g"] * (s["S"] - s["E"]) for s in steps) * square
    assert f"{1500 + change:.0f}" == "1464"
    assert f"{square.sqrt():.1f}" == "151.4"


@given(one=ratings, other=ratings, score=scores)
def test_another_implementation_computes_the_same(
    one: Rating, other: Rating, score: Decimal
) -> None:
    for mine, theirs, points, after in zip(
        (one, other), (other, one), (score, 1 - score), rate(MODEL, one, other, score, 0),
        strict=True,
    ):  # fmt: skip
        said = period(
            float(mine.value), float(mine.deviation),
            [(float(theirs.value), float(theirs.deviation), float(points))],
        )  # fmt: skip
        assert isclose(float(after.value), said[0], rel_tol=0, abs_tol=1e-5)
        assert isclose(
            float(after.deviation), max(said[1], float(MODEL.least)), rel_tol=0, abs_tol=1e-5
        )


@given(one=ratings, other=ratings)
def test_a_winner_never_falls_and_a_loser_never_rises(one: Rating, other: Rating) -> None:
    after = rate(MODEL, one, other, Decimal(1), 0)
    assert after[0].value >= one.value
    assert after[1].value <= other.value


@given(one=ratings, other=ratings, score=scores, at=st.integers(-DAY, 5_000 * DAY))
def test_deviations_stay_within_their_bounds(
    one: Rating, other: Rating, score: Decimal, at: int
) -> None:
    for before, after in zip((one, other), rate(MODEL, one, other, score, at), strict=True):
        assert MODEL.least <= after.deviation <= MODEL.deviation
        assert after.deviation <= widened(MODEL, before, at).deviation
        assert (after.games, after.at) == (before.games + 1, max(0, at))


@given(one=ratings, other=ratings, score=scores)
def test_exchanging_the_players_exchanges_their_ratings(
    one: Rating, other: Rating, score: Decimal
) -> None:
    assert rate(MODEL, one, other, score, 0) == rate(MODEL, other, one, 1 - score, 0)[::-1]


@given(one=ratings, other=ratings, score=scores)
def test_the_callers_context_does_not_matter(one: Rating, other: Rating, score: Decimal) -> None:
    usual = rate(MODEL, one, other, score, DAY)
    with localcontext() as rough:
        rough.prec = 5
        assert rate(MODEL, one, other, score, DAY) == usual
    assert getcontext().prec != 5


@given(one=ratings, days=st.integers(0, 400), more=st.integers(0, 400))
def test_a_deviation_widens_with_days(one: Rating, days: int, more: int) -> None:
    early, late = (widened(MODEL, one, (days + each) * DAY) for each in (0, more))
    assert one.deviation <= early.deviation <= late.deviation <= MODEL.deviation
    assert early.value == late.value == one.value
    square = float(one.deviation) ** 2 + float(MODEL.widening) * days
    assert isclose(float(early.deviation), min(sqrt(square), float(MODEL.deviation)), abs_tol=1e-5)


def test_time_that_runs_backwards_counts_as_none() -> None:
    before = Rating(Decimal(1500), Decimal(100), 3, at=5 * DAY)
    assert widened(MODEL, before, 4 * DAY) == before


def test_a_player_without_games_is_as_uncertain_as_at_first() -> None:
    fresh = Rating.fresh(MODEL)
    assert widened(MODEL, fresh, 1_000 * DAY) == fresh


@pytest.mark.parametrize("score", ["2", "-1", "0.25"])
def test_a_score_that_is_not_a_result_is_refused(score: str) -> None:
    with pytest.raises(ValueError, match=f"the score is {score}"):
        rate(MODEL, Rating.fresh(MODEL), Rating.fresh(MODEL), Decimal(score), 0)


@given(value=values)
def test_ratings_survive_a_round_trip_through_database_units(value: Decimal) -> None:
    assert from_units(to_units(kept(value))) == value


def test_the_pure_python_decimal_gives_the_same_digits() -> None:
    """Where a platform has no libmpdec."""
    import _pydecimal

    mine, theirs = Rating(Decimal("1523.48"), Decimal("81.5"), 9), Rating.fresh(MODEL)
    ours = work(MODEL, mine, theirs, Decimal(1), 0)[0].quantities["E"]
    with _pydecimal.localcontext(_pydecimal.Context(prec=40)):
        D = _pydecimal.Decimal  # noqa: N806
        q = D(10).ln() / 400
        unsure, pi = D(str(theirs.deviation)), D("3.141592653589793238462643383279502884197")
        g = 1 / (1 + 3 * q * q * unsure * unsure / (pi * pi)).sqrt()
        share = 1 / (1 + (-q * g * (D("1523.48") - D(1500))).exp())
    assert str(share) == str(ours), sys.version

"""The ratings of a pool: results in order, some of them voided."""

from __future__ import annotations

import json
from decimal import Decimal
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_ratings import MODELS, VERSION, Pool, Rating, Result, rate
from pierule_ratings.model import DAY
from support.glicko import period

MODEL = MODELS[VERSION]
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors" / "ratings.json"


@st.composite
def results(draw: st.DrawFn) -> list[Result]:
    """Games of a few players, in feed order; their times may step back a little."""
    found, at = [], 10 * DAY
    for feed in range(1, draw(st.integers(1, 12))):
        players = draw(st.permutations(["ada", "bob", "cyd"]))
        at += draw(st.integers(-5_000, 40 * DAY))
        score = draw(st.sampled_from([Decimal(0), Decimal(1), Decimal("0.5")]))
        anchor = draw(st.none() | st.integers(-500, 3_000))
        if anchor is None:
            found.append(Result(3 * feed, (players[0], players[1]), score, at))
        elif draw(st.booleans()):
            found.append(Result(3 * feed, ("otto", players[0]), score, at, (anchor, None)))
        else:
            found.append(Result(3 * feed, (players[0], "otto"), score, at, (None, anchor)))
    return found


@given(games=results(), data=st.data())
def test_a_voided_game_counts_for_nothing(games: list[Result], data: st.DataObject) -> None:
    voided = data.draw(st.sets(st.sampled_from([game.feed for game in games] or [1])))
    left = [game for game in games if game.feed not in voided]
    assert Pool.of(MODEL, games, voided).ratings == Pool.of(MODEL, left).ratings


@given(games=results())
def test_a_pool_goes_on_from_kept_ratings(games: list[Result]) -> None:
    """As a database does, which keeps two ratings at a time."""
    kept: dict[str, Rating] = {}
    for game in games:
        one, other = (
            Rating(Decimal(anchor), MODEL.least)
            if anchor is not None
            else kept.get(player) or Rating.fresh(MODEL)
            for player, anchor in zip(game.players, game.anchors, strict=True)
        )
        after = rate(MODEL, one, other, game.score, game.ended)
        kept.update(zip(game.players, after, strict=True))
        kept.pop("otto", None)
    assert Pool.of(MODEL, games).ratings == kept


@given(games=results())
def test_an_anchor_keeps_its_rating_and_is_not_listed(games: list[Result]) -> None:
    pool = Pool(MODEL)
    for game in games:
        step = pool.add(game)
        for seat, anchor in enumerate(game.anchors):
            if anchor is not None:
                assert step.before[seat] == step.after[seat] == Rating.anchor(MODEL, anchor)
                assert step.after[1 - seat].games == step.before[1 - seat].games + 1
    assert "otto" not in {player for player, _ in pool.table(2_000 * DAY)}


@given(anchor=st.integers(-500, 3_000), score=st.sampled_from([0, 1]), seat=st.integers(0, 1))
def test_a_game_against_an_anchor_is_rated_as_in_the_paper(
    anchor: int, score: int, seat: int
) -> None:
    """In another implementation, whatever seat they have."""
    anchors = (None, anchor) if seat == 0 else (anchor, None)
    players = ("ada", "otto") if seat == 0 else ("otto", "ada")
    points = Decimal(score if seat == 0 else 1 - score)
    after = Pool(MODEL).add(Result(1, players, points, 0, anchors)).after[seat]
    value, deviation = period(1500, 250, [(anchor, 30, score)])
    assert isclose(float(after.value), value, rel_tol=0, abs_tol=1e-5)
    assert isclose(float(after.deviation), deviation, rel_tol=0, abs_tol=1e-5)


def test_results_out_of_order_or_without_two_players_are_refused() -> None:
    pool = Pool.of(MODEL, [Result(5, ("ada", "bob"), Decimal(1), 0)])
    for wrong, why in (
        (Result(5, ("ada", "bob"), Decimal(1), 0), "result 5 comes after 5"),
        (
            Result(6, ("ada", "ada"), Decimal(1), 0),
            "result 6 has the same player in both seats: ada",
        ),
    ):
        with pytest.raises(ValueError, match=why):
            pool.add(wrong)
    assert pool.through == 5


def test_the_vectors_are_what_a_reader_computes() -> None:
    """From the text of the file alone, as a third party would."""
    told: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))
    pool = Pool(MODELS[told["version"]])
    for each in told["steps"]:
        players = each["players"][0], each["players"][1]
        anchors = each["anchors"][0], each["anchors"][1]
        result = Result(each["feed"], players, Decimal(each["score"]), each["ended"], anchors)
        step = pool.add(result)
        said = [(rating["rating"], rating["deviation"]) for rating in each["after"]]
        assert [(str(it.value), str(it.deviation)) for it in step.after] == said
    table = [(player, str(it.value), str(it.deviation)) for player, it in pool.table(told["at"])]
    assert table == [(row["player"], row["rating"], row["deviation"]) for row in told["table"]]

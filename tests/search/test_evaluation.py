"""How good positions are: the right sign, the same for both seats, in bounds, and repeatable."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.test_values import SIZES, positions
from pierule_bots.player import random_action, sight_of
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.loose.rules import Loose
from pierule_games.sight import WON, Sight
from pierule_search.evaluation import DOUBT, Evaluation, evaluate, expected
from support.examples import up_to
from support.positions import played

LOOKS = 600


def of(position: Position, action: str | None = None, looks: int = LOOKS) -> Evaluation:
    return evaluate(position, sight_of(position.game), action, looks)


def for_mover(position: Position, value: float) -> float:
    return value if position.to_act == 0 else 1 - value


def line(game: str, seed: int, choice: str | None = None) -> list[Position]:
    """The positions of a game played at random, in which seat 1 takes this color."""
    rng = Random(seed)
    found: list[Position] = [GAMES[game].opening(SIZES[game][0])]
    while found[-1].to_act is not None:
        action = random_action(found[-1], rng)
        if choice is not None and action in ("black", "white"):
            action = choice
        found.append(played(found[-1], action))
    return found


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_player_with_a_winning_action_is_evaluated_as_winning(game: str) -> None:
    position, wins = next(
        (position, wins)
        for seed in range(100)
        for position in reversed(line(game, seed)[:-1])
        if (wins := winning(position))
    )
    found = of(position, looks=5_000)
    assert for_mover(position, found.expected) == 1.0
    assert found.best in wins
    assert of(position, wins[-1], 5_000).played == found.expected


def winning(position: Position) -> list[str]:
    """The actions by which a game is won at once."""
    if position.phase != "play":
        return []
    after = {action: played(position, action).winner for action in position.actions()}
    return [action for action, winner in after.items() if winner == position.to_act]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_game_that_is_over_has_its_result(game: str) -> None:
    for seed in range(3):
        last = line(game, seed)[-1]
        assert last.winner is not None
        result = {0: 1.0, 1: 0.0, "draw": 0.5}[last.winner]
        assert of(last) == Evaluation(result, None, None, 0)


def test_a_player_far_ahead_is_evaluated_as_better() -> None:
    stones = ["c3", "a1", "b2", "pass", "d4", "pass", "c4"]
    for choice, black in (("black", 1), ("white", 0)):
        ahead = played(Loose.opening(5), "komi:2", choice, *stones)
        assert ahead.black == black
        assert (of(ahead).expected > 0.7) == (black == 0)
        assert (of(ahead).expected < 0.3) == (black == 1)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_exchanging_the_seats_exchanges_the_evaluation(game: str) -> None:
    """The same stones with the seats exchanged: what one may expect, the other does not."""
    pairs = list(zip(line(game, 5, "black"), line(game, 5, "white"), strict=True))
    chosen = [pair for pair in pairs if pair[0].black is not None and pair[0].to_act is not None]
    for one, other in chosen[:: max(1, len(chosen) // 6)]:
        first, second = of(one), of(other)
        assert first.expected == pytest.approx(1 - second.expected, abs=1e-4)
        assert (first.best, first.depth) == (second.best, second.depth)


@settings(max_examples=up_to(15), deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_no_action_is_evaluated_better_than_the_best(position: Position, seed: int) -> None:
    action = random_action(position, Random(seed))
    found = of(position, action)
    assert found.best is not None
    assert found.played is not None
    here, after = (for_mover(position, each) for each in (found.expected, found.played))
    assert 0 <= after <= here <= 1
    assert of(position, found.best).played == of(position, found.best).expected
    assert found == of(position, action)


@settings(max_examples=up_to(15), deadline=None)
@given(positions(), st.integers(1, 500))
def test_an_evaluation_looks_at_a_bounded_number_of_positions(
    position: Position, looks: int
) -> None:
    seen = 0
    known = sight_of(position.game)

    def value(at: Position) -> int:
        nonlocal seen
        seen += 1
        return known.value(at)

    evaluate(position, Sight(value, known.width), None, looks)
    assert seen <= looks + 2
    seen = 0
    action = random_action(position, Random(looks))
    evaluate(position, Sight(value, known.width), action, looks)
    assert seen <= 2 * looks + 4


@settings(max_examples=up_to(15), deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_the_action_played_next_does_not_change_an_evaluation(
    position: Position, seed: int
) -> None:
    """The line may go on or end here: the position has the same answer."""
    alone = of(position)
    assert replace(of(position, random_action(position, Random(seed))), played=None) == alone


@pytest.mark.parametrize("game", sorted(GAMES))
def test_only_an_immediate_win_is_certain(game: str) -> None:
    for position in line(game, 3)[-13:-1]:
        value = for_mover(position, of(position, looks=2_000).expected)
        assert DOUBT <= value <= (1 if winning(position) else 1 - DOUBT)


def test_set_ups_and_the_choice_are_evaluated() -> None:
    opening = Loose.opening(5)
    assert of(opening).expected == pytest.approx(0.5, abs=0.05)
    unfair = played(opening, "komi:24")
    assert of(unfair).best == "white"
    assert of(unfair, "black").expected < 0.1 < 0.9 < (of(unfair, "black").played or 0)


@given(st.integers(-WON, WON), st.integers(1, 2_000))
def test_expected_results_stay_short_of_certain(worth: int, scale: int) -> None:
    found = expected(worth, scale)
    assert found == pytest.approx(1 - expected(-worth, scale))
    assert DOUBT <= found <= 1 - DOUBT
    assert expected(scale, scale) == pytest.approx(0.75)

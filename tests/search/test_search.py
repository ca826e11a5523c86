"""Choosing: always a legal action, in time, the winning one if there is one, the same by a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.test_values import SIZES, VALUES, positions
from pierule_bots.player import LEVELS, Level, choose, is_content, random_action, sight_of
from pierule_games import GAMES
from pierule_games.game import OTHER, Position
from pierule_games.loose.rules import Loose
from pierule_games.refusal import Refusal
from pierule_games.sight import WON, Sight, Step
from pierule_search.search import Budget, Search, candidates
from support.examples import up_to
from support.positions import played

BUDGETS = {"loose": 2_000, "veletas": 2_500, "taugo": 8_000}
"""Looks ahead by which a search already beats the level below it on small boards."""


class Steps:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def counted(position: Position, seed: int, seconds: int) -> tuple[str, int, int]:
    """What a search of so many looks at the clock chooses; how many looks and actions it took."""
    clock, seen = Steps(), 0
    sight = sight_of(position.game)

    def counting(steps: Iterable[Step]) -> Iterator[Step]:
        nonlocal seen
        for step in steps:
            seen += 1
            yield step

    class Counting(Search):
        def ahead(self, position: Position) -> Iterable[Step]:
            return counting(super().ahead(position))

    search = Counting(sight, Random(seed), Budget(seconds, clock))
    return search.best(position), clock.now, seen


@settings(deadline=None)
@given(positions(), st.sampled_from(LEVELS), st.integers(0, 300), st.integers(0, 99))
def test_every_level_chooses_a_legal_action(
    position: Position, level: Level, seconds: int, seed: int
) -> None:
    action = choose(position, level, Random(seed), Budget(seconds, Steps()))
    assert not isinstance(position.play(action), Refusal)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("game", "size"), [(g, s) for g, r in GAMES.items() for s in r.sizes])
def test_set_ups_of_every_size_are_legal(game: str, size: int, level: Level) -> None:
    rng = Random(size)
    position: Position = GAMES[game].opening(size)
    while position.phase != "play":
        position = played(position, choose(position, level, rng, Budget(40, Steps())))


@settings(deadline=None)
@given(positions(), st.integers(0, 500), st.integers(0, 99))
def test_a_search_ends_with_its_budget(position: Position, seconds: int, seed: int) -> None:
    """It looks at the clock after each position, and no more than once when the time is over on
    each of the few levels that it is deep."""
    _, looks, seen = counted(position, seed, seconds)
    assert seen <= looks <= seconds + 4


@settings(deadline=None)
@given(positions(), st.integers(0, 500), st.integers(0, 99))
def test_a_seed_gives_the_same_choice(position: Position, seconds: int, seed: int) -> None:
    assert counted(position, seed, seconds) == counted(position, seed, seconds)


@settings(max_examples=up_to(40), deadline=None)
@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**32), st.sampled_from(LEVELS[1:]))
def test_a_bot_takes_a_win_in_one(game: str, seed: int, level: Level) -> None:
    """Random games, looked at where their last action is to come."""
    rng = Random(seed)
    before: list[Position] = []
    position: Position = GAMES[game].opening(SIZES[game][0])
    while position.to_act is not None:
        before.append(position)
        position = played(position, random_action(position, rng))
    for last in reversed(before):
        wins = {
            action
            for action in last.actions()
            if played(last, action).winner not in (None, "draw")
            and played(last, action).winner == last.to_act
        }
        if wins:
            assert choose(last, level, rng, Budget(2_000, Steps())) in wins
            return


def test_the_steps_of_a_search_are_in_order_and_complete() -> None:
    position = played(Loose.opening(5), "komi:4", "black", "c3", "b2", "d4")
    search = Search(sight_of("loose"), Random(1), Budget())
    steps = search.steps(position)
    assert sorted(step.action for step in steps) == sorted(position.actions())
    assert all(one.worth >= other.worth for one, other in pairwise(steps))
    value = VALUES["loose"]
    sign = 1 if position.to_act == position.black else -1
    assert all(step.worth == sign * value(played(position, step.action)) for step in steps)
    assert all(abs(step.worth) < WON for step in steps)


@settings(deadline=None)
@given(positions())
def test_a_glance_sees_what_playing_would_show(position: Position) -> None:
    """Where a game has a quicker way, it says the same of the same actions."""
    sight = sight_of(position.game)
    quick = sight.glance(position)
    if quick is not None:
        slow = Search(Sight(sight.value, sight.width), Random(1), Budget())
        assert sorted(quick) == sorted(slow.ahead(position))


def test_veletas_has_a_quick_glance_once_play_begins() -> None:
    opening = GAMES["veletas"].opening(7)
    assert sight_of("veletas").glance(opening) is None
    started = played(opening, "d4/a1", "white", "b2,c3/g7")
    assert sight_of("veletas").glance(started) is not None


@pytest.mark.parametrize("level", ["one-step", "search"])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_choosing_bot_takes_the_better_color(game: str, level: Level) -> None:
    """What is best for the cutter is worth no more to one color than to the other, nearly."""
    rng = Random(3)
    position: Position = GAMES[game].opening(SIZES[game][0])
    position = played(position, choose(position, level, rng, Budget(3_000, Steps())))
    worth = abs(VALUES[game](position))
    opening: Position = GAMES[game].opening(position.size)
    others = [played(opening, action) for action in candidates(opening, rng)]
    if level == "one-step":
        assert worth <= sorted(abs(VALUES[game](other)) for other in others)[len(others) // 4]
    color = choose(position, "one-step", rng, Budget())
    value = VALUES[game](position)
    assert value == 0 or color == ("black" if value > 0 else "white")


def test_a_komi_far_from_fair_decides_the_color() -> None:
    for level in LEVELS[1:]:
        for komi, color in (("komi:0", "black"), ("komi:24", "white")):
            position = played(Loose.opening(5), komi)
            assert choose(position, level, Random(1), Budget(2_000, Steps())) == color


@settings(deadline=None)
@given(positions())
def test_a_bot_accepts_a_draw_unless_it_is_ahead(position: Position) -> None:
    assert position.black is not None
    black, white = position.black, OTHER[position.black]
    value = VALUES[position.game](position)
    assert is_content(position, black) == (value <= 0)
    assert is_content(position, white) == (value >= 0)


def test_random_actions_are_uniform() -> None:
    position = played(Loose.opening(5), "komi:4", "black", "c3")
    rng = Random(5)
    drawn = Counter(random_action(position, rng) for _ in range(5_000))
    assert set(drawn) == set(position.actions())
    fair = 5_000 / len(drawn)
    assert all(0.7 * fair < times < 1.3 * fair for times in drawn.values())


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_search_beats_one_step_which_beats_random(game: str) -> None:
    """A few games with seeds, and no clock; `make bench-bots` plays hundreds."""
    for stronger, weaker in (("one-step", "random"), ("search", "one-step")):
        won = sum(_plays(game, stronger, weaker, seed) for seed in range(6))
        assert won >= 5, f"{stronger} has won {won} of 6 against {weaker}"


def _plays(game: str, stronger: str, weaker: str, seed: int) -> bool:
    rng, seat = Random(seed), seed % 2
    position: Position = GAMES[game].opening(SIZES[game][0])
    while position.to_act is not None:
        level: Level = stronger if position.to_act == seat else weaker  # type: ignore[assignment]
        position = played(
            position, choose(position, level, rng, Budget(BUDGETS.get(game, 8_000), Steps()))
        )
    return position.winner == seat

"""Drafts of actions: points are refused when, and only when, no legal action goes on from them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.test_properties import POINT, SMALLEST, points_of, repeated, walk
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_games.taugo.rules import Taugo
from pierule_games.veletas.rules import Veletas
from support.examples import up_to
from support.positions import played

BEYOND = ["z9", "a0", "a99"]
CUT = ["d4", "black", "e3", "c4", "e4", "b2", "e5"]
"""Black can grow from d4 over the stone on e4, which is central, to the edge."""


def picks(position: Position, action: str) -> Iterator[tuple[str, ...]]:
    """The orders in which a player can pick the points of an action."""
    points = tuple(POINT.findall(action))
    if position.phase in ("first", "second"):
        yield from ((*shooters, points[-1]) for shooters in permutations(points[:-1]))
    else:
        yield points
        if "-" in action and "/" not in action:
            yield points[::-1]


def drafts(position: Position) -> set[tuple[str, ...]]:
    """Every draft from which a legal action can be completed."""
    return {
        order[:end]
        for action in position.actions()
        for order in picks(position, action)
        for end in range(1, len(order) + 1)
    }


def tried(
    position: Position, chance: random.Random, good: set[tuple[str, ...]]
) -> set[tuple[str, ...]]:
    """All drafts of one point, and longer ones that are good, nearly good, or of any points."""
    points = [*points_of(position.size), *BEYOND]
    found: set[tuple[str, ...]] = {(point,) for point in points}
    some = chance.sample(sorted(good), min(len(good), 300))
    for draft in some:
        found |= {draft, (*draft, chance.choice(points)), (*draft, draft[0]), draft[::-1]}
        at = chance.randrange(len(draft))
        found.add((*draft[:at], chance.choice(points), *draft[at + 1 :]))
    found |= {tuple(chance.choices(points, k=2 + n % 5)) for n in range(300)}
    return found


@settings(repeated, max_examples=up_to(12))
@given(st.sampled_from(SMALLEST), st.integers(0))
def test_a_draft_is_refused_if_and_only_if_nothing_legal_goes_on_from_it(
    board: tuple[str, int], seed: int
) -> None:
    chance = random.Random(seed)
    positions = list(walk(*board, seed))
    phases = {position.phase: position for position in positions}  # the last of each phase
    for position in [*phases.values(), *chance.sample(positions, min(len(positions), 6))]:
        good = drafts(position)
        for draft in tried(position, chance, good):
            refusal = position.refuse_points(draft)
            assert (refusal is None) == (draft in good), (draft, refusal)
            if refusal is not None:
                said = GAMES[position.game].texts["en"].refusals[refusal.rule]
                assert len(set(re.findall(r"{\d}", said))) <= len(refusal.points), refusal
                assert "{" not in GAMES[position.game].sentence(refusal)


@repeated
@given(st.sampled_from(SMALLEST), st.integers(0), st.lists(st.text(max_size=4), min_size=1))
def test_any_strings_as_points_are_judged(
    board: tuple[str, int], seed: int, points: list[str]
) -> None:
    for position in walk(*board, seed):
        position.refuse_points(points)


@pytest.mark.parametrize(
    ("points", "rule", "shown"),
    [
        (["b1"], "shooter_on_ring", ("b1",)),
        (["d4", "d4"], "named_twice", ("d4",)),
        (["d4", "z9"], "off_board", ("z9",)),
        (["d4", "e4", "e5"], "spelling", ()),
    ],
)
def test_points_of_a_set_up_of_veletas_are_judged(
    points: list[str], rule: str, shown: tuple[str, ...]
) -> None:
    assert Veletas.opening(7).refuse_points(points) == Refusal(rule, shown)


def test_shooters_may_be_picked_in_any_order() -> None:
    second = played(Veletas.opening(7), "d4/a1", "black")
    assert second.phase == "second"
    assert second.refuse_points(["e5", "c3", "g7"]) is None
    assert second.refuse_points(["e5", "c3", "a1"]) == Refusal("occupied", ("a1",))


def test_points_of_a_turn_of_veletas_are_judged() -> None:
    play = played(Veletas.opening(7), "d4/a1", "black", "c3,e5/g7")
    assert play.phase == "play"
    assert play.refuse_points(["d4"]) is None
    assert play.refuse_points(["a1"]) == Refusal("occupied", ("a1",))
    assert play.refuse_points(["b7"]) == Refusal("no_shooter_sees", ("b7",))
    assert play.refuse_points(["d5", "d6"]) == Refusal("no_shooter", ("d5",))
    assert play.refuse_points(["d4", "e6"]) == Refusal("not_in_line", ("e6", "d4"))
    assert play.refuse_points(["d4", "d6", "d6"]) == Refusal("shot_at_itself", ("d6",))


def test_the_ends_of_a_segment_of_taugo_are_judged() -> None:
    """A segment begins at either end, at a stone that it cuts, too, and reaches an edge point."""
    play = played(Taugo.opening(6), *CUT)
    assert {"d4-f4", "e4-f4"} & set(play.actions()) == {"e4-f4"}
    assert isinstance(play.play("e4"), Refusal)
    assert isinstance(play.play("f4"), Refusal)
    for points in (["e4"], ["f4"], ["e4", "f4"], ["f4", "e4"]):
        assert play.refuse_points(points) is None
    assert play.refuse_points(["a4"]) == Refusal("edge", ("a4",))
    assert play.refuse_points(["e4", "e4"]) == Refusal("one_point", ("e4",))
    assert play.refuse_points(["e4", "b2"]) == Refusal("crooked", ("b2", "e4"))
    assert play.refuse_points(["e4", "f4", "f4"]) == Refusal("spelling")

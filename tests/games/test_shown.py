"""What clients are shown beside cells: previews of picked points, and the account of a score."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.test_properties import SMALLEST
from pierule_games import GAMES
from pierule_games.game import Position
from support.examples import up_to
from support.positions import played


def walk(game: str, size: int, seed: int) -> list[Position]:
    """The positions of a random game."""
    chance = random.Random(seed)
    positions: list[Position] = [GAMES[game].opening(size)]
    while positions[-1].to_act is not None and len(positions) < 40:
        positions.append(played(positions[-1], chance.choice(some(positions[-1]))))
    return positions


def some(position: Position) -> list[str]:
    """Legal actions; of a set-up the first ones, for there may be millions."""
    return [action for action, _ in zip(position.actions(), range(500), strict=False)]


@settings(deadline=None, max_examples=up_to(10))
@given(st.sampled_from(SMALLEST), st.integers(0))
def test_the_sums_of_an_account_add_up_to_the_score(board: tuple[str, int], seed: int) -> None:
    game = GAMES[board[0]]
    for position in walk(*board, seed):
        account = game.account(position)
        for color, score in zip(("black", "white"), position.score, strict=True):
            assert sum(each.value for each in account.sums if each.color == color) == score
        for texts in game.texts.values():
            assert {mark.kind for mark in account.marks} <= set(texts.marks)
            assert {each.kind for each in account.sums} <= set(texts.sums)


@settings(deadline=None, max_examples=up_to(10))
@given(st.sampled_from(SMALLEST), st.integers(0))
def test_a_preview_of_all_points_is_what_the_action_puts_there(
    board: tuple[str, int], seed: int
) -> None:
    """A shooter may also be claimed where it has gone."""
    game, chance = GAMES[board[0]], random.Random(seed)
    for position in walk(*board, seed):
        named = [action for action in some(position) if re.search(r"[a-z]\d", action)]
        for action in chance.sample(named, min(5, len(named))):
            after = played(position, action).cells
            shown = game.preview(position, re.findall(r"[a-z]\d+", action))
            assert shown
            for at, cell in shown:
                assert after[at] == cell or after[at] > 3, (action, at)


@pytest.mark.parametrize(
    ("game", "actions", "points", "preview"),
    [
        ("loose", "komi:2 black", ["c3"], [(12, 1)]),
        ("veletas", "", ["c3"], [(16, 3)]),
        ("veletas", "", ["c3", "a1"], [(16, 3), (0, 1)]),
        ("veletas", "f4/a1 white", ["c3", "d6", "a7"], [(16, 3), (38, 3), (42, 2)]),
        ("veletas", "f4/a1 white c3,d6/a7", ["f4"], [(26, 3)]),
        ("veletas", "f4/a1 white c3,d6/a7", ["f4", "d4"], [(26, 0), (24, 3)]),
        ("veletas", "f4/a1 white c3,d6/a7", ["f4", "d4", "e4"], [(26, 0), (24, 3), (25, 1)]),
        ("taugo", "", ["c3"], [(14, 1)]),
        ("taugo", "e5 white e3 d3 b5 d4-d5 e2 d2", ["d3", "b3"], [(13, 2), (14, 2), (15, 2)]),
    ],
)
def test_previews_show_the_points_of_a_draft(
    game: str, actions: str, points: list[str], preview: list[tuple[int, int]]
) -> None:
    position: Position = GAMES[game].opening(dict(SMALLEST)[game])
    for action in actions.split():
        position = played(position, action)
    assert position.refuse_points(points) is None
    assert GAMES[game].preview(position, points) == preview


def test_the_account_of_taugo_counts_strings_and_the_edge() -> None:
    game = GAMES["taugo"]
    position: Position = game.opening(6)
    for action in game.sample.actions.split():
        position = played(position, action)
    marks = game.account(position).marks
    edge = [(mark.color, mark.points, mark.value) for mark in marks if mark.kind == "edge"]
    assert edge == [("black", ["c1", "f3"], 3), ("white", ["e6"], 1)]


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_set_up_step_that_counts_says_what_it_counts(name: str) -> None:
    """Beside a stone and several shooters, one that is left might be either."""
    for language, texts in GAMES[name].texts.items():
        for phase in texts.phases.values():
            for pick, step in phase.steps.items():
                for sentence in re.split(r"(?<=\.) ", step):
                    if "{0}" in sentence and not pick[0].isdigit():
                        pieces = [piece for piece in texts.pieces if piece in sentence.lower()]
                        assert pieces, (language, step)

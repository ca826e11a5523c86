"""The games, and the one of the test package, against their vectors: reference games, illegal
actions and perft counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from support import citadel, packages

FOLDERS = (Path(__file__).parents[1] / "vectors", citadel.VECTORS)
PERFT = [  # positions counted by an independent program
    ("loose", 5, (13, 26, 676, 16_926)),
    ("loose", 9, (41, 82, 6_724)),
    ("veletas", 7, (1_200, 2_400, 28_566_000)),
    ("veletas", 9, (92_904,)),
    ("veletas", 10, (4_041_408,)),
    ("taugo", 6, (16, 32, 512, 9_024)),
    ("taugo", 8, (36, 72, 2_592, 106_632)),
    ("taugo", 16, (196, 392, 76_832)),
    ("citadel", 5, (2_907, 5_814, 93_024)),  # two of 19, then one of 17; two colors; one of 16
]
BENEATH = [  # of 82 * 6_643 = 544_726 positions of depth 4
    ("loose", 9, [f"komi:{komi}", color], (82, 6_643))
    for komi, color in ((0, "black"), (20, "white"), (40, "black"), (40, "white"))
]


def opening(game: str, size: int) -> Position:
    of = packages.citadel() if game == "citadel" else GAMES[game]
    return of.opening(size)


def vectors(name: str) -> list[Any]:
    files = [folder / f"{name}.jsonl" for folder in FOLDERS]
    lines = [line for file in files for line in file.read_text().splitlines()]
    return [
        pytest.param(vector, id=f"{vector['game']}-{vector['size']}-{number}")
        for number, vector in enumerate(map(json.loads, lines))
    ]


def played(game: str, size: int, actions: list[str]) -> Position:
    position = opening(game, size)
    for action in actions:
        after = position.play(action)
        assert not isinstance(after, Refusal), f"{action}: {after}"
        position = after
    return position


def perft(position: Position, depth: int) -> int:
    if depth == 0 or position.phase == "over":
        return 1
    if depth == 1:
        return position.count()
    total = 0
    for action in position.actions():
        after = position.play(action)
        assert not isinstance(after, Refusal), f"{action}: {after}"
        total += perft(after, depth - 1)
    return total


@pytest.mark.parametrize("vector", vectors("games"))
def test_a_reference_game_is_legal_and_has_its_result(vector: dict[str, Any]) -> None:
    position = opening(vector["game"], vector["size"])
    for ply, (action, legal) in enumerate(zip(vector["actions"], vector["legal"], strict=True)):
        if legal is not None:
            assert position.count() == legal, f"before ply {ply}"
            assert action in set(position.actions())
        assert position.winner is None
        after = position.play(action)
        assert not isinstance(after, Refusal), f"{action}: {after}"
        position = after
    result = vector["result"]
    assert position.phase == "over"
    assert position.to_act is None
    assert position.count() == 0
    assert list(position.cells) == vector["cells"]
    assert position.winner == result["winner"]
    assert position.score == (result["score"]["black"], result["score"]["white"])


@pytest.mark.parametrize("vector", vectors("illegal"))
def test_illegal_action_is_refused(vector: dict[str, Any]) -> None:
    position = played(vector["game"], vector["size"], vector["actions"])
    refusal = position.play(vector["illegal"])
    assert isinstance(refusal, Refusal)
    assert str(refusal)


@pytest.mark.parametrize("vector", vectors("perft"))
def test_perft_counts_match_in_the_middle_game(vector: dict[str, Any]) -> None:
    position = played(vector["game"], vector["size"], vector["actions"])
    assert [perft(position, depth) for depth in (1, 2)] == vector["perft"]


@pytest.mark.parametrize(("game", "size", "counts"), PERFT)
def test_perft_counts_match_from_the_opening(game: str, size: int, counts: tuple[int, ...]) -> None:
    begun = opening(game, size)
    assert tuple(perft(begun, depth + 1) for depth in range(len(counts))) == counts


@pytest.mark.parametrize(("game", "size", "actions", "counts"), BENEATH)
def test_perft_counts_match_after_a_choice(
    game: str, size: int, actions: list[str], counts: tuple[int, int]
) -> None:
    assert tuple(perft(played(game, size, actions), depth) for depth in (1, 2)) == counts


def test_the_vectors_of_the_test_package_match_a_naive_reading() -> None:
    for name, text in citadel.texts().items():
        assert (citadel.VECTORS / name).read_text("utf-8") == text

"""What clients see of a position of Loose besides its cells."""

from __future__ import annotations

from collections.abc import Sequence

from pierule_games.board import board, indices
from pierule_games.description import Account, Mark, Sum
from pierule_games.game import BLACK, WHITE, Cells
from pierule_games.loose.rules import Loose


def preview(position: Loose, points: Sequence[str]) -> Cells:
    """The stone that the action places."""
    stone = BLACK if position.to_act == position.black else WHITE
    index = board(position.size).index
    return [(index[point], stone) for point in points]


def account(position: Loose) -> Account:
    """The stones of both colors, and White's komi."""
    names = board(position.size).names
    black, white = ([names[i] for i in indices(stones)] for stones in position.stones)
    sums = [
        Sum(kind="stones", color="black", value=len(black)),
        Sum(kind="stones", color="white", value=len(white)),
    ]
    if position.komi is not None:
        sums.append(Sum(kind="komi", color="white", value=position.komi))
    marks = [
        Mark(kind="stones", color="black", points=black),
        Mark(kind="stones", color="white", points=white),
    ]
    return Account(marks=marks, sums=sums)

"""What clients see of a position of Veletas besides its cells."""

from __future__ import annotations

from collections.abc import Sequence

from pierule_games.board import board, indices
from pierule_games.description import Account, Mark, Sum
from pierule_games.game import BLACK, EMPTY, WHITE, Cells
from pierule_games.veletas.rules import Veletas
from pierule_games.veletas.standing import SHOOTER


def preview(position: Veletas, points: Sequence[str]) -> Cells:
    """The pieces of a set-up; or the shooter that moves, and the stone that it shoots."""
    cells = [board(position.size).index[point] for point in points]
    if template := position.template():
        values = [part.cell or EMPTY for part in template for _ in range(part.count)]
        return list(zip(cells, values, strict=False))
    stone = BLACK if position.to_act == position.black else WHITE
    if not position.shooters >> cells[0] & 1:
        return [(cells[0], stone)]
    if len(cells) == 1:
        return [(cells[0], SHOOTER)]
    start, to, *shot = cells
    shown = {start: EMPTY, to: SHOOTER} | dict.fromkeys(shot, stone)
    return list(shown.items())  # a dict, because the shot may hit the square that it left


def account(position: Veletas) -> Account:
    """The shooters that each color has claimed."""
    names = board(position.size).names
    black, white = (
        [names[i] for i in indices(claimed)]
        for claimed in (position.black_shooters, position.white_shooters)
    )
    return Account(
        marks=[
            Mark(kind="claimed", color="black", points=black),
            Mark(kind="claimed", color="white", points=white),
        ],
        sums=[
            Sum(kind="claimed", color="black", value=len(black)),
            Sum(kind="claimed", color="white", value=len(white)),
        ],
    )

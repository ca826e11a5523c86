"""Positions of Veletas drawn as diagrams, and the names of points."""

from __future__ import annotations

from dataclasses import replace

from pierule_games.game import Fields, Rules
from pierule_games.veletas.rules import Veletas
from support.positions import cells_of_drawing, played

RULES: type[Rules] = Veletas
SHOOTERS = {7: (1, 2), 9: (2, 3), 10: (3, 4)}
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def diagram(text: str) -> Veletas:
    """The running game of a drawing, top row first, Black in seat 0.

    `x` and `o` are black and white stones, `*` an unclaimed shooter, `B` and `W` claimed ones.
    """
    size, cells = cells_of_drawing(text, ".xo*BW")
    to_act = 0 if cells.count(1) == cells.count(2) else 1
    score = cells.count(4), cells.count(5)
    return Veletas.restore(
        Fields("veletas", size, "play", to_act, 0, None, 0, score, None, cells)  # type: ignore[arg-type]
    )


def at(position: Veletas, point: str) -> int:
    return position.cells[(int(point[1:]) - 1) * position.size + ord(point[0]) - ord("a")]


MIDDLE = diagram(
    """
    o......
    .......
    ...x...
    ..*..W.
    .......
    ..o....
    .x....*
    """
)
OTHERS = replace(MIDDLE, white_shooters=0, black_shooters=MIDDLE.white_shooters)
OPENING = Veletas.opening(7)
SECOND = played(OPENING, "d4/d2", "white")
OVER = played(
    diagram(
        """
        o......
        .......
        ......*
        .......
        .......
        xoxo...
        *.*x...
        """
    ),
    "b1",
)


def name(size: int, cell: int) -> str:
    return f"{'abcdefghij'[cell % size]}{cell // size + 1}"


def cell_of(size: int, point: str) -> int:
    return (int(point[1:]) - 1) * size + "abcdefghij".index(point[0])

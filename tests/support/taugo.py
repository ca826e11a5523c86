"""Boards of Taugo drawn as diagrams, and a second, naive reading of its rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from pierule_games.game import Fields, Rules
from pierule_games.taugo.rules import Taugo
from support.positions import cells_of_drawing, played

RULES: type[Rules] = Taugo
MARKS = ".xo"


def diagram(text: str, mover: str = "x") -> Taugo:
    """The running game of a drawing, top row first, `x` black and `o` white, Black in seat 0."""
    size, cells = cells_of_drawing(text, MARKS)
    score = naive_score(on_a_grid(size, cells))
    to_act = 0 if mover == "x" else 1
    return Taugo.restore(
        Fields("taugo", size, "play", to_act, 0, None, 0, score, None, cells)  # type: ignore[arg-type]
    )


# --- a second, naive reading of the rules

Cell = tuple[int, int]
Grid = dict[Cell, int]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def on_a_grid(size: int, cells: bytes) -> Grid:
    return {(i % size, i // size): value for i, value in enumerate(cells)}


def is_edge(grid: Grid, cell: Cell) -> bool:
    last = max(grid)[0]
    return cell[0] in (0, last) or cell[1] in (0, last)


def beside(grid: Grid, cell: Cell) -> Iterator[Cell]:
    """The points that lines connect with this one."""
    for step in STEPS:
        other = cell[0] + step[0], cell[1] + step[1]
        if other in grid and not (is_edge(grid, cell) and is_edge(grid, other)):
            yield other


def friends(grid: Grid, cell: Cell) -> int:
    return sum(grid[other] == grid[cell] for other in beside(grid, cell))


def knots(grid: Grid, color: int) -> list[Cell]:
    """The lower left points of the knots of this color."""
    return [
        (x, y)
        for x, y in grid
        if all(grid.get(cell) == color for cell in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)))
    ]


def naive_single(grid: Grid, cell: Cell, color: int) -> Grid | None:
    if is_edge(grid, cell) or grid[cell]:
        return None
    after = {**grid, cell: color}
    return None if knots(after, color) else after


def naive_growth(grid: Grid, source: Cell, way: list[Cell], color: int) -> Grid | None:
    """The board after growing from `source` over the points of `way`, if that is legal."""
    if grid.get(source) != color:
        return None
    cuts = [cell for cell in way if grid[cell] == 3 - color]
    for before, cell in zip([source, *way], way, strict=False):
        if cell not in beside(grid, before) or grid[cell] == color:
            return None
        if cell in cuts and friends(grid, cell) < 2:
            return None
        if cell not in cuts and is_edge(grid, cell) and before not in cuts:
            return None
    if way[-1] in cuts or (cuts and friends(grid, source) != 1):
        return None
    after = grid | dict.fromkeys(way, color)
    return None if knots(after, color) else after


def naive_segment(grid: Grid, first: Cell, last: Cell, color: int) -> Grid | None:
    x, y = last[0] - first[0], last[1] - first[1]
    length = abs(x + y)  # one of them is 0
    step = x // length, y // length
    way = [(first[0] + step[0] * i, first[1] + step[1] * i) for i in range(length + 1)]
    before, behind = (
        (first[0] - step[0], first[1] - step[1]),
        (last[0] + step[0], last[1] + step[1]),
    )
    return naive_growth(grid, before, way, color) or naive_growth(grid, behind, way[::-1], color)


def naive_strings(grid: Grid, color: int) -> list[set[Cell]]:
    left, strings = {cell for cell, value in grid.items() if value == color}, []
    while left:
        string, found = set(), {left.pop()}
        while found:
            string |= found
            found = {other for cell in found for other in beside(grid, cell)} & left
            left -= found
        strings.append(string)
    return strings


def naive_score(grid: Grid) -> tuple[int, int]:
    last = max(grid)[0]
    score = [0, 0]
    for color in (1, 2):
        edge = [cell for cell in grid if is_edge(grid, cell) and grid[cell] == color]
        score[color - 1] = sum(range(len(edge) + 1))
        for string in naive_strings(grid, color):
            inner = [cell for cell in string if not is_edge(grid, cell)]
            line = [cell for cell in inner if {1, last - 1} & set(cell)]
            score[color - 1] += sum(range(len(line) + 1))
    return score[0], score[1]


def name(cell: Cell) -> str:
    return f"{chr(97 + cell[0])}{cell[1] + 1}"


def naive_actions(grid: Grid, color: int) -> dict[str, Grid]:
    """Every legal placement, with the board that it leaves."""
    found: dict[str, Grid] = {}
    for cell in grid:
        if after := naive_single(grid, cell, color):
            found[name(cell)] = after
    for first, last in permutations(grid, 2):
        in_line = first[0] == last[0] or first[1] == last[1]
        if in_line and first < last and (after := naive_segment(grid, first, last, color)):
            found[f"{name(first)}-{name(last)}"] = after
    return found


OPENING = Taugo.opening(8)
COLOR = played(OPENING, "d4")
WHITE_FIRST = played(COLOR, "white")  # seat 0 is Black
OVER = played(WHITE_FIRST, "pass", "pass")
ONE = diagram("........ .o...... ........ ........ ...x.... ........ ........ ........")
CORNERED = diagram("........ .o...... ........ ...x.... ...xx... ........ ........ ........")
# Columns a to h; the second row from the bottom is 2.
WALL = "........ ........ ........ ...o.... .xxo.... ...o.... ........ ........"
SHORT = "........ ........ ........ ...o.... .xxo.... ........ ........ ........"
DOT = "........ ........ ........ ........ .xxo.... ........ ........ ........"
ALONE = "........ ........ ........ ...o.... ..xo.... ...o.... ........ ........"
CROSS = "........ ........ ........ ..xo.... .xxo.... ...o.... ........ ........"
BLOCKED = "........ ........ ........ ...o.... .xxox... ...o.... ........ ........"
SPACED = "........ ........ ........ ....o... .xx.o... ....o... ........ ........"
DOUBLE = "........ ........ ........ ...o.... .xxoo... ...o.... ........ ........"
SIDES = "........ ........ ........ ...o.... ..xo..x. ...o.... ........ ........"
BETWEEN = "........ ........ ........ ....o... ..x.o.x. ....o... ........ ........"
AT_EDGE = "........ ........ ........ ......o. ....xxo. ......o. ........ ........"
EDGE_OF_OTHERS = "........ ........ ........ ......o. ....xxoo ......o. ........ ........"
OWN_EDGE = "........ ........ ........ ......o. ....xxox ......o. ........ ........"
EDGE_KNOT = "........ ........ .o.x.... .oox.... xxo..... ..o..... ........ ........"
TWICE = "........ ........ ........ ...o.... .xxo.o.. ...o.... ........ ........"

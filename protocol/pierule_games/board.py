"""Square boards: the names of points, and bit sets over them.

A set of points is an int: bit `i` stands for the cell with index `i` (SPEC 8). Boards and their
rays are computed once for each size and kept.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TypeAlias

from pierule_games.refusal import Refusal


class Board:
    """The points of a `size` x `size` board: names, indices and orthogonal neighbors.

    `names[i]` is the name of cell `i`, and `index` maps names back to cells. `neighbors[i]` is the
    bit set of the points orthogonally adjacent to `i`. `full` holds every point; `not_a` and
    `not_last` hold all but the first and the last column, to shift whole sets sideways.
    """

    __slots__ = ("full", "index", "names", "neighbors", "not_a", "not_last", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.names = tuple(
            f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size)
        )
        self.index = {name: i for i, name in enumerate(self.names)}
        self.full = (1 << size * size) - 1
        first_column = sum(1 << row * size for row in range(size))
        self.not_a = self.full ^ first_column
        self.not_last = self.full ^ (first_column << size - 1)
        self.neighbors = tuple(self.spread(1 << i) for i in range(size * size))

    def spread(self, points: int) -> int:
        """The points orthogonally adjacent to a set. They may include points of the set itself."""
        n = self.size
        return (
            points << n | points >> n | (points & self.not_last) << 1 | (points & self.not_a) >> 1
        ) & self.full

    def group(self, seed: int, within: int) -> int:
        """The points of `within` connected to the set `seed` (a subset of `within`)."""
        reached = seed
        while True:
            grown = reached | self.spread(reached) & within
            if grown == reached:
                return reached
            reached = grown


@cache
def board(size: int) -> Board:
    """The board of this size, built once."""
    return Board(size)


def indices(points: int) -> list[int]:
    """The cell indices of a set, ascending."""
    found = []
    while points:
        low = points & -points
        found.append(low.bit_length() - 1)
        points ^= low
    return found


_VALUE_OF_DIGIT = bytes.maketrans(b"012345", bytes(range(6)))
_POINT = re.compile("[a-z](?:0|[1-9][0-9]?)")  # also matches points that no board has


@lru_cache(4_096)
def cells_of(size: int, *sets: tuple[int, int]) -> bytes:
    """Cell values of a board on which each `(set, value)` pair puts `value` on the points of `set`.

    The sets are disjoint, and values are at most 5."""
    # Cached, because digest and diff ask for the same cells after an action, and the next action
    # asks for them again.
    # A set written in binary and read as hexadecimal has one digit for each cell, the last first.
    digits = sum(value * int(f"{points:b}", 16) for points, value in sets)
    return f"{digits:0{size * size}x}"[::-1].encode().translate(_VALUE_OF_DIGIT)


def set_of(cells: bytes, value: int) -> int:
    """The points that hold this value."""
    return sum(1 << i for i, held in enumerate(cells) if held == value)


def refuse_name(name: str) -> Refusal:
    """Why a board without a point `name` refuses it: it is not spelled like a point, or lies off
    the board."""
    return Refusal("off_board", (name,)) if _POINT.fullmatch(name) else Refusal("spelling")


Rays: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The rays of a cell, as sets of points: four along which the index rises, four along which it
falls."""


@cache
def rays(size: int) -> tuple[Rays, ...]:
    """For each cell, the points that lie in each of the eight directions from it."""
    rising = ((0, 1), (1, -1), (1, 0), (1, 1))  # (row, column) steps
    falling = ((0, -1), (-1, 1), (-1, 0), (-1, -1))

    def ray(cell: int, step: tuple[int, int]) -> int:
        points, row, column = 0, cell // size + step[0], cell % size + step[1]
        while 0 <= row < size and 0 <= column < size:
            points |= 1 << row * size + column
            row, column = row + step[0], column + step[1]
        return points

    return tuple(
        (tuple(ray(cell, step) for step in rising), tuple(ray(cell, step) for step in falling))
        for cell in range(size * size)
    )


@cache
def beside(size: int) -> tuple[int, ...]:
    """For each cell, the points next to it, also diagonally: the first point of each ray."""
    return tuple(
        sum(ray & -ray for ray in rising) | sum(1 << ray.bit_length() - 1 for ray in falling if ray)
        for rising, falling in rays(size)
    )


def visible(lines: Rays, stones: int) -> int:
    """The points along a cell's rays, each ray up to but not including the first of `stones`."""
    rising, falling = lines
    seen = 0
    for ray in rising:
        stops = ray & stones
        seen |= ray & (stops & -stops) - 1  # below the lowest stop; the whole ray if none
    for ray in falling:
        beyond = (ray & stones).bit_length()
        seen |= ray >> beyond << beyond  # above the highest stop; the whole ray if none
    return seen

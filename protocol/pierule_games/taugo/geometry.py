"""The board of Taugo: its drawn lines, its edge, its knots and strings (SPEC 13).

Only what follows from points and one color's stones belongs here. The game is in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from pierule_games.board import Board
from pierule_games.refusal import Refusal

Strings: TypeAlias = tuple[int, ...]
"""The strings of one color: disjoint sets of points, in any order."""


class Lines(Board):
    """The board of Taugo. Two points are adjacent if a drawn line connects them.

    `inner`, `edges` and `perimeter` are sets of points (SPEC 13). `rays[i]` are the ways along the
    lines from cell `i`, each with its cells in order. `blocks[i]` are the 2x2 blocks that contain
    cell `i`: for each, the set of its other cells, and the cell diagonally across. `column` is the
    first column of cells.
    """

    __slots__ = ("across", "blocks", "column", "edges", "inner", "perimeter", "rays", "upright")

    def __init__(self, size: int) -> None:
        row, inside = (1 << size) - 1, (1 << size - 1) - 2
        self.across = sum(row << size * r for r in range(1, size - 1))
        self.upright = sum(inside << size * r for r in range(size))
        super().__init__(size)
        self.column = sum(1 << size * r for r in range(size))
        self.inner = self.across & self.upright
        self.edges = self.across ^ self.upright
        self.perimeter = self.spread(self.edges)
        self.rays = tuple(self._rays_of(i) for i in range(size * size))
        self.blocks = tuple(self._blocks_of(i) for i in range(size * size))

    def spread(self, points: int) -> int:
        """The points that a line connects with a point of the set. No line runs along the edge."""
        n, across, upright = self.size, points & self.across, points & self.upright
        return (
            upright << n | upright >> n | (across & self.not_last) << 1 | (across & self.not_a) >> 1
        ) & self.full

    def _rays_of(self, cell: int) -> tuple[range, ...]:
        n = self.size
        start = cell - cell % n
        rays: tuple[range, ...] = ()
        if self.across >> cell & 1:
            rays += (range(cell, start + n), range(cell, start - 1, -1))
        if self.upright >> cell & 1:
            rays += (range(cell, n * n, n), range(cell, -1, -n))
        return tuple(ray for ray in rays if len(ray) > 1)

    def _blocks_of(self, cell: int) -> tuple[tuple[int, int], ...]:
        n = self.size
        row, column = divmod(cell, n)
        return tuple(
            (
                1 << cell + side | 1 << cell + n * up | 1 << cell + n * up + side,
                cell + n * up + side,
            )
            for up in (-1, 1)
            for side in (-1, 1)
            if 0 <= row + up < n and 0 <= column + side < n
        )

    def ways(self, first: int, last: int) -> list[range]:
        """The growths that can produce the segment from `first` to `last`; `first` is the lower
        cell.

        Each begins with its source. Nothing lies beyond an edge point, so a growth cannot start
        there.
        """
        step = 1 if last - first < self.size else self.size
        ways = []
        if self.inner >> first & 1:
            ways.append(range(first - step, last + 1, step))
        if self.inner >> last & 1:
            ways.append(range(last + step, first - 1, -step))
        return ways

    def growths(self, cell: int, mine: int, barred: int) -> Iterator[range]:
        """The growths over the points from `cell` to the next stone in `mine`, up and right.

        There are those from the stone on `cell`, if there is one, and those back from the next
        stone. A growth is left out if the first or the second of its points is in `barred`.
        """
        for ray in self.rays[cell]:
            if ray.step > 0 and len(ray) > 2:
                if mine >> cell & 1 and not (barred >> ray[1] | barred >> ray[2]) & 1:
                    yield ray
                row = ray.step == 1
                later = mine >> ray[1] & ((1 << len(ray) - 1) - 1 if row else self.column)
                after = ((later & -later).bit_length() - 1) // ray.step + 1
                if after > 1 and not (barred >> ray[after - 1] | barred >> ray[after - 2]) & 1:
                    yield ray[after::-1]

    def knot(self, point: int, stones: int) -> Refusal | None:
        """The knot that a stone on `point` makes with `stones` of its color; None if none."""
        for others, opposite in self.blocks[point]:
            if others & stones == others:
                return Refusal("knot", (self.names[point], self.names[opposite]))
        return None

    def knots(self, stones: int) -> int:
        """The points on which a further stone makes a knot with `stones` of its color."""
        n = self.size
        found = 0
        for beside in ((stones & self.not_a) >> 1, (stones & self.not_last) << 1):
            found |= beside & (stones << n & beside << n | stones >> n & beside >> n)
        return found & self.full

    def crowded(self, stones: int) -> int:
        """The points that a line connects with two or more points of the set."""
        n, across, upright = self.size, stones & self.across, stones & self.upright
        up, down = upright << n, upright >> n
        right, left = (across & self.not_last) << 1, (across & self.not_a) >> 1
        return (up & down | right & left | (up | down) & (right | left)) & self.full

    def has_knot(self, stones: int) -> bool:
        """Whether stones of one color contain a knot."""
        pairs = stones & stones >> 1 & self.not_last
        return pairs & pairs >> self.size != 0

    def strings(self, stones: int) -> Strings:
        """The strings of stones of one color."""
        found = []
        while stones:
            string = self.group(stones & -stones, stones)
            found.append(string)
            stones ^= string
        return tuple(found)


def joined(plan: Lines, strings: Strings, placed: int) -> Strings:
    """The strings after stones on connected points join all strings that they touch."""
    near = plan.spread(placed)
    grown, others = placed, []
    for string in strings:
        if string & near:
            grown |= string
        else:
            others.append(string)
    return (*others, grown)


def parted(plan: Lines, strings: Strings, cut: int) -> Strings:
    """The strings after the stones on these points are removed, which may split strings."""
    parts: list[int] = []
    for string in strings:
        if string & cut:
            parts += plan.strings(string & ~cut)
        else:
            parts.append(string)
    return tuple(parts)


@cache
def lines(size: int) -> Lines:
    """The board of this size, built once."""
    return Lines(size)

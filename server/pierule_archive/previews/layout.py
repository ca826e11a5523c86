"""Where things are on a board, computed from a game's document (SPEC 26.5, 26.6): in units of the
distance between neighbors, x to the right and y down. Pure; the page does the same in
`clients/web/src/board/geometry.ts`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from pierule_games.description import BoardDescriptor, BoardShape

Spot: TypeAlias = tuple[float, float]

RIM = 0.3

_ROW = {"square": 1.0, "hexagonal": math.sqrt(3) / 2}
_SLANT = {"square": 0.0, "hexagonal": 0.5}
_TOP = {"square": 0.5, "hexagonal": 1 / math.sqrt(3)}
_SIDE = {"square": 0.5, "hexagonal": 0.5 / math.sqrt(3)}
_STEPS = {
    "square": ((1, 0), (0, 1), (-1, 0), (0, -1)),
    "hexagonal": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
}
_POINT = re.compile(r"([a-z])([0-9]{1,2})")


@dataclass(frozen=True)
class Layout:
    """The board of one size. If the descriptor does not have this size, it is a bare square of
    points."""

    board: BoardDescriptor
    size: int

    @cached_property
    def shape(self) -> BoardShape:
        found = (shape for shape in self.board.boards if shape.size == self.size)
        return next(found, BoardShape(size=self.size))

    @cached_property
    def points(self) -> Sequence[int]:
        """The indices of the points that exist."""
        missing = set(self.indices(self.shape.missing))
        return [index for index in range(self.size * self.size) if index not in missing]

    @property
    def shades(self) -> int:
        """How many shades cells have, so that neighbors differ."""
        return len(_STEPS[self.board.grid]) // 2

    @property
    def outline(self) -> Sequence[Spot]:
        """The corners of a cell around its middle."""
        top, side = _TOP[self.board.grid], _SIDE[self.board.grid]
        if self.board.grid == "square":
            return (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)
        return (0, -top), (0.5, -side), (0.5, side), (0, top), (-0.5, side), (-0.5, -side)

    @cached_property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the cells with a rim."""
        spots = [self.spot(index) for index in self.points]
        top = _TOP[self.board.grid] + RIM
        return (
            min(x for x, _ in spots) - 0.5 - RIM, min(y for _, y in spots) - top,
            max(x for x, _ in spots) + 0.5 + RIM, max(y for _, y in spots) + top,
        )  # fmt: skip

    def spot(self, index: int) -> Spot:
        """The middle of a point."""
        return self._at(index % self.size, index // self.size)

    def shade(self, index: int) -> int:
        """Which of the shades the cell of a point has."""
        return (index % self.size + (self.shades - 1) * (index // self.size)) % self.shades

    def indices(self, names: Iterable[str]) -> list[int]:
        """The indices of points, by their names. Names of points that do not exist are left out."""
        found = []
        for name in names:
            point = _POINT.fullmatch(name)
            if point is None:
                continue
            column, row = ord(point[1]) - ord("a"), int(point[2]) - 1
            if column < self.size and 0 <= row < self.size:
                found.append(row * self.size + column)
        return found

    def spots(self, names: Iterable[str]) -> list[Spot]:
        """The middles of points, by their names."""
        return [self.spot(index) for index in self.indices(names)]

    def outside(self, index: int) -> list[tuple[Spot, Spot]]:
        """The sides of a point beyond which there is no point, each from corner to corner."""
        column, row = index % self.size, index // self.size
        return [
            self._side(self.spot(index), self._at(right, up))
            for right, up in _STEPS[self.board.grid]
            if not self._is_point(column + right, row + up)
        ]

    def _is_point(self, column: int, row: int) -> bool:
        inside = 0 <= column < self.size and 0 <= row < self.size
        return inside and row * self.size + column in self.points

    def _at(self, column: int, row: int) -> Spot:
        grid = self.board.grid
        return column + _SLANT[grid] * row, -_ROW[grid] * row

    def _side(self, middle: Spot, towards: Spot) -> tuple[Spot, Spot]:
        half = _SIDE[self.board.grid]
        (x, y), (right, down) = middle, towards

        def corner(way: int) -> Spot:
            return x + right / 2 - way * half * down, y + down / 2 + way * half * right

        return corner(-1), corner(1)


def pointed(action: str, layout: Layout, *, segments: bool) -> list[int]:
    """The points that an action names; in a game with segments, also the points between the two."""
    points = layout.indices(found[0] for found in _POINT.finditer(action))
    if not segments or not re.fullmatch(r"[a-z]\d+-[a-z]\d+", action) or len(points) < 2:
        return points
    (first, last), size = points, layout.size
    steps = math.gcd(last % size - first % size, last // size - first // size)
    return [first + step * (last - first) // steps for step in range(steps + 1)]

"""Where the points of a board stand in lines of text, by its descriptor (SPEC 26.5, 26.6). Pure.

Every point is one character wide, with one character between neighbors in a row, so size 19 takes
20 lines of 43 columns. On a hexagonal grid, each row stands one column further right than the row
below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from pierule_games.board import board
from pierule_games.description import BoardDescriptor, BoardShape

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

Label: TypeAlias = tuple[int, int, str]
"""The column and the line at which a coordinate begins, and its text."""


class Plan:
    """The board of one size. `points` has the column and line of each existing cell, `rows` the
    cells of each line from left to right, `arms` the sides on which lines leave a cell, and
    `strong` the cells on thick lines."""

    def __init__(self, descriptor: BoardDescriptor, shape: BoardShape) -> None:
        self.size = shape.size
        self._slant = int(descriptor.grid == "hexagonal")
        self._index = board(shape.size).index
        missing = {self._index.get(point) for point in shape.missing}
        there = [cell for cell in range(self.size**2) if cell not in missing]
        labels = [*self._letters(descriptor, there), *self._numbers(descriptor, there)]
        spots = {cell: self._spot(*divmod(cell, self.size)) for cell in there}
        left = min([x for x, _, _ in labels] + [x - 1 for x, _ in spots.values()]) - 1
        rows = [row for _, row, _ in labels] + [row for _, row in spots.values()]
        top = max(rows)
        self.points = {cell: (x - left, top - row) for cell, (x, row) in spots.items()}
        self.labels = [(x - left, top - row, text) for x, row, text in labels]
        self.height = top - min(rows) + 1
        ends = [x + len(text) for x, _, text in self.labels]
        self.width = max(ends + [x + 2 for x, _ in self.points.values()])
        self.rows: list[list[int]] = [[] for _ in range(self.height)]
        for cell, (_, y) in self.points.items():
            self.rows[y].append(cell)
        self._cells = {spot: cell for cell, spot in self.points.items()}
        self.arms = dict.fromkeys(there, 0)
        self.strong: set[int] = set()
        if descriptor.surface == "points":
            self._draw(shape)

    @property
    def middle(self) -> int:
        """The cell nearest to the middle of the board."""
        half = (self.size - 1) / 2
        rows = {cell: divmod(cell, self.size) for cell in self.points}
        return max(rows, key=lambda cell: (-sum(abs(half - at) for at in rows[cell]), cell))

    @property
    def lined(self) -> bool:
        """Whether the lines tell something: some neighbors on the square grid are joined by a line,
        and some are not."""
        there = {divmod(cell, self.size) for cell in self.points}
        pairs = sum(
            ((row + 1, column) in there) + ((row, column + 1) in there) for row, column in there
        )
        joined = sum(arms.bit_count() for arms in self.arms.values()) // 2
        return 0 < joined < pairs

    def cell_at(self, x: int, y: int) -> int | None:
        """The cell that is drawn at this column and line, or one column to the right; None off the
        board."""
        found = self._cells.get((x, y))
        return self._cells.get((x + 1, y)) if found is None else found

    def toward(self, cell: int, columns: int, rows: int) -> int:
        """The next point in a direction: along the row, or the nearest point of the next row,
        preferably in the same column. The same point if there is none."""
        x, y = self.points[cell]
        if rows:
            line = self.rows[y - rows] if 0 <= y - rows < self.height else []

            def far(to: int) -> tuple[int, bool]:
                return abs(self.points[to][0] - x), to % self.size != cell % self.size

            return min(line, key=far, default=cell)
        ahead = [to for to in self.rows[y] if (self.points[to][0] - x) * columns > 0]
        return min(ahead, key=lambda to: abs(self.points[to][0] - x), default=cell)

    def between(self, first: str, last: str) -> list[int]:
        """The cells on the straight line between two points, including both; empty if there is no
        such line."""
        if first not in self._index or last not in self._index:
            return []
        row, column = divmod(self._index[first], self.size)
        to_row, to_column = divmod(self._index[last], self.size)
        down, across = to_row - row, to_column - column
        length = max(abs(down), abs(across))
        if down and across and abs(down) != abs(across):
            return []
        steps = range(length + 1)
        by_row, by_column = (down // length, across // length) if length else (0, 0)
        return [(row + at * by_row) * self.size + column + at * by_column for at in steps]

    def _spot(self, row: int, column: int) -> tuple[int, int]:
        return 2 * column + self._slant * row, row

    def _letters(self, descriptor: BoardDescriptor, there: Sequence[int]) -> Iterator[Label]:
        """A letter below or above each column: on a square grid all of them in one row."""
        below = descriptor.columns == "below"
        for column in range(self.size):
            rows = [cell // self.size for cell in there if cell % self.size == column]
            if not rows:
                continue
            ends = rows if self._slant else range(self.size)
            row = min(ends) - 1 if below else max(ends) + 1
            yield *self._spot(row, column), chr(97 + column)

    def _numbers(self, descriptor: BoardDescriptor, there: Sequence[int]) -> Iterator[Label]:
        """A number left or right of each row: on a square grid all of them in one column."""
        left, away = descriptor.rows == "left", 2 if self._slant else 3
        for row in range(self.size):
            columns = [cell % self.size for cell in there if cell // self.size == row]
            if not columns:
                continue
            ends = columns if self._slant else range(self.size)
            x, _ = self._spot(row, min(ends) if left else max(ends))
            text = str(row + 1)
            yield x - away - len(text) + 1 if left else x + away, row, text

    def _draw(self, shape: BoardShape) -> None:
        for line in [*shape.lines, *shape.strong]:
            for first, last in pairwise(line):
                cells = self.between(first, last)
                for one, other in pairwise(cells):
                    self._join(one, other)
                if line in shape.strong:
                    self.strong.update(cells)

    def _join(self, one: int, other: int) -> None:
        """Draw the line between two neighbors, if it runs along a row or a column."""
        low, high = sorted((one, other))
        if low not in self.arms or high not in self.arms or high - low not in (1, self.size):
            return
        along = high - low == 1
        self.arms[low] |= EAST if along else NORTH
        self.arms[high] |= WEST if along else SOUTH

"""Citadel: a game for tests, on a board of hexagons that is a hexagon itself.

The first player sets up two rocks and a black stone, the second takes a color, and White begins. A
turn is one stone on an empty point. A rock without an empty point beside it becomes a tower of the
color with more stones beside it (of neither if they are equal). When the board is full, a color's
score is its largest group of stones and two for each of its towers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import comb
from typing import ClassVar

from pierule_games.game import (
    BLACK,
    EMPTY,
    OTHER,
    WHITE,
    Fields,
    Part,
    Seat,
    Winner,
    check_agreement,
    check_board,
)
from pierule_games.refusal import Refusal

ROCK, BLACK_TOWER, WHITE_TOWER = 6, 7, 8
ROCKS = 2
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, -1))


@cache
def points(size: int) -> dict[str, int]:
    """The index of each point that there is, by its name; columns first."""
    side = size // 2
    return {
        f"{chr(97 + column)}{row + 1}": row * size + column
        for column in range(size)
        for row in range(size)
        if side <= column + row <= 3 * side
    }


@cache
def neighbors(size: int) -> dict[int, list[int]]:
    """The points beside each point, by index."""
    there = set(points(size).values())
    found: dict[int, list[int]] = {}
    for at in there:
        row, column = divmod(at, size)
        around = [(column + x, row + y) for x, y in STEPS]
        inside = [r * size + c for c, r in around if 0 <= c < size and 0 <= r < size]
        found[at] = [beside for beside in inside if beside in there]
    return found


@dataclass(frozen=True, slots=True)
class Citadel:
    """A position of Citadel."""

    game: ClassVar[str] = "citadel"
    sizes: ClassVar[Sequence[int]] = (5, 7)
    default_size: ClassVar[int] = 5
    draws: ClassVar[bool] = True
    komi: ClassVar[None] = None
    passes: ClassVar[int] = 0

    size: int
    cells: bytes
    to_act: Seat | None = 0
    black: Seat | None = None

    @classmethod
    def opening(cls, size: int) -> Citadel:
        """The empty board. Raises ValueError for a size that the game does not have."""
        if size not in cls.sizes:
            raise ValueError(f"Citadel has no board of size {size}")
        return cls(size, bytes(size * size))

    @classmethod
    def restore(cls, fields: Fields) -> Citadel:
        """The position with these fields. Raises ValueError where no game could have it."""
        check_board(cls, fields, WHITE_TOWER)
        position = cls(fields.size, bytes(fields.cells), fields.to_act, fields.black)
        there = set(points(fields.size).values())
        if any(cell for at, cell in enumerate(fields.cells) if at not in there):
            raise ValueError("something stands where there is no point")
        rocks = sum(fields.cells.count(cell) for cell in (ROCK, BLACK_TOWER, WHITE_TOWER))
        if rocks != (0 if position.phase == "first" else ROCKS):
            raise ValueError(f"{rocks} rocks and towers in the phase {position.phase}")
        check_agreement(fields, position)
        return position

    @property
    def phase(self) -> str:
        """`first`, `color`, `play` or `over`."""
        if self.black is None:
            return "color" if any(self.cells) else "first"
        return "play" if self._empty() else "over"

    @property
    def score(self) -> tuple[int, int]:
        """The largest groups of (Black, White), and two for each tower."""
        return (
            self.largest(BLACK) + 2 * self.cells.count(BLACK_TOWER),
            self.largest(WHITE) + 2 * self.cells.count(WHITE_TOWER),
        )

    @property
    def winner(self) -> Winner | None:
        """The higher score wins."""
        if self.phase != "over" or self.black is None:
            return None
        black, white = self.score
        if black == white:
            return "draw"
        return self.black if black > white else OTHER[self.black]

    def play(self, action: str) -> Citadel | Refusal:
        """The position after `action`, or why it is not legal here."""
        match self.phase:
            case "first":
                return self._set_up(action)
            case "color":
                if action not in ("black", "white"):
                    return Refusal("color")
                black: Seat = 1 if action == "black" else 0
                return replace(self, black=black, to_act=OTHER[black])
            case "play":
                return self._refuse_empty(action) or self._placed(points(self.size)[action])
        return Refusal("over")

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action can be put together from these points: rocks, then a stone."""
        match self.phase:
            case "color" | "over" as phase:
                return Refusal(phase)
            case "first" if len(points) > ROCKS + 1:
                return Refusal("spelling")
            case "play" if len(points) > 1:
                return Refusal("spelling")
        for at, point in enumerate(points):
            if refusal := self._refuse_empty(point):
                return refusal
            if point in points[:at]:
                return Refusal("named_twice", (point,))
        return None

    def actions(self) -> Iterator[str]:
        """Every legal action."""
        match self.phase:
            case "first":
                for rocks in combinations(points(self.size), ROCKS):
                    for point in points(self.size):
                        if point not in rocks:
                            yield f"{','.join(rocks)}/{point}"
            case "color":
                yield from ("black", "white")
            case "play":
                yield from (point for point, at in points(self.size).items() if not self.cells[at])

    def count(self) -> int:
        """How many actions are legal."""
        if self.phase == "first":
            there = len(points(self.size))
            return comb(there, ROCKS) * (there - ROCKS)
        return sum(1 for _ in self.actions())

    def template(self) -> tuple[Part, ...]:
        """Two rocks and a black stone, at first."""
        if self.phase != "first":
            return ()
        there = tuple(points(self.size))
        return (Part("rock", ROCKS, there, cell=ROCK), Part("stone", 1, there, cell=BLACK))

    def group(self, at: int) -> set[int]:
        """The points connected to one by what stands on it."""
        found, waiting = {at}, [at]
        for here in waiting:
            more = {n for n in neighbors(self.size)[here] if self.cells[n] == self.cells[at]}
            waiting += more - found
            found |= more
        return found

    def largest(self, color: int) -> int:
        """How many stones the largest group of a color has."""
        stones = [at for at, cell in enumerate(self.cells) if cell == color]
        return max((len(self.group(at)) for at in stones), default=0)

    def _empty(self) -> list[int]:
        return [at for at in points(self.size).values() if not self.cells[at]]

    def _refuse_empty(self, point: str) -> Refusal | None:
        at = points(self.size).get(point)
        if at is None:
            known = len(point) in (2, 3) and point[0].islower() and point[1:].isdecimal()
            return Refusal("off_board", (point,)) if known else Refusal("spelling")
        return Refusal("occupied", (point,)) if self.cells[at] else None

    def _set_up(self, action: str) -> Citadel | Refusal:
        rocks, slash, stone = action.partition("/")
        named = [*rocks.split(","), stone]
        if not slash or len(named) != ROCKS + 1:
            return Refusal("spelling")
        if refusal := self.refuse_points(named):
            return refusal
        order = list(points(self.size))
        if order.index(named[0]) > order.index(named[1]):
            return Refusal("order", (named[1], named[0]))
        cells = bytearray(self.cells)
        for point, value in zip(named, (ROCK, ROCK, BLACK), strict=True):
            cells[points(self.size)[point]] = value
        return replace(self, cells=bytes(cells), to_act=1)

    def _placed(self, at: int) -> Citadel:
        cells = bytearray(self.cells)
        cells[at] = BLACK if self.to_act == self.black else WHITE
        for rock in [at for at, cell in enumerate(cells) if cell == ROCK]:
            around = [cells[beside] for beside in neighbors(self.size)[rock]]
            black, white = around.count(BLACK), around.count(WHITE)
            if EMPTY not in around and black != white:
                cells[rock] = BLACK_TOWER if black > white else WHITE_TOWER
        after = replace(self, cells=bytes(cells), to_act=OTHER[self.to_act])
        return after if after._empty() else replace(after, to_act=None)

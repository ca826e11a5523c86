"""What a game is: the small interface that every set of rules implements.

Rules are pure: no time, no I/O, no randomness (law 1). A position is immutable. Playing an action
gives a new position or a `Refusal`, which is an ordinary answer and not an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self, TypeAlias

from pierule_games.refusal import Refusal

EMPTY, BLACK, WHITE = range(3)
"""Values of cells that mean the same in every game. Each game defines the others."""

Seat: TypeAlias = Literal[0, 1]
"""0 is the first player, who cuts; 1 the second, who chooses."""

Cells: TypeAlias = list[tuple[int, int]]
"""New values of cells, by their indices."""

OTHER: dict[Seat | None, Seat] = {0: 1, 1: 0}
"""The other seat. The key may be typed None, but there is no entry for None."""

Winner: TypeAlias = Literal[0, 1, "draw"]
"""The seat that won, or `draw`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a set-up action: `count` pieces on some of `points`, or a number out of `numbers`.

    `what` is the name of a piece, or of a number such as `komi`. `points` is empty for a number,
    and `numbers` is empty for pieces.
    """

    what: str
    count: int
    points: tuple[str, ...] = ()
    numbers: range = range(0)
    cell: int | None = None
    """The value of the cells that get these pieces; None for a number."""


class Position(Protocol):
    """The state of a game. Positions are hashable, and compare by value.

    The properties are exactly what a position's text carries (SPEC 5.3).
    """

    game: ClassVar[str]

    @property
    def size(self) -> int:
        """Points along one side."""
        ...

    @property
    def phase(self) -> str:
        """The phase (SPEC 8.2); `over` when nobody may act."""
        ...

    @property
    def to_act(self) -> Seat | None:
        """The seat that acts next; None when the game is over."""
        ...

    @property
    def black(self) -> Seat | None:
        """The seat that plays Black; None until the colors are chosen."""
        ...

    @property
    def komi(self) -> int | None:
        """White's compensation in points; None if the game has none or it is not set yet."""
        ...

    @property
    def passes(self) -> int:
        """How many passes in a row the last actions were, 0 to 2."""
        ...

    @property
    def cells(self) -> bytes:
        """The board: size * size cell values, at index `(row - 1) * size + column`, columns counted
        from 0."""
        ...

    @property
    def score(self) -> tuple[int, int]:
        """The present score of (Black, White), including the komi once it is set.

        For a game without points, see SPEC 26.15. The account explains the score (26.12)."""
        ...

    @property
    def winner(self) -> Winner | None:
        """Who won by the rules; None while the game runs."""
        ...

    def play(self, action: str) -> Self | Refusal:
        """The position after `action`, or why it is not legal here. Raises for no string."""
        ...

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action begins with `points`, picked in this order. None if they are a legal
        action or can become one with further points.

        `points` are one or more names of points, which need not be on this board. The pieces of
        one kind in a set-up may be picked in any order, and a segment from either end. Never
        raises."""
        ...

    def actions(self) -> Iterator[str]:
        """Every legal action once, in a fixed order. There may be millions of set-up actions."""
        ...

    def count(self) -> int:
        """How many actions are legal. It does not list set-up actions one by one."""
        ...

    def template(self) -> tuple[Part, ...]:
        """The parts of a set-up action; empty in phases whose actions are best listed."""
        ...


@dataclass(frozen=True, slots=True)
class Fields:
    """All that a position carries, as plain values. Its text is written from them (SPEC 5.3)."""

    game: str
    size: int
    phase: str
    to_act: Seat | None
    black: Seat | None
    komi: int | None
    passes: int
    score: tuple[int, int]
    winner: Winner | None
    cells: bytes


class Rules(Protocol):
    """A type of positions, which also knows its sizes, its openings, and how to restore a
    position."""

    game: ClassVar[str]
    sizes: ClassVar[Sequence[int]]
    default_size: ClassVar[int]
    draws: ClassVar[bool]
    """Whether a game can end in a draw, by the rules or as the players agree."""

    @classmethod
    def opening(cls, size: int) -> Position:
        """The position before the first action. Raises ValueError if `size` is not in `sizes`."""
        ...

    @classmethod
    def restore(cls, fields: Fields) -> Position:
        """The position with these fields. Raises ValueError if no game can lead to it."""
        ...


def check_board(rules: type[Rules], fields: Fields, most: int) -> None:
    """Check the fields of any game before `restore` builds a position: the game, the size, the
    number of cells, and that no cell's value exceeds `most`. Raises ValueError."""
    if fields.game != rules.game:
        raise ValueError(f"this is a position of {fields.game}, not of {rules.game}")
    cells, expected = fields.cells, rules.opening(fields.size).size ** 2
    if len(cells) != expected:
        raise ValueError(f"size {fields.size} has {expected} cells, not {len(cells)}")
    if max(cells) > most:
        raise ValueError(f"a cell has the value {max(cells)}; the highest is {most}")


def check_agreement(fields: Fields, position: Position) -> None:
    """Check that the fields which follow from other fields agree with the restored position.

    Raises ValueError."""
    for name in ("phase", "to_act", "komi", "passes", "score", "winner"):
        said, true = getattr(fields, name), getattr(position, name)
        if said != true:
            raise ValueError(f"{name} is {said}, but the other fields make it {true}")

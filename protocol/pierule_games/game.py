"""What a game is: the small interface behind which each set of rules stands.

Only pure values may enter here: no time, no I/O, no randomness (law 1). A position
is immutable; playing an action gives a new position or a `Refusal`, which is an
ordinary answer and not an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self, TypeAlias

from pierule_games.refusal import Refusal

EMPTY, BLACK, WHITE = range(3)
"""Values of cells that mean the same in every game. What others mean, each game says."""

Color: TypeAlias = Literal["black", "white"]
Seat: TypeAlias = Literal[0, 1]
"""0 is the first player, who cuts; 1 the second, who chooses."""

Cells: TypeAlias = list[tuple[int, int]]
"""New values of cells, by their indices."""

OTHER: dict[Seat | None, Seat] = {0: 1, 1: 0}
"""The other seat, of one that is known."""

Winner: TypeAlias = Literal[0, 1, "draw"]
"""The seat that won, or `draw`."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a set-up action: how many of what, and where (or from which numbers).

    `what` is the name of a piece, or of a number such as `komi`; `points` are the points allowed
    (empty for a number); `numbers` are the numbers allowed (empty otherwise).
    """

    what: str
    count: int
    points: tuple[str, ...] = ()
    numbers: range = range(0)
    cell: int | None = None
    """The value of the cells on which these pieces stand then; None for a number."""


class Position(Protocol):
    """The state of a game. Equal positions compare equal and hash alike.

    Attributes are exactly what a position's text carries (SPEC 5.3).
    """

    game: ClassVar[str]

    @property
    def size(self) -> int:
        """Points along one side."""
        ...

    @property
    def phase(self) -> str:
        """The phase, as the SPEC names it (8.2); `over` when nobody may act."""
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
        """White's compensation in points; None where the game has none or it is not yet set."""
        ...

    @property
    def passes(self) -> int:
        """How many passes in succession were just played, 0 to 2."""
        ...

    @property
    def cells(self) -> bytes:
        """The board: size * size cell values, index (row - 1) * size + column."""
        ...

    @property
    def score(self) -> tuple[int, int]:
        """The score of (Black, White) as the board stands, komi included once it is set.

        SPEC 26.15 says what a game without points gives. The account explains the score (26.12)."""
        ...

    @property
    def winner(self) -> Winner | None:
        """Who won by the rules; None while the game runs."""
        ...

    def play(self, action: str) -> Self | Refusal:
        """The position after `action`, or why it is not legal here. Never raises for any string."""
        ...

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action can be put together from `points`, picked in this order; None if
        one can, by picking no more or going on.

        `points` are one or more names of points, on this board or not. Pieces of one kind in
        a set-up may be picked in any order, and a segment from either end. Never raises."""
        ...

    def actions(self) -> Iterator[str]:
        """Every legal action, each once, in a fixed order. There may be millions of set-ups."""
        ...

    def count(self) -> int:
        """How many actions are legal, without listing set-ups one by one."""
        ...

    def template(self) -> tuple[Part, ...]:
        """What a set-up action is put together from; empty where actions are best listed."""
        ...


@dataclass(frozen=True, slots=True)
class Fields:
    """All that a position carries, as plain values: what its text is written from."""

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
    """A position type also knows how its games begin and how a position is taken up again."""

    game: ClassVar[str]
    sizes: ClassVar[Sequence[int]]
    default_size: ClassVar[int]
    draws: ClassVar[bool]
    """Whether a game can end in a draw, by the rules or as the players agree."""

    @classmethod
    def opening(cls, size: int) -> Position:
        """The position before the first action. Raises ValueError for a size not in `sizes`."""
        ...

    @classmethod
    def restore(cls, fields: Fields) -> Position:
        """The position that has these fields. Raises ValueError where no position could."""
        ...


def check_board(rules: type[Rules], fields: Fields, most: int) -> None:
    """What `restore` checks of any game's fields before it builds a position: the game, the size,
    and cells of values up to `most`. Raises ValueError."""
    if fields.game != rules.game:
        raise ValueError(f"a position of {fields.game} is none of {rules.game}")
    cells, expected = fields.cells, rules.opening(fields.size).size ** 2
    if len(cells) != expected:
        raise ValueError(f"size {fields.size} has {expected} cells, not {len(cells)}")
    if max(cells) > most:
        raise ValueError(f"{max(cells)} is no value of a cell")


def check_agreement(fields: Fields, position: Position) -> None:
    """What `restore` checks in the end: fields that follow from others say the same.

    Raises ValueError."""
    for name in ("phase", "to_act", "komi", "passes", "score", "winner"):
        said, true = getattr(fields, name), getattr(position, name)
        if said != true:
            raise ValueError(f"{name} is given as {said}, but by the rest it is {true}")

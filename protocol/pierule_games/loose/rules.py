"""Loose (Luis Bolaños Mures, 2012): a group without a true liberty changes sides.

Only the rules of SPEC 11 may enter here. A position holds two sets of stones, and what the set-up
and the passes decided. Its phase follows from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from pierule_games.board import Board, board, cells_of, indices, refuse_name, set_of
from pierule_games.game import (
    BLACK,
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


@cache
def _komis(size: int) -> dict[str, int]:
    """Every legal komi, by its only spelling."""
    return {f"komi:{n}": n for n in range(0, size * size, 2)}


@dataclass(frozen=True, slots=True)
class Loose:
    """A position of Loose. `stones` are the sets of Black's and of White's stones."""

    game: ClassVar[str] = "loose"
    sizes: ClassVar[Sequence[int]] = range(5, 20, 2)
    default_size: ClassVar[int] = 9
    draws: ClassVar[bool] = False

    size: int
    to_act: Seat | None = 0
    black: Seat | None = None
    komi: int | None = None
    passes: int = 0
    winner: Winner | None = None
    stones: tuple[int, int] = (0, 0)

    @classmethod
    def opening(cls, size: int) -> Loose:
        """The empty board. Raises ValueError for a size that the game does not have."""
        if size not in cls.sizes:
            raise ValueError(f"Loose has no board of size {size}")
        return cls(size)

    @classmethod
    def restore(cls, fields: Fields) -> Loose:
        """The position with these fields. Raises ValueError if no game can lead to it."""
        check_board(cls, fields, WHITE)
        size, cells = fields.size, fields.cells
        stones = set_of(cells, BLACK), set_of(cells, WHITE)
        position = cls(
            size, fields.to_act, fields.black, fields.komi, fields.passes, fields.winner, stones
        )
        if fault := position._fault():
            raise ValueError(fault)
        check_agreement(fields, position)
        return position

    @property
    def phase(self) -> str:
        """`komi`, `color`, `play` or `over`."""
        if self.komi is None:
            return "komi"
        if self.black is None:
            return "color"
        return "over" if self.passes == 2 else "play"

    @property
    def cells(self) -> bytes:
        """The board: size * size cell values."""
        black, white = self.stones
        return cells_of(self.size, (black, BLACK), (white, WHITE))

    @property
    def score(self) -> tuple[int, int]:
        """The number of stones of (Black, White); the komi counts for White."""
        black, white = self.stones
        return black.bit_count(), white.bit_count() + (self.komi or 0)

    def play(self, action: str) -> Loose | Refusal:
        """The position after `action`, or why it is not legal here."""
        match self.phase:
            case "play":
                return self._pass() if action == "pass" else self._place(action)
            case "color":
                return self._choose(action)
            case "komi":
                return self._set_komi(action)
            case _:
                return Refusal("over")

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action begins with these points. No action of Loose has two points."""
        after = self.play("/".join(points))
        return after if isinstance(after, Refusal) else None

    def actions(self) -> Iterator[str]:
        """Every legal action: points by index, then `pass`."""
        match self.phase:
            case "play":
                black, white = self.stones
                plan = board(self.size)
                for i in indices(plan.full ^ (black | white)):
                    if not isinstance(self._after(i), Refusal):
                        yield plan.names[i]
                yield "pass"
            case "color":
                yield from ("black", "white")
            case "komi":
                yield from _komis(self.size)

    def count(self) -> int:
        """How many actions are legal."""
        return sum(1 for _ in self.actions())

    def template(self) -> tuple[Part, ...]:
        """The komi, until it is set."""
        if self.komi is not None:
            return ()
        return (Part("komi", 1, numbers=range(0, self.size * self.size, 2)),)

    def _set_komi(self, action: str) -> Loose | Refusal:
        komi = _komis(self.size).get(action)
        if komi is None:
            return Refusal("komi")
        return replace(self, to_act=1, komi=komi)

    def _choose(self, action: str) -> Loose | Refusal:
        """Seat 1 takes a color, and seat 0 gets the other. Black begins."""
        if action not in ("black", "white"):
            return Refusal("color")
        black: Seat = 1 if action == "black" else 0
        return replace(self, to_act=black, black=black)

    def _pass(self) -> Loose:
        """After the second pass in a row the game is over. On a tie, the player who passes last
        loses."""
        if not self.passes:
            return replace(self, to_act=OTHER[self.to_act], passes=1)
        black, white = self.score
        winner = OTHER[self.to_act] if black == white else self._leader()
        return replace(self, to_act=None, passes=2, winner=winner)

    def _leader(self) -> Seat | None:
        """The seat whose color has the higher score; None on a tie."""
        black, white = self.score
        if black == white:
            return None
        return self.black if black > white else OTHER[self.black]

    def _place(self, action: str) -> Loose | Refusal:
        plan = board(self.size)
        point = plan.index.get(action)
        if point is None:
            return refuse_name(action)
        black, white = self.stones
        if (black | white) >> point & 1:
            return Refusal("occupied", (action,))
        stones = self._after(point)
        if isinstance(stones, Refusal):
            return stones
        return Loose(self.size, OTHER[self.to_act], self.black, self.komi, stones=stones)

    def _after(self, point: int) -> tuple[int, int] | Refusal:
        """The stones after the mover places one on the empty `point`.

        The refusal names the placed stone if its own group has no true liberty; otherwise the stone
        with the lowest index among those whose groups have none.
        """
        plan = board(self.size)
        black, white = self.stones
        blacks_turn = self.to_act == self.black
        mine, theirs = (black, white) if blacks_turn else (white, black)
        mine |= 1 << point
        free = _with_true_liberty(plan, theirs, mine)
        mine, theirs = mine | theirs ^ free, free
        # Groups that did not flip keep their true liberty: no flipped stone is next to that point,
        # or it would not have flipped. So only the mover's groups are left to check.
        bare = mine ^ _with_true_liberty(plan, mine, theirs)
        if bare >> point & 1:
            return Refusal("no_liberty", (plan.names[point],))
        if bare:
            return Refusal("takes_liberty", (plan.names[indices(bare)[0]],))
        return (mine, theirs) if blacks_turn else (theirs, mine)

    def _fault(self) -> str | None:
        """Why no game can lead to this position; None if a game can."""
        black, white = self.stones
        if self.black not in (None, 0, 1):
            return f"Black's seat is {self.black}, not 0 or 1"
        if self.komi is not None and self.komi not in _komis(self.size).values():
            return f"the komi on size {self.size} cannot be {self.komi}"
        if self.phase in ("komi", "color"):
            opening = Loose(self.size)
            if self.komi is not None:
                opening = replace(opening, to_act=1, komi=self.komi)
            return None if self == opening else "the game has begun before its set-up is complete"
        if self.passes not in (0, 1, 2):
            return f"there are {self.passes} passes in a row; the game ends after 2"
        plan = board(self.size)
        for mine, theirs in ((black, white), (white, black)):
            if _with_true_liberty(plan, mine, theirs) != mine:
                return "a group has no true liberty"
        return self._fault_of_seats()

    def _fault_of_seats(self) -> str | None:
        """What is wrong with the next seat and the winner, given that the rest is sound."""
        unplayed = self.stones == (0, 0)
        if self.passes == 2:
            winner = self._leader()
            if winner is None and unplayed:
                winner = self.black  # White passed last
            right = self.winner == winner if winner is not None else self.winner in (0, 1)
            return None if right and self.to_act is None else "winner or to_act is wrong at the end"
        if self.winner is not None or self.to_act not in (0, 1):
            return "the game is not over, but it has a winner or no seat to act"
        if unplayed and (self.to_act == self.black) != (self.passes == 0):
            return "Black acts first, but the board is empty and it is White's turn"
        return None


def _with_true_liberty(plan: Board, stones: int, others: int) -> int:
    """Those `stones` of a color whose groups have a true liberty. `others` are the enemy's."""
    empty = plan.full ^ (stones | others)
    # An empty point without an empty neighbor is a true liberty only if all stones next to it have
    # the same color. Only points next to `stones` matter here.
    beside = plan.spread(stones) & empty
    true = beside & (plan.spread(empty) | ~plan.spread(others))
    return plan.group(plan.spread(true) & stones, stones)

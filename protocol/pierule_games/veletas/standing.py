"""What stands on a board of Veletas: five sets of points, and all that follows from them.

Nothing is kept twice, so nothing can disagree. The phase follows from what stands on the board, the
color to move from the number of stones (each turn adds one), and score and winner from the claimed
shooters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pierule_games.board import Board, beside, board, cells_of, indices, rays, visible
from pierule_games.game import BLACK, OTHER, WHITE, Seat, Winner

SHOOTER, BLACK_SHOOTER, WHITE_SHOOTER = 3, 4, 5
"""Values of cells: an unclaimed shooter, and one claimed by Black or by White."""

SHOOTERS = {10: (3, 4), 9: (2, 3), 7: (1, 2)}
"""For each size, how many shooters the first and the second set-up place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands where. The sets of points are disjoint. `shooters` are the unclaimed shooters."""

    size: int
    black: Seat | None = None
    black_stones: int = 0
    white_stones: int = 0
    shooters: int = 0
    black_shooters: int = 0
    white_shooters: int = 0

    @property
    def phase(self) -> str:
        """`first`, `color`, `second`, `play` or `over`."""
        if not self.black_stones:
            return "first"
        if self.black is None:
            return "color"
        if not self.white_stones:
            return "second"
        return "play" if self.winner is None else "over"

    @property
    def to_act(self) -> Seat | None:
        """The seat that acts next; None when the game is over."""
        phase = self.phase
        if self.black is None:
            return 0 if phase == "first" else 1
        if phase == "over":
            return None
        return self.black if phase == "play" and self._blacks_turn else OTHER[self.black]

    @property
    def komi(self) -> int | None:
        """Veletas has none."""
        return None

    @property
    def passes(self) -> int:
        """Veletas has none."""
        return 0

    @property
    def cells(self) -> bytes:
        """The board: size * size cell values."""
        return cells_of(
            self.size,
            (self.black_stones, BLACK),
            (self.white_stones, WHITE),
            (self.shooters, SHOOTER),
            (self.black_shooters, BLACK_SHOOTER),
            (self.white_shooters, WHITE_SHOOTER),
        )

    @property
    def score(self) -> tuple[int, int]:
        """The shooters claimed by (Black, White)."""
        return self.black_shooters.bit_count(), self.white_shooters.bit_count()

    @property
    def winner(self) -> Winner | None:
        """The seat whose color has claimed a majority of all shooters; None before that."""
        if self.black is None:
            return None
        majority = sum(SHOOTERS[self.size]) // 2 + 1
        black, white = self.score
        if black >= majority:
            return self.black
        return OTHER[self.black] if white >= majority else None

    @property
    def _batch(self) -> int:
        """How many shooters the present set-up places."""
        return SHOOTERS[self.size][1 if self.shooters else 0]

    @property
    def _inner(self) -> int:
        """All points but the outermost ring."""
        plan, n = board(self.size), self.size
        return plan.full << n & plan.full >> n & plan.not_a & plan.not_last

    @property
    def _stones(self) -> int:
        """All that blocks sight: stones do, shooters do not, whether claimed or not."""
        return self.black_stones | self.white_stones

    @property
    def _empty(self) -> int:
        taken = self._stones | self.shooters | self.black_shooters | self.white_shooters
        return board(self.size).full ^ taken

    @property
    def _blacks_turn(self) -> bool:
        """Whether Black shoots next. Black began when both had one stone, and every turn adds
        one."""
        return self.black_stones.bit_count() == self.white_stones.bit_count()

    def _trapped(self) -> int:
        """The unclaimed shooters that have no empty square in line of sight."""
        lines, near, stones, empty = rays(self.size), beside(self.size), self._stones, self._empty
        trapped = 0
        for i in indices(self.shooters):
            # Nearly always an adjacent square is empty, and that check is cheaper.
            if not near[i] & empty and not visible(lines[i], stones) & empty:
                trapped |= 1 << i
        return trapped

    def _claim(self, trapped: int) -> Self:
        """The position after these shooters are claimed, all by the same board."""
        plan, black_claims = board(self.size), 0
        for i in indices(trapped):
            black, white = largest(plan, i, self.black_stones), largest(plan, i, self.white_stones)
            # On a tie, the opponent of the player who just shot claims: the color to move now.
            if black > white or (black == white and self._blacks_turn):
                black_claims |= 1 << i
        return replace(
            self,
            shooters=self.shooters ^ trapped,
            black_shooters=self.black_shooters | black_claims,
            white_shooters=self.white_shooters | trapped ^ black_claims,
        )

    def _fault(self) -> str | None:
        """Why no game can lead to this position; None if a game can."""
        first, second = SHOOTERS[self.size]
        black, white = self.black_stones.bit_count(), self.white_stones.bit_count()
        claimed = self.black_shooters | self.white_shooters
        shooters = (self.shooters | claimed).bit_count()
        started = shooters == first + second
        if shooters not in (0, first, first + second):
            return (
                f"there are {shooters} shooters; size {self.size} has {first}, then {second} more"
            )
        if not started and (black, white) != (min(shooters, 1), 0):
            return f"{black} black and {white} white stones cannot stand with {shooters} shooters"
        if started and not (white and 0 <= black - white <= 1):
            return f"{black} black and {white} white stones cannot stand: Black began"
        if not shooters and self.black is not None:
            return "the colors are chosen, but the first set-up is not done"
        if started and self.black is None:
            return "the second set-up is done, but the colors are not chosen"
        if black + white <= 2 and (claimed or self.shooters & ~self._inner):
            return "a shooter is claimed or on the outermost ring before the first turn"
        if self._trapped():
            return "a trapped shooter is not claimed"
        return None


def largest(plan: Board, cell: int, stones: int) -> int:
    """The size of the largest group of `stones` adjacent to a cell; 0 if there is none."""
    beside, most = plan.neighbors[cell] & stones, 0
    while beside:
        group = plan.group(beside & -beside, stones)
        most = max(most, group.bit_count())
        beside &= ~group
    return most

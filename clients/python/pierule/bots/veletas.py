"""What a position of Veletas is worth."""

from __future__ import annotations

from pierule_rules.board import Board, board, indices, rays, visible
from pierule_rules.veletas import Veletas

CLAIM = 1_000
"""The worth of a claimed shooter."""
WALL = 240
"""The worth of the larger group beside a shooter that is all but walled in."""


def value(position: Veletas) -> int:
    """What the position is worth to Black: `CLAIM` for each shooter more than White."""
    plan, lines = board(position.size), rays(position.size)
    black, white = position.black_stones, position.white_stones
    stones = black | white
    empty = plan.full ^ (stones | position.shooters)
    empty &= ~(position.black_shooters | position.white_shooters)
    black_score, white_score = position.score
    total = CLAIM * (black_score - white_score)
    for shooter in indices(position.shooters):
        ways = (visible(lines[shooter], stones) & empty).bit_count()
        lead = largest(plan, shooter, black) - largest(plan, shooter, white)
        if lead:
            wall = WALL // (1 + ways)
            total += (wall if lead > 0 else -wall) + lead
    return total


def largest(plan: Board, cell: int, stones: int) -> int:
    """The size of the largest group of `stones` beside a cell; 0 if there is none."""
    beside, most = plan.neighbors[cell] & stones, 0
    while beside:
        group = plan.group(beside & -beside, stones)
        most = max(most, group.bit_count())
        beside &= ~group
    return most

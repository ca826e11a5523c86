"""What a position of Loose is worth."""

from __future__ import annotations

from pierule_games.board import board
from pierule_games.loose.rules import Loose
from pierule_games.sight import Sight

STONE = 8
"""The worth of one stone on the board."""
LIBERTY = 6
"""The worth of an empty point that touches only one color: usually that color gets it."""
REACH = 1
"""The worth of an empty point that touches a color."""
FAIR_KOMI = 2
"""The komi, in stones, at which both colors win about as often."""


def value(position: Loose) -> int:
    """What the position is worth to Black: about `STONE` for each stone of lead over White."""
    plan = board(position.size)
    black, white = position.stones
    empty = plan.full ^ (black | white)
    blacks, whites = plan.spread(black) & empty, plan.spread(white) & empty
    stones = black.bit_count() - white.bit_count() - (position.komi or 0) + FAIR_KOMI
    alone = (blacks & ~whites).bit_count() - (whites & ~blacks).bit_count()
    reach = blacks.bit_count() - whites.bit_count()
    return STONE * stones + LIBERTY * alone + REACH * reach


SIGHT = Sight(value, 12, scale=64)
"""How a bot sees Loose."""

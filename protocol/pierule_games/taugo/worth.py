"""What a position of Taugo is worth."""

from __future__ import annotations

from pierule_games.sight import Sight
from pierule_games.taugo.geometry import lines
from pierule_games.taugo.rules import Taugo

POINT = 16
"""The worth of one point of the score."""
REACH = 1
"""The worth of an empty inner point that touches a color."""


def value(position: Taugo) -> int:
    """What the position is worth to Black: about `POINT` for each point of lead over White."""
    plan = lines(position.size)
    black, white = position.stones
    black_score, white_score = position.score
    empty = plan.inner & ~(black | white)
    reach = (plan.spread(black) & empty).bit_count() - (plan.spread(white) & empty).bit_count()
    strings = len(position.strings[1]) - len(position.strings[0])
    return POINT * (black_score - white_score) + REACH * reach + strings


SIGHT = Sight(value, 40, scale=400)
"""How a bot sees Taugo."""

"""How a bot evaluates a game. Each game's package provides this; the search itself knows no
game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

WON = 1_000_000
"""The worth of a won game. The search makes a later win worth a little less."""


class Step(NamedTuple):
    """An action, and what the position after it is worth to the seat that acts."""

    worth: int
    action: str


@dataclass(frozen=True, slots=True)
class Sight:
    """How to evaluate positions of a game.

    `value` is what a running position is worth to Black. `width` is how many actions of a position
    the search follows. `glance` is for games that can evaluate all actions of a position faster
    than by playing each: their worth, in any order, or None if it cannot tell. If a position is
    worth `scale` to a color, that color wins about three games in four from there."""

    value: Callable[[Any], int]
    width: int = 20
    glance: Callable[[Any], Iterable[Step] | None] = lambda _: None
    scale: int = 100

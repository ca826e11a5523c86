"""How a bot sees a game. A game brings this with its rules; the search itself knows no game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

WON = 1_000_000
"""The worth of a game that is won; one that is won later is worth less."""


class Step(NamedTuple):
    """An action, and what it leads to is worth to the seat that acts."""

    worth: int
    action: str


@dataclass(frozen=True, slots=True)
class Sight:
    """What running positions are worth to Black, and how many actions of each a search follows
    further. `glance` is for games that have a quicker way than to play each action: what those of
    a position lead to, in any order (None: it does not know). A color to which a position is worth
    `scale` wins about three games of four from there."""

    value: Callable[[Any], int]
    width: int = 20
    glance: Callable[[Any], Iterable[Step] | None] = lambda _: None
    scale: int = 100

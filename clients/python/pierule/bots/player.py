"""Who chooses: the levels, and one pure function from a position to an action."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from pierule.bots import loose, taugo, veletas
from pierule.bots.search import Budget, Search, set_up
from pierule_rules.game import Position

Level: TypeAlias = Literal["random", "one-step", "search"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""How well a bot plays: at random, by looking one action ahead, or as far as its time reaches."""

_VALUES: dict[str, tuple[Callable[[Any], int], int]] = {
    "loose": (loose.value, 12),
    "veletas": (veletas.value, 10),
    "taugo": (taugo.value, 40),
}
"""For each game what its positions are worth, and how many actions a search follows."""


def choose(position: Position, level: Level, rng: Random, budget: Budget) -> str:
    """A legal action. The budget bounds the search; the other levels need none."""
    if level == "random":
        return random_action(position, rng)
    value, width = _VALUES[position.game]
    if level == "one-step":
        return Search(value, width, rng, Budget()).steps(position)[0].action
    return Search(value, width, rng, budget).best(position)


def random_action(position: Position, rng: Random) -> str:
    """One of all legal actions, each as likely as the others."""
    template = position.template()
    return set_up(template, rng) if template else rng.choice([*position.actions()])

"""Why an action is not legal, as data. Each game's texts put it into words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not legal: the rule it breaks and the points that show it.

    `rule` is a key of `refusals` in the game's texts. `points` are names such as `e5`, in the order
    of that text's placeholders. `Game.sentence` gives the words.
    """

    rule: str
    points: tuple[str, ...] = ()

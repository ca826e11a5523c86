"""Why an action is not legal: data, which each game's texts put into words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not legal: the rule it breaks and the points that show it.

    `rule` is a key of the game's `refusals` in its texts. `points` are names such as `e5`, in the
    order in which the placeholders of that text count them. `Game.sentence` gives the words.
    """

    rule: str
    points: tuple[str, ...] = ()

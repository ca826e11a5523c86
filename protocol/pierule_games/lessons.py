"""Short forms to write lessons with: a step, its right choices, and its wrong ones."""

from __future__ import annotations

from pierule_games.description import Choice, Step


def step(says: str, *choices: Choice) -> Step:
    """A step with these choices."""
    return Step(says=says, choices=list(choices))


def right(says: str, *actions: str) -> list[Choice]:
    """Good choices that end the lesson, one for each of `actions`; each says `says`."""
    return [Choice(action=action, says=says) for action in actions]


def wrong(says: str, *actions: str) -> list[Choice]:
    """Legal actions that miss the point; `says` tells why."""
    return [Choice(action=action, says=says, good=False) for action in actions]

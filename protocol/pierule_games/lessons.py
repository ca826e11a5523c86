"""What lessons are written down with: shorter ways to say a step, and what is wrong in it."""

from __future__ import annotations

from pierule_games.description import Choice, Step


def step(says: str, *choices: Choice) -> Step:
    """A step with these choices."""
    return Step(says=says, choices=list(choices))


def right(says: str, *actions: str) -> list[Choice]:
    """Actions that end the lesson well."""
    return [Choice(action=action, says=says) for action in actions]


def wrong(says: str, *actions: str) -> list[Choice]:
    """Legal actions that miss the point; `says` is why."""
    return [Choice(action=action, says=says, good=False) for action in actions]

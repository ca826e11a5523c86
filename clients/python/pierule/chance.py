"""A random legal action, in any game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pierule.room import Room
from pierule_protocol import world
from pierule_protocol.messages import LegalPart


async def random_action(room: Room, rng: Random | None = None) -> str:
    """A random legal action of the seat that is to act. It asks the server what is legal.

    If nothing is, because the game has just ended, the result is `pass`, which the server will
    refuse as `finished`. Raises like `Room.legal`.
    """
    rng = rng or world.random()
    prefix = ""
    while True:
        legal = await room.legal(prefix)
        if legal.template:
            return random_set_up(legal.template, rng)
        if legal.actions is not None:
            return rng.choice(legal.actions or ["pass"])
        prefix += rng.choice(legal.next)  # too many to list, so ask for a longer prefix


def random_set_up(template: Sequence[LegalPart], rng: Random) -> str:
    """A random set-up action from a template (SPEC 6.4): a komi, or the points of each part, sorted
    by column, then by row."""
    taken: list[str] = []
    written = []
    for part in template:
        if part.first is not None:
            numbers = range(part.first, (part.last or 0) + 1, part.step or 1)
            return f"{part.what}:{rng.choice(numbers)}"
        points = rng.sample([point for point in part.points if point not in taken], part.count)
        taken += points
        written.append(",".join(sorted(points, key=lambda point: (point[0], int(point[1:])))))
    return "/".join(written)

"""How good a position is: the score that a seat may expect, and the best action (SPEC 27.17).

The same position gives the same answer, on every machine: the bound is a number of actions that are
looked at, and chance comes from the position itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pierule_games.game import Position
from pierule_games.sight import WON, Sight, Step
from pierule_search.search import MOST_DEPTH, Budget, Search, Spent, first_sight, played

LOOKS = 4_000
"""How many actions are looked at for a position: about half a second of a slow processor."""

SEEN = WON - MOST_DEPTH
"""The least worth of a win that the search has seen to the end."""

DOUBT = 0.01
"""So far from certain stays whatever it has not seen to the end."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What seat 0 may expect in a position: 1 if it wins, 0 if it loses, 0.5 for an even game or a
    draw. `best` is the best action, None when the game is over; `played` is what seat 0 may expect
    after the action that was asked about, seen as far ahead (None: none was). `depth` is how many
    plies the search has looked ahead."""

    expected: float
    best: str | None
    played: float | None
    depth: int


def evaluate(
    position: Position, sight: Sight, action: str | None = None, looks: int = LOOKS
) -> Evaluation:
    """How good a position is, and how good a legal action is there."""
    if position.to_act is None:
        return Evaluation(_ended(position), None, None, 0)
    # S311: the same chance for the same position is what is wanted.
    rng = Random(f"{position.game} {position.cells.hex()} {position.phase}")  # noqa: S311
    deepening = _Deepening(sight, rng, looks, position, action)
    best, here, after, depth = deepening.result()
    if position.to_act == 1:
        here, after = 1 - here, None if after is None else 1 - after
    rounded = None if after is None else round(after, 4)
    return Evaluation(round(here, 4), best, rounded, depth)


def expected(worth: float, scale: int) -> float:
    """The score that a seat may expect to which a position is worth so much: three of four at
    `scale`, and certain only of what was seen to the end."""
    if abs(worth) >= SEEN:
        return 1.0 if worth > 0 else 0.0
    odds: float = 3.0 ** max(-20.0, min(20.0, worth / scale))
    return max(DOUBT, min(1 - DOUBT, odds / (1 + odds)))


def _ended(position: Position) -> float:
    return 0.5 if position.winner == "draw" else float(position.winner == 0)


class _Deepening:
    """The whole plies that fit into a bound, one after the other; worth is for the seat to act."""

    def __init__(
        self, sight: Sight, rng: Random, looks: int, position: Position, action: str | None
    ) -> None:
        self._sight, self._position, self._action = sight, position, action
        self._budget = Budget(looks)
        self._search = Search(sight, rng, self._budget)

    def result(self) -> tuple[str, float, float | None, int]:
        """The best action, what the seat may expect, the same after the action that was asked
        about, and the depth."""
        before: float = first_sight(self._sight, self._position, self._position.to_act)
        steps, depth = self._first(), 1
        try:
            while abs(steps[0].worth) < SEEN and depth < MOST_DEPTH:
                deeper = self._deeper(steps, depth)
                before, steps, depth = steps[0].worth, deeper, depth + 1
        except Spent:
            pass
        return (steps[0].action, *self._expected(before, steps), depth)

    def _first(self) -> list[Step]:
        """The actions, as one look ahead shows them, with the one that was asked about."""
        steps = self._search.steps(self._position)
        if self._action is None or any(step.action == self._action for step in steps):
            return steps
        after = played(self._position, self._action)
        steps.append(Step(first_sight(self._sight, after, self._position.to_act), self._action))
        return sorted(steps, key=lambda step: -step.worth)

    def _deeper(self, steps: Sequence[Step], depth: int) -> list[Step]:
        """The best of the steps, and the one that was asked about, one ply deeper. Raises Spent."""
        chosen = [*steps[: 2 * self._sight.width]]
        chosen += [step for step in steps[len(chosen) :] if step.action == self._action]
        seen: list[Step] = []
        best = -2 * WON
        for step in chosen:
            self._budget.check()
            low = -2 * WON if step.action == self._action else best
            found = self._search.follow(self._position, step, depth, low, 2 * WON)
            seen.append(Step(found, step.action))
            best = max(best, found)
        # The sort is stable: of those that are no better than the best so far it stays the first.
        return sorted(seen, key=lambda step: -step.worth)

    def _expected(self, before: float, steps: Sequence[Step]) -> tuple[float, float | None]:
        """Between this ply and the one before: whoever has just acted always looks better."""
        best = steps[0].worth
        asked = next((step.worth for step in steps if step.action == self._action), None)
        scale, shift = self._sight.scale, (best - before) / 2
        if self._position.black is None or max(abs(best), abs(before)) >= SEEN:
            shift = 0
        here = expected(best - shift, scale)
        if asked is None:
            return here, None
        return here, expected(asked if abs(asked) >= SEEN else asked - shift, scale)

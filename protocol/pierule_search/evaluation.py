"""How good a position is: the score that seat 0 may expect, and the best action (SPEC 27.17).

The same position gives the same answer on every machine: the search tries a bounded number of
actions, and chance comes from the position itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pierule_games.game import Position
from pierule_games.sight import WON, Sight, Step
from pierule_search.search import MOST_DEPTH, Budget, Search, Spent, first_sight, played

LOOKS = 4_000
"""How many actions the search tries for a position, and as many again for an action that is asked
about. Each takes about half a second on a slow processor."""

SEEN = WON - MOST_DEPTH
"""The least worth of a win that the search has found."""

DOUBT = 0.01
"""Results of the search are never nearer than this to 0 or 1, because it leaves most actions
out."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The score that seat 0 may expect in a position: 1 for a win, 0 for a loss, 0.5 for a draw or
    an even game. `best` is the best action; None if the game is over. `played` is what seat 0 may
    expect after the action that was asked about; None if there was none. `depth` is how many plies
    the search looked ahead."""

    expected: float
    best: str | None
    played: float | None
    depth: int


def evaluate(
    position: Position, sight: Sight, action: str | None = None, looks: int = LOOKS
) -> Evaluation:
    """How good a position is, and with `action`, how good this legal action is. Asking about an
    action does not change the rest of the answer."""
    if position.to_act is None:
        return Evaluation(_ended(position), None, None, 0)
    # S311: the same position must get the same random numbers.
    rng = Random(f"{position.game} {position.cells.hex()} {position.phase}")  # noqa: S311
    deepening = _Deepening(sight, rng, looks, position)
    here = deepening.here()
    after = None if action is None else min(here, deepening.after(action))
    if position.to_act == 1:
        here, after = 1 - here, None if after is None else 1 - after
    rounded = None if after is None else round(after, 4)
    return Evaluation(round(here, 4), deepening.best.action, rounded, deepening.depth)


def expected(worth: float, scale: int) -> float:
    """The score that a seat may expect if the position is worth `worth` to it: 0.75 at `scale`, and
    never certain."""
    odds: float = 3.0 ** max(-20.0, min(20.0, worth / scale))
    return max(DOUBT, min(1 - DOUBT, odds / (1 + odds)))


def _ended(position: Position) -> float:
    return 0.5 if position.winner == "draw" else float(position.winner == 0)


class _Deepening:
    """A search that goes one ply deeper as long as its bound allows. Worth is for the seat to
    act."""

    def __init__(self, sight: Sight, rng: Random, looks: int, position: Position) -> None:
        self._sight, self._rng, self._looks, self._position = sight, rng, looks, position
        self._budget = Budget(looks)
        self._search = Search(sight, rng, self._budget)
        before: float = first_sight(sight, position, position.to_act)
        self._first = steps = self._search.steps(position)
        self.depth = 1
        try:
            while abs(steps[0].worth) < SEEN and self.depth < MOST_DEPTH:
                deeper = self._deeper(steps)
                before, steps, self.depth = steps[0].worth, deeper, self.depth + 1
        except Spent:
            pass
        self.best = steps[0]
        # The mean of the last two depths: the player who has just acted always looks better.
        self._shift = (self.best.worth - before) / 2
        if position.black is None or max(abs(self.best.worth), abs(before)) >= SEEN:
            self._shift = 0

    def here(self) -> float:
        """What the seat to act may expect. It is certain only if the best action wins."""
        if played(self._position, self.best.action).winner == self._position.to_act:
            return 1.0
        return expected(self.best.worth - self._shift, self._sight.scale)

    def after(self, action: str) -> float:
        """What the seat to act may expect after this action. It looks equally far ahead, if as many
        tries as before are enough for that."""
        if action == self.best.action:
            return self.here()
        after = played(self._position, action)
        if after.to_act is None:
            return _ended(after) if self._position.to_act == 0 else 1 - _ended(after)
        worth = first_sight(self._sight, after, self._position.to_act)
        step = next((each for each in self._first if each.action == action), Step(worth, action))
        worth, search = step.worth, Search(self._sight, self._rng, Budget(self._looks))
        try:
            for depth in range(1, self.depth):
                worth = search.follow(self._position, step, depth, -2 * WON, 2 * WON)
        except Spent:
            pass
        return expected(worth - self._shift, self._sight.scale)

    def _deeper(self, steps: Sequence[Step]) -> list[Step]:
        """The best steps, evaluated one ply deeper. Raises Spent."""
        seen: list[Step] = []
        best = -2 * WON
        for step in steps[: 2 * self._sight.width]:
            self._budget.check()
            found = self._search.follow(self._position, step, self.depth, best, 2 * WON)
            seen.append(Step(found, step.action))
            best = max(best, found)
        # The sort is stable, so on a tie the earlier best step stays first.
        return sorted(seen, key=lambda step: -step.worth)

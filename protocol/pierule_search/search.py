"""Looking ahead: sort the actions by their results, then search the best with alpha-beta.

Worth is an int from the point of view of the seat that acts. A search ends when its budget is used
up, and returns the best action so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from random import Random

from pierule_games.game import Part, Position, Seat
from pierule_games.refusal import Refusal
from pierule_games.sight import WON, Sight, Step

SET_UPS = 200
"""How many set-up actions the search tries. There may be millions."""
MOST_DEPTH = 40
"""The most plies that a search looks ahead."""


class Spent(Exception):
    """The budget is used up."""


class Budget:
    """A bound for a search (None: no bound): `most` seconds by `clock`, or without a clock, `most`
    calls of `check`."""

    def __init__(self, most: float | None = None, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or count(1).__next__
        self._end = None if most is None else most + (clock() if clock else 0)

    def check(self) -> None:
        """Raise Spent if the budget is used up."""
        if self._end is not None and self._clock() >= self._end:
            raise Spent


class Search:
    """A search in one game."""

    def __init__(self, sight: Sight, rng: Random, budget: Budget) -> None:
        self._sight = sight
        self._rng = rng
        self._budget = budget

    def steps(self, position: Position) -> list[Step]:
        """The actions with their worth one ply ahead, the best first, equal ones in random order.
        If the budget ends, only the actions tried so far, but at least one. Only a sample of
        set-up actions is tried."""
        found: list[Step] = []
        try:
            for step in self.ahead(position):
                found.append(step)
                self._budget.check()
        except Spent:
            pass
        self._rng.shuffle(found)
        found.sort(key=lambda step: -step.worth)
        return found

    def best(self, position: Position) -> str:
        """The best action found before the budget ends."""
        steps = self.steps(position)
        try:
            for depth in range(1, MOST_DEPTH):
                self._budget.check()
                if steps[0].worth >= WON - MOST_DEPTH or len(steps) == 1:
                    break
                steps = self._deepened(position, steps, depth)
        except Spent:
            pass
        return steps[0].action

    def ahead(self, position: Position) -> Iterable[Step]:
        """Each action with the worth of the position after it."""
        return self._sight.glance(position) or self._played(position)

    def _played(self, position: Position) -> Iterator[Step]:
        """Each action, tried in random order."""
        actions = [*candidates(position, self._rng)]
        self._rng.shuffle(actions)
        for action in actions:
            yield Step(first_sight(self._sight, played(position, action), position.to_act), action)

    def _deepened(self, position: Position, steps: list[Step], depth: int) -> list[Step]:
        """The steps at the root, with their worth `depth` plies later, the best first. If the
        budget ends before the first step is done, raises Spent."""
        seen: list[Step] = []
        best = -2 * WON
        for step in steps[: 2 * self._sight.width]:
            try:
                worth = self.follow(position, step, depth, best, 2 * WON)
            except Spent:
                if not seen:
                    raise
                break
            seen.append(Step(worth, step.action))
            best = max(best, worth)
        seen.sort(key=lambda step: -step.worth)
        return seen

    def follow(self, position: Position, step: Step, depth: int, low: int, high: int) -> int:
        """What a step is worth to its seat, `depth` plies later. The value is exact if it lies
        between `low` and `high`."""
        after = played(position, step.action)
        if after.to_act is None:
            return step.worth
        if after.to_act == position.to_act:
            return self._deeper(after, depth, low, high)
        return -self._deeper(after, depth, -high, -low)

    def _deeper(self, position: Position, depth: int, low: int, high: int) -> int:
        """What a running position is worth to the seat that acts."""
        self._budget.check()
        steps = self.steps(position)
        self._budget.check()
        if depth == 1 or steps[0].worth >= WON:
            return steps[0].worth
        best = -2 * WON
        for step in steps[: self._sight.width]:
            worth = self.follow(position, step, depth - 1, max(low, best), high)
            best = max(best, worth - 1 if worth > WON // 2 else worth)
            if best >= high:
                break
        return best


def first_sight(sight: Sight, position: Position, seat: Seat | None) -> int:
    """What a position is worth to a seat, without looking ahead."""
    if position.to_act is None:
        if position.winner == "draw":
            return 0
        return WON if position.winner == seat else -WON
    black = sight.value(position)
    if position.black is None:  # seat 1 will take the better color
        return abs(black) if seat == 1 else -abs(black)
    return black if position.black == seat else -black


def played(position: Position, action: str) -> Position:
    """The position after a legal action."""
    after = position.play(action)
    assert not isinstance(after, Refusal)
    return after


def candidates(position: Position, rng: Random) -> Iterable[str]:
    """The legal actions, or a random sample of set-up actions if there are very many."""
    template = position.template()
    if not template or position.count() <= SET_UPS:
        return position.actions()
    return {set_up(template, rng): None for _ in range(SET_UPS)}


def set_up(template: tuple[Part, ...], rng: Random) -> str:
    """A random set-up action of this template. All are equally likely."""
    taken: set[str] = set()
    written: list[str] = []
    for part in template:
        if part.numbers:
            return f"{part.what}:{rng.choice(part.numbers)}"
        chosen = set(rng.sample([point for point in part.points if point not in taken], part.count))
        taken |= chosen
        written.append(",".join(point for point in part.points if point in chosen))
    return "/".join(written)

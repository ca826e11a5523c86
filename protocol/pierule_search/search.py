"""Looking ahead: actions in the order of their results, and alpha-beta over the best of them.

Worth is an int from the view of the seat that acts. A search ends when its budget does, and then
gives the best action that it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from random import Random

from pierule_games.game import Part, Position, Seat
from pierule_games.refusal import Refusal
from pierule_games.sight import WON, Sight, Step

SET_UPS = 200
"""How many set-ups are looked at, since there may be millions."""
MOST_DEPTH = 40
"""The most plies that a search looks ahead."""


class Spent(Exception):
    """The budget is used up."""


class Budget:
    """This much from now on (None: endless), by a clock in seconds, or without one in looks: times
    that it was asked."""

    def __init__(self, most: float | None = None, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or count(1).__next__
        self._end = None if most is None else most + (clock() if clock else 0)

    def check(self) -> None:
        """Raises Spent when it is used up."""
        if self._end is not None and self._clock() >= self._end:
            raise Spent


class Search:
    """A search in one game."""

    def __init__(self, sight: Sight, rng: Random, budget: Budget) -> None:
        self._sight = sight
        self._rng = rng
        self._budget = budget

    def steps(self, position: Position) -> list[Step]:
        """The actions, the best first by one look ahead; equal ones in random order. If the budget
        ends meanwhile, only those that were looked at, but at least one. Set-ups are sampled."""
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
        """The best action found until the budget ends."""
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
        """Each action with what it leads to."""
        return self._sight.glance(position) or self._played(position)

    def _played(self, position: Position) -> Iterator[Step]:
        """Each action, tried in random order."""
        actions = [*candidates(position, self._rng)]
        self._rng.shuffle(actions)
        for action in actions:
            yield Step(first_sight(self._sight, played(position, action), position.to_act), action)

    def _deepened(self, position: Position, steps: list[Step], depth: int) -> list[Step]:
        """The steps of the root, with their worth this many plies later. An unfinished depth counts
        only if it found something better than the best so far."""
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
        """What a step is worth to the seat that takes it, `depth` plies later; exact between `low`
        and `high`."""
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
    """What a position is worth to a seat at first sight."""
    if position.to_act is None:
        if position.winner == "draw":
            return 0
        return WON if position.winner == seat else -WON
    black = sight.value(position)
    if position.black is None:  # seat 1 will take what is better for it
        return abs(black) if seat == 1 else -abs(black)
    return black if position.black == seat else -black


def played(position: Position, action: str) -> Position:
    """The position after an action that is legal."""
    after = position.play(action)
    assert not isinstance(after, Refusal)
    return after


def candidates(position: Position, rng: Random) -> Iterable[str]:
    """The legal actions; a sample if there are very many set-ups."""
    template = position.template()
    if not template or position.count() <= SET_UPS:
        return position.actions()
    return {set_up(template, rng): None for _ in range(SET_UPS)}


def set_up(template: tuple[Part, ...], rng: Random) -> str:
    """A set-up action of this template, all equally likely."""
    taken: set[str] = set()
    written: list[str] = []
    for part in template:
        if part.numbers:
            return f"{part.what}:{rng.choice(part.numbers)}"
        chosen = set(rng.sample([point for point in part.points if point not in taken], part.count))
        taken |= chosen
        written.append(",".join(point for point in part.points if point in chosen))
    return "/".join(written)

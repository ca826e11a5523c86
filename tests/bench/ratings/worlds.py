"""Worlds of players with known strength, and a year of their games.

A strength is in points: 400 more mean odds of ten to one. A world decides the `strength` of its
players on a day, and who is there.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

DAYS = 365
GAMES = 0.3
"""Games that a player begins on a day of presence."""
DRAWS = 0.03
CANDIDATES = 3
IMPRESSION = 200
"""Standard error of the seeming strength: of `CANDIDATES` players who are there, the one who seems
nearest in strength is the opponent. With true strengths only equals would be paired, and the best
forecast of every game would be even, which rewards models that learn nothing."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game between two players, by number, on a day; `score` is that of the first."""

    day: float
    one: int
    other: int
    score: float


@dataclass(slots=True)
class Player:
    """`base` is the initial strength, `gain` what can be learnt, `pace` in how many games."""

    base: float
    gain: float = 0.0
    pace: float = 1.0
    first: float = 0.0
    last: float = DAYS
    drift: float = 0.0
    games: int = 0
    form: float = 0.0
    day: float = 0.0
    bursts: tuple[tuple[float, float], ...] = ()

    def strength(self, day: float, rng: random.Random) -> float:
        """The strength on a day. Form wanders."""
        if self.drift and day > self.day:
            self.form += rng.gauss(0, self.drift * math.sqrt(day - self.day))
        self.day = max(day, self.day)
        return self.base + self.form + self.gain * (1 - math.exp(-self.games / self.pace))

    def is_there(self, day: float) -> bool:
        if self.bursts:
            return any(begin <= day < end for begin, end in self.bursts)
        return self.first <= day < self.last


@dataclass(frozen=True, slots=True)
class Year:
    """The games of a year, and everybody's strength at its end."""

    games: list[Game]
    strengths: list[float]


def static(rng: random.Random) -> Player:
    """Strength never changes."""
    return Player(rng.gauss(0, 200))


def growing(rng: random.Random) -> Player:
    """People come all year, learn, have good and bad weeks, and leave."""
    first = 0.0 if rng.random() < 0.3 else rng.uniform(0, 300)
    return Player(
        rng.gauss(-100, 180), gain=rng.uniform(0, 400), pace=rng.uniform(15, 80), first=first,
        last=first + rng.expovariate(1 / 150), drift=3.0,
    )  # fmt: skip


def bursting(rng: random.Random) -> Player:
    """Held out: nothing is tuned on it. It has heavy tails, weeks of play with long pauses, and
    strengths that wander meanwhile."""
    heavy = rng.gauss(0, 1) / math.sqrt(rng.gammavariate(1.5, 2 / 3))
    begins = sorted(rng.uniform(0, DAYS) for _ in range(rng.randint(1, 5)))
    bursts = tuple((begin, begin + rng.uniform(5, 40)) for begin in begins)
    return Player(120 * heavy, gain=rng.uniform(-50, 250), pace=40, drift=6.0, bursts=bursts)


WORLDS: dict[str, Callable[[random.Random], Player]] = {
    "static": static, "growing": growing, "bursting": bursting,
}  # fmt: skip
TUNED = ("static", "growing")
"""The worlds in which parameters are chosen."""


def play(world: str, players: int, seed: int) -> Year:
    """A year of a world."""
    rng = random.Random(f"{world} {players} {seed}")
    people = [WORLDS[world](rng) for _ in range(players)]
    games = []
    for day in range(DAYS):
        there = [number for number, each in enumerate(people) if each.is_there(day)]
        for number in there:
            if rng.random() >= GAMES or len(there) < 2:
                continue
            now = day + rng.random()
            others = [other for other in rng.sample(there, min(len(there), CANDIDATES + 1))
                      if other != number]  # fmt: skip
            mine = people[number].strength(now, rng)
            seems = {
                each: people[each].strength(now, rng) + rng.gauss(0, IMPRESSION) for each in others
            }
            other = min(others, key=lambda each: abs(seems[each] - mine))
            gap = mine - people[other].strength(now, rng)
            if rng.random() < DRAWS:
                score = 0.5
            else:
                score = float(rng.random() < 1 / (1 + 10 ** (-gap / 400)))
            games.append(Game(now, number, other, score))
            people[number].games += 1
            people[other].games += 1
    games.sort(key=lambda game: game.day)
    return Year(games, [each.strength(DAYS, rng) for each in people])

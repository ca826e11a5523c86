"""Rating models, in floating point. Each predicts a game and then learns from it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from bench.ratings.worlds import Game

Q = math.log(10) / 400
WEEK = 7


class Model(Protocol):
    """Learns game by game. `value` is what players are ordered by."""

    def expect(self, one: int, other: int, day: float) -> float: ...
    def learn(self, game: Game) -> None: ...
    def value(self, player: int) -> float: ...


T = TypeVar("T")


def sides(game: Game, one: T, other: T) -> Iterator[tuple[int, T, T, float]]:
    """For each player: the player, what is known of them and of the opponent, and their score."""
    yield game.one, one, other, game.score
    yield game.other, other, one, 1 - game.score


@dataclass(frozen=True, slots=True)
class Elo:
    """`k` points a game, falling to `least` with the number of games."""

    k: float
    least: float
    ratings: defaultdict[int, float]
    games: defaultdict[int, int]

    @classmethod
    def of(cls, k: float, least: float) -> Elo:
        return cls(k, least, defaultdict(lambda: 1500.0), defaultdict(int))

    def expect(self, one: int, other: int, day: float) -> float:
        return 1 / (1 + math.exp(-Q * (self.ratings[one] - self.ratings[other])))

    def learn(self, game: Game) -> None:
        surprise = game.score - self.expect(game.one, game.other, game.day)
        for player, sign in ((game.one, 1), (game.other, -1)):
            k = max(self.least, self.k / (1 + self.games[player] / 10))
            self.ratings[player] += sign * k * surprise
            self.games[player] += 1

    def value(self, player: int) -> float:
        return self.ratings[player]


def g(deviation: float) -> float:
    """How much less a result counts because the opponent's rating is uncertain (Glickman 1999)."""
    return 1 / math.sqrt(1 + 3 * (Q * deviation / math.pi) ** 2)


class Glicko:
    """Glicko after each game: `first` is the deviation of a new player, `least` the lowest,
    `widening` the variance of a day."""

    def __init__(self, first: float, least: float, widening: float) -> None:
        self.first, self.least, self.widening = first, least, widening
        self.known: dict[int, tuple[float, float, float]] = {}

    def at(self, player: int, day: float) -> tuple[float, float]:
        value, deviation, last = self.known.get(player, (1500.0, self.first, day))
        return value, min(
            self.first, math.sqrt(deviation**2 + self.widening * max(0.0, day - last))
        )

    def expect(self, one: int, other: int, day: float) -> float:
        (mine, unsure), (theirs, vague) = self.at(one, day), self.at(other, day)
        return 1 / (1 + math.exp(-Q * g(math.hypot(unsure, vague)) * (mine - theirs)))

    def learn(self, game: Game) -> None:
        both = self.at(game.one, game.day), self.at(game.other, game.day)
        for player, mine, theirs, score in sides(game, *both):
            self.keep(player, *self.after(mine, [(theirs, score)]), game.day)

    def after(
        self, mine: tuple[float, float], games: list[tuple[tuple[float, float], float]]
    ) -> tuple[float, float]:
        value, deviation = mine
        learnt = change = 0.0
        for (theirs, vague), score in games:
            weight = g(vague)
            share = 1 / (1 + math.exp(-Q * weight * (value - theirs)))
            learnt += (Q * weight) ** 2 * share * (1 - share)
            change += Q * weight * (score - share)
        square = 1 / (1 / deviation**2 + learnt)
        return value + square * change, max(self.least, math.sqrt(square))

    def keep(self, player: int, value: float, deviation: float, day: float) -> None:
        self.known[player] = value, deviation, day

    def value(self, player: int) -> float:
        return self.known.get(player, (1500.0, 0.0, 0.0))[0]


class WeeklyGlicko(Glicko):
    """Glicko as designed: all games of a week count at its end. A yardstick."""

    def __init__(self, first: float, least: float, widening: float) -> None:
        super().__init__(first, least, widening)
        self.week, self.games = 0, list[Game]()

    def expect(self, one: int, other: int, day: float) -> float:
        self._close(day)
        return super().expect(one, other, day)

    def learn(self, game: Game) -> None:
        self._close(game.day)
        self.games.append(game)

    def _close(self, day: float) -> None:
        if int(day) // WEEK == self.week:
            return
        end = (self.week + 1) * WEEK
        played: dict[int, list[tuple[int, float]]] = {}
        for game in self.games:
            played.setdefault(game.one, []).append((game.other, game.score))
            played.setdefault(game.other, []).append((game.one, 1 - game.score))
        before = {player: self.at(player, end) for player in played}
        for player, games in played.items():
            found = [(before[other], score) for other, score in games]
            self.keep(player, *self.after(before[player], found), end)
        self.week, self.games = int(day) // WEEK, []


class Glicko2:
    """Glicko-2 after each game (Glickman 2012): each player has a volatility. `tau` bounds how fast
    that changes, `first` is the deviation of a new player."""

    SCALE = 173.7178

    def __init__(self, first: float, tau: float, volatility: float) -> None:
        self.first, self.tau, self.volatility = first / self.SCALE, tau, volatility
        self.known: dict[int, tuple[float, float, float, float]] = {}

    def at(self, player: int, day: float) -> tuple[float, float, float]:
        mu, phi, sigma, last = self.known.get(player, (0.0, self.first, self.volatility, day))
        square = phi**2 + sigma**2 * max(0.0, day - last) / WEEK
        return mu, min(self.first, math.sqrt(square)), sigma

    def expect(self, one: int, other: int, day: float) -> float:
        (mine, unsure, _), (theirs, vague, _) = self.at(one, day), self.at(other, day)
        weight = 1 / math.sqrt(1 + 3 * (unsure**2 + vague**2) / math.pi**2)
        return 1 / (1 + math.exp(-weight * (mine - theirs)))

    def learn(self, game: Game) -> None:
        both = self.at(game.one, game.day), self.at(game.other, game.day)
        for player, mine, theirs, score in sides(game, *both):
            mu, phi, sigma = mine
            weight = 1 / math.sqrt(1 + 3 * theirs[1] ** 2 / math.pi**2)
            share = 1 / (1 + math.exp(-weight * (mu - theirs[0])))
            variance = 1 / (weight**2 * share * (1 - share))
            delta = variance * weight * (score - share)
            sigma = self._volatility(phi, sigma, variance, delta)
            phi = 1 / math.sqrt(1 / (phi**2 + sigma**2 / 30) + 1 / variance)
            self.known[player] = mu + phi**2 * weight * (score - share), phi, sigma, game.day

    def _volatility(self, phi: float, sigma: float, variance: float, delta: float) -> float:
        start = math.log(sigma**2)

        def f(x: float) -> float:
            bulk = phi**2 + variance + math.exp(x)
            return math.exp(x) * (delta**2 - bulk) / (2 * bulk**2) - (x - start) / self.tau**2

        low, high = start - 10 * self.tau, start + 10 * self.tau
        for _ in range(25):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) > 0 else (low, middle)
        return math.exp((low + high) / 4)

    def value(self, player: int) -> float:
        return self.known.get(player, (0.0, 0.0, 0.0, 0.0))[0]


class WengLin:
    """Bradley-Terry with Gaussian beliefs (Weng and Lin 2011, as in OpenSkill). `beta` is the
    spread of one game, `tau` how much a belief widens in a day."""

    def __init__(self, first: float, beta: float, tau: float) -> None:
        self.first, self.beta, self.tau = first**2, beta, tau
        self.known: dict[int, tuple[float, float, float]] = {}

    def at(self, player: int, day: float) -> tuple[float, float]:
        mu, square, last = self.known.get(player, (0.0, self.first, day))
        return mu, min(self.first, square + self.tau**2 * max(0.0, day - last))

    def expect(self, one: int, other: int, day: float) -> float:
        (mine, unsure), (theirs, vague) = self.at(one, day), self.at(other, day)
        c = math.sqrt(unsure + vague + 2 * self.beta**2)
        return 1 / (1 + math.exp(-(mine - theirs) / c))

    def learn(self, game: Game) -> None:
        both = self.at(game.one, game.day), self.at(game.other, game.day)
        c = math.sqrt(both[0][1] + both[1][1] + 2 * self.beta**2)
        for player, mine, theirs, score in sides(game, *both):
            mu, square = mine
            share = 1 / (1 + math.exp(-(mu - theirs[0]) / c))
            eta = math.sqrt(square) / c * (square / c**2) * share * (1 - share)
            after = square * max(1e-4, 1 - eta)
            self.known[player] = mu + square / c * (score - share), after, game.day

    def value(self, player: int) -> float:
        return self.known.get(player, (0.0, 0.0, 0.0))[0]


class TrueSkill:
    """A Gaussian belief and a probit for a game between two (Herbrich et al. 2006, no draws)."""

    def __init__(self, first: float, beta: float, tau: float) -> None:
        self.first, self.beta, self.tau = first**2, beta, tau
        self.known: dict[int, tuple[float, float, float]] = {}

    def at(self, player: int, day: float) -> tuple[float, float]:
        mu, square, last = self.known.get(player, (0.0, self.first, day))
        return mu, min(self.first, square + self.tau**2 * max(0.0, day - last))

    def expect(self, one: int, other: int, day: float) -> float:
        (mine, unsure), (theirs, vague) = self.at(one, day), self.at(other, day)
        c = math.sqrt(unsure + vague + 2 * self.beta**2)
        return min(0.999, max(0.001, 0.5 * (1 + math.erf((mine - theirs) / c / math.sqrt(2)))))

    def learn(self, game: Game) -> None:
        if game.score == 0.5:
            return
        won, lost = (game.one, game.other) if game.score else (game.other, game.one)
        best, worst = self.at(won, game.day), self.at(lost, game.day)
        c = math.sqrt(best[1] + worst[1] + 2 * self.beta**2)
        t = (best[0] - worst[0]) / c
        tail = max(1e-12, 0.5 * (1 + math.erf(t / math.sqrt(2))))
        v = math.exp(-t * t / 2) / math.sqrt(2 * math.pi) / tail
        w = v * (v + t)
        for player, (mu, square), sign in ((won, best, 1), (lost, worst, -1)):
            after = square * max(1e-4, 1 - square / c**2 * w)
            self.known[player] = mu + sign * square / c * v, after, game.day

    def value(self, player: int) -> float:
        return self.known.get(player, (0.0, 0.0, 0.0))[0]


class WholeHistory:
    """Bradley-Terry with a strength of each player on each day of play, which wanders between them
    (Coulom 2008): all past games are judged again every week. A yardstick: it does not update just
    two players, and costs more with a longer history. `drift` is the variance of a day."""

    PRIOR = 1 / 200**2

    def __init__(self, drift: float) -> None:
        self.drift = drift
        self.days: dict[int, list[float]] = {}
        self.values: dict[int, list[float]] = {}
        self.games: dict[int, list[list[tuple[int, int, float]]]] = {}
        self.week = 0

    def expect(self, one: int, other: int, day: float) -> float:
        if int(day) // WEEK != self.week:
            self.week = int(day) // WEEK
            for _ in range(3):
                for player in self.days:
                    self._improve(player)
        return 1 / (1 + math.exp(-Q * (self.value(one) - self.value(other))))

    def learn(self, game: Game) -> None:
        day = float(int(game.day))
        one, other = (self._slot(player, day) for player in (game.one, game.other))
        self.games[game.one][one].append((game.other, other, game.score))
        self.games[game.other][other].append((game.one, one, 1 - game.score))
        self._improve(game.one)
        self._improve(game.other)

    def value(self, player: int) -> float:
        return self.values[player][-1] if player in self.values else 0.0

    def _slot(self, player: int, day: float) -> int:
        days = self.days.setdefault(player, [])
        values, games = self.values.setdefault(player, []), self.games.setdefault(player, [])
        if not days or days[-1] != day:
            days.append(day)
            values.append(values[-1] if values else 0.0)
            games.append([])
        return len(days) - 1

    def _improve(self, player: int) -> None:
        """One step of Newton on all strengths of a player: a tridiagonal system."""
        days, values, games = self.days[player], self.values[player], self.games[player]
        size = len(days)
        slope, curve, beside = [0.0] * size, [0.0] * size, [0.0] * size
        slope[0], curve[0] = -self.PRIOR * values[0], -self.PRIOR
        for at in range(size):
            for other, slot, score in games[at]:
                share = 1 / (1 + math.exp(-Q * (values[at] - self.values[other][slot])))
                slope[at] += Q * (score - share)
                curve[at] -= Q * Q * share * (1 - share)
            if at:
                tie = 1 / (self.drift * (days[at] - days[at - 1]))
                gap = values[at] - values[at - 1]
                slope[at] -= tie * gap
                slope[at - 1] += tie * gap
                curve[at] -= tie
                curve[at - 1] -= tie
                beside[at] = tie
        for at in range(1, size):
            part = beside[at] / curve[at - 1]
            curve[at] -= part * beside[at]
            slope[at] -= part * slope[at - 1]
        step = 0.0
        for at in range(size - 1, -1, -1):
            back = beside[at + 1] * step if at + 1 < size else 0.0
            step = (slope[at] - back) / curve[at]
            values[at] -= step

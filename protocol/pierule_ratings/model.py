"""The model: Glicko (Glickman 1999), with an update after each game (SPEC 30.3).

A rating estimates a player's strength, and its deviation says how certain that is. Both are decimal
numbers. A difference of 400 points means odds of ten to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from types import MappingProxyType
from typing import Final

from pierule_ratings.arithmetic import CONTEXT, PI, kept

DAY = 86_400_000
"""Milliseconds of a day."""


@dataclass(frozen=True, slots=True)
class Model:
    """A version of the model, and the day from which it holds. A version never changes.

    `rating` and `deviation` are those of a player without a game. Deviations lie between `least`
    and `deviation`. The square of a deviation grows by `widening` in a day without a game. A rating
    with a deviation above `settled` is provisional.
    """

    version: int
    since: str
    rating: Decimal
    deviation: Decimal
    least: Decimal
    widening: Decimal
    settled: Decimal


VERSION: Final = 1
MODELS: Final = MappingProxyType(
    {
        1: Model(
            version=1, since="2026-11-23", rating=Decimal(1500), deviation=Decimal(250),
            least=Decimal(30), widening=Decimal(10), settled=Decimal(110),
        ),
    }
)  # fmt: skip
"""All versions. Older versions stay, so their tables can still be computed."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in a game, after `games` rated games, the last of which ended `at` (ms
    since 1970)."""

    value: Decimal
    deviation: Decimal
    games: int = 0
    at: int = 0

    @classmethod
    def fresh(cls, model: Model) -> Rating:
        """The rating of a player without a game."""
        return cls(kept(model.rating), kept(model.deviation))

    @classmethod
    def anchor(cls, model: Model, value: int) -> Rating:
        """The rating of a house bot, which neither games nor time change (SPEC 30.9)."""
        return cls(kept(Decimal(value)), kept(model.least))


@dataclass(frozen=True, slots=True)
class Working:
    """How a game changed a player's rating, to show to people: the quantities of SPEC 30.3 in
    order, and the rating after it."""

    quantities: dict[str, Decimal]
    after: Rating


def widened(model: Model, rating: Rating, at: int) -> Rating:
    """The rating at a later time (ms since 1970). It becomes less certain while the player does not
    play. An earlier time changes nothing."""
    if not rating.games:
        return rating
    with localcontext(CONTEXT):
        days = Decimal(max(0, at - rating.at)) / DAY
        square = rating.deviation * rating.deviation + model.widening * days
        deviation = min(square.sqrt(), model.deviation)
        return Rating(rating.value, kept(deviation), rating.games, rating.at)


def rate(
    model: Model, first: Rating, second: Rating, score: Decimal, at: int
) -> tuple[Rating, Rating]:
    """Both ratings after a game that ended `at` (ms since 1970); `score` is the first player's: 1,
    0 or a half. Raises ValueError for another score."""
    mine, theirs = work(model, first, second, score, at)
    return mine.after, theirs.after


def work(
    model: Model, first: Rating, second: Rating, score: Decimal, at: int
) -> tuple[Working, Working]:
    """`rate`, with all intermediate quantities."""
    if score not in (0, 1, Decimal("0.5")):
        raise ValueError(f"the score is {score}, not 0, 1 or 0.5")
    before = widened(model, first, at), widened(model, second, at)
    return (
        _one(model, before[0], before[1], score, at),
        _one(model, before[1], before[0], 1 - score, at),
    )


def _one(model: Model, mine: Rating, theirs: Rating, score: Decimal, at: int) -> Working:
    with localcontext(CONTEXT):
        q = Decimal(10).ln() / 400
        spread = 3 * q * q * theirs.deviation * theirs.deviation / (PI * PI)
        g = 1 / (1 + spread).sqrt()
        share = 1 / (1 + (-q * g * (mine.value - theirs.value)).exp())
        known = 1 / (mine.deviation * mine.deviation)
        learnt = q * q * g * g * share * (1 - share)
        square = 1 / (known + learnt)
        change = q * g * square * (score - share)
        value, deviation = kept(mine.value + change), kept(max(square.sqrt(), model.least))
    told = {
        "R": mine.value, "RD": mine.deviation, "R of the opponent": theirs.value,
        "RD of the opponent": theirs.deviation, "S": score, "q": q, "g": g, "E": share,
        "1/d²": learnt, "R after": value, "RD after": deviation,
    }  # fmt: skip
    return Working(told, Rating(value, deviation, mine.games + 1, max(at, mine.at)))

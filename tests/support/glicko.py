"""Glicko as in the paper (Glickman 1999), in floating point: an independent implementation to
compare `pierule_ratings` with."""

from __future__ import annotations

from collections.abc import Iterable
from math import log, pi, sqrt

Q = log(10) / 400


def g(deviation: float) -> float:
    return 1 / sqrt(1 + 3 * (Q * deviation / pi) ** 2)


def share(rating: float, opponent: float, deviation: float) -> float:
    return 1 / (1 + 10 ** (-g(deviation) * (rating - opponent) / 400))


def period(
    rating: float, deviation: float, games: Iterable[tuple[float, float, float]]
) -> tuple[float, float]:
    """Rating and deviation after a rating period; a game is the opponent's rating and deviation,
    and the score."""
    learnt, change = 0.0, 0.0
    for opponent, unsure, score in games:
        expected = share(rating, opponent, unsure)
        learnt += (Q * g(unsure)) ** 2 * expected * (1 - expected)
        change += g(unsure) * (score - expected)
    spread = 1 / (1 / deviation**2 + learnt)
    return rating + Q * spread * change, sqrt(spread)

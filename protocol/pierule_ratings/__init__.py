"""Ratings: what the results of games say about the strength of players (SPEC 30).

Pure arithmetic. The same results in the same order give the same digits on every machine.
"""

from pierule_ratings.model import MODELS, VERSION, Model, Rating, rate, widened
from pierule_ratings.pool import Pool, Result, Step, step

__all__ = [
    "MODELS",
    "VERSION",
    "Model",
    "Pool",
    "Rating",
    "Result",
    "Step",
    "rate",
    "step",
    "widened",
]

"""ratings.json: results and the ratings after them."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

from pierule_ratings import MODELS, VERSION, Pool, Rating, Result
from pierule_ratings.model import DAY

START = 1_700_000_000_000
ANCHORS = {"otto": 1500, "pip": 100}
SCORES = {"1": Decimal(1), "0": Decimal(0), "0.5": Decimal("0.5")}


def build() -> dict[str, Any]:
    """The file."""
    pool, steps = Pool(MODELS[VERSION]), []
    for feed, (players, score, ended) in enumerate(_games(), 1):
        first, second = (ANCHORS.get(player) for player in players)
        step = pool.add(Result(feed, players, SCORES[score], ended, (first, second)))
        steps.append(
            {
                "feed": feed, "players": players, "anchors": [first, second], "score": score,
                "ended": ended, "after": [_told(rating) for rating in step.after],
            }
        )  # fmt: skip
    at = START + 200 * DAY
    table = [{"player": player, **_told(rating)} for player, rating in pool.table(at)]
    return {
        "about": "Rated games of one game in the order of their feed numbers. `score` is that of "
        "the first player, `anchors` are the fixed ratings of bots (30.9), and `after` the ratings "
        "of both after it. `table` is everybody's rating `at` a time, the highest first. Ratings "
        "are texts, and exact.",
        "version": VERSION, "steps": steps, "at": at, "table": table,
    }  # fmt: skip


def _told(rating: Rating) -> dict[str, Any]:
    return {"rating": str(rating.value), "deviation": str(rating.deviation), "games": rating.games}


def _games() -> list[tuple[tuple[str, str], str, int]]:
    """Newcomers, equals, upsets, a draw, a long pause, a clock that steps back, and bots."""
    first = [
        (("ada", "bob"), "1", START),
        (("bob", "ada"), "0.5", START + DAY),
        (("ada", "cyd"), "0", START + 2 * DAY),
        (("cyd", "bob"), "1", START + 2 * DAY - 5_000),
        (("ada", "cyd"), "1", START + 150 * DAY),
    ]
    rng = random.Random(1)
    at = START + 150 * DAY
    for _ in range(40):
        at += rng.randrange(3 * DAY)
        one, other = rng.sample(["ada", "bob", "cyd", "dan", "eve"], 2)
        first.append(((one, other), rng.choice(["1", "0", "1", "0", "0.5"]), at))
    bots = [("ada", "otto", "1"), ("otto", "bob", "1"), ("pip", "fay", "0"), ("fay", "otto", "0.5")]
    first += [((one, other), how, at + day * DAY) for day, (one, other, how) in enumerate(bots)]
    return first

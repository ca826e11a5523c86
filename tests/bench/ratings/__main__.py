"""Compare rating models on simulated years: `python -m bench.ratings` (protocol/RATINGS.md)."""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.ratings.models import (
    Elo,
    Glicko,
    Glicko2,
    Model,
    TrueSkill,
    WeeklyGlicko,
    WengLin,
    WholeHistory,
)
from bench.ratings.worlds import TUNED, WORLDS, Year, play

BURN_IN = 60
"""Days whose predictions do not count."""
NEW, SETTLED = 10, 30
"""Games up to which a player is new, and from which on they are settled."""

Maker = Callable[..., Model]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model and the parameters to choose from; a yardstick is compared but not eligible."""

    make: Maker
    grid: tuple[Sequence[float], ...]
    eligible: bool = True


FIRST = (200, 250, 300, 350)
"""Deviations of a player without games."""

CANDIDATES = {
    "Elo, fixed K": Candidate(lambda k: Elo.of(k, k), ((12, 20, 32, 48),)),
    "Elo, falling K": Candidate(Elo.of, ((60, 90, 120, 180), (6, 10, 16, 24))),
    "Glicko, game by game": Candidate(Glicko, (FIRST, (30, 45, 60, 75), (5, 10, 20, 40, 80))),
    "Glicko-2, game by game": Candidate(Glicko2, (FIRST, (0.3, 0.6), (0.03, 0.06, 0.12, 0.24))),
    "Weng-Lin (OpenSkill)": Candidate(WengLin, (FIRST, (80, 120, 170, 240), (1.5, 3, 6, 9))),
    "TrueSkill, two players": Candidate(TrueSkill, (FIRST, (120, 170, 240, 340), (1.5, 3, 6, 9))),
    "Glicko, by the week": Candidate(
        WeeklyGlicko, (FIRST, (30, 45, 60, 75), (5, 10, 20, 40, 80)), eligible=False
    ),
    "Whole-History Rating": Candidate(WholeHistory, ((5, 10, 20, 40, 80),), eligible=False),
}
MOST = 20
SMALL = {"Whole-History Rating"}
"""Only compared in pools of at most `MOST` players: it costs too much."""


@dataclass(frozen=True, slots=True)
class Score:
    """A model's results in one year: the log loss of all games and of games with a new player, the
    rank correlation with true strength, and how far a game moves settled players."""

    loss: float
    new: float
    order: float
    moved: float
    fallen: int


def judge(model: Model, year: Year) -> Score:
    """Run a model through a year."""
    games: Counter[int] = Counter()
    losses, new, moved, fallen = [], [], [], 0
    for game in year.games:
        expected = min(0.999, max(0.001, model.expect(game.one, game.other, game.day)))
        if game.day >= BURN_IN:
            loss = -(game.score * math.log(expected) + (1 - game.score) * math.log(1 - expected))
            losses.append(loss)
            if min(games[game.one], games[game.other]) < NEW:
                new.append(loss)
        both = (game.one, game.other)
        before = [model.value(player) for player in both]
        model.learn(game)
        for player, was, score in zip(both, before, (game.score, 1 - game.score), strict=True):
            change = model.value(player) - was
            fallen += (score == 1 and change < 0) or (score == 0 and change > 0)
            if games[player] >= SETTLED:
                moved.append(abs(change))
            games[player] += 1
    often = [player for player, count in games.items() if count >= NEW]
    order = _spearman([model.value(p) for p in often], [year.strengths[p] for p in often])
    return Score(_mean(losses), _mean(new), order, _mean(moved), fallen)


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else math.nan


def _spearman(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) < 3:
        return math.nan
    return statistics.correlation(_ranks(one), _ranks(other))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for rank, at in enumerate(order):
        ranks[at] = rank
    return ranks


@cache
def year_of(world: str, players: int, seed: int) -> Year:
    return play(world, players, seed)


def tuned(candidate: Candidate, seeds: Iterable[int], players: int) -> tuple[float, ...]:
    """The best predicting parameters of the grid, over the worlds for tuning."""

    def loss(parameters: tuple[float, ...]) -> float:
        return statistics.fmean(
            judge(candidate.make(*parameters), year_of(world, players, seed)).loss
            for world in TUNED for seed in seeds
        )  # fmt: skip

    return min(itertools.product(*candidate.grid), key=loss)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="make bench-ratings", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small pool, two seeds")
    parser.add_argument("--seed", type=int, default=1, help="the first seed [default 1]")
    args = parser.parse_args(arguments)
    pools = {20: 2} if args.quick else {20: 16, 100: 6, 500: 2}
    for_tuning = range(args.seed, args.seed + (1 if args.quick else 3))
    print(f"seed {args.seed}", flush=True)
    chosen: dict[str, tuple[float, ...]] = {}
    for name, candidate in CANDIDATES.items():
        small = args.quick or name in SMALL
        chosen[name] = tuned(candidate, for_tuning, MOST if small else 100)
        _say(f"{name}: {chosen[name]}")
    for players, years in pools.items():
        for world in WORLDS:
            seeds = range(args.seed + 1_000, args.seed + 1_000 + years)
            _table(world, players, seeds, chosen)


def _table(
    world: str, players: int, seeds: Sequence[int], chosen: dict[str, tuple[float, ...]]
) -> None:
    found: dict[str, list[Score]] = {
        name: [judge(CANDIDATES[name].make(*it), year_of(world, players, seed)) for seed in seeds]
        for name, it in chosen.items() if players <= MOST or name not in SMALL
    }  # fmt: skip
    best = min(
        (name for name, each in CANDIDATES.items() if each.eligible),
        key=lambda name: _mean([score.loss for score in found[name]]),
    )
    games = _mean([len(year_of(world, players, seed).games) for seed in seeds])
    print(f"\n{world}, {players} players, {len(seeds)} years of {games:.0f} games\n")
    print("| model | log loss | behind the best | with somebody new | order | moved | fallen |")
    print("|---|---|---|---|---|---|---|")
    for name, scores in found.items():
        behind = [a.loss - b.loss for a, b in zip(scores, found[best], strict=True)]
        print(
            f"| {name} | {_mean([s.loss for s in scores]):.4f} | {_with_error(behind)} "
            f"| {_shown([s.new for s in scores])} | {_mean([s.order for s in scores]):.3f} "
            f"| {_points(name, scores):.1f} | {sum(s.fallen for s in scores)} |",
            flush=True,
        )


def _points(name: str, scores: list[Score]) -> float:
    scale = Glicko2.SCALE if name.startswith("Glicko-2") else 1.0
    return scale * _mean([score.moved for score in scores])


def _shown(values: Sequence[float]) -> str:
    known = [value for value in values if not math.isnan(value)]
    return f"{_mean(known):.4f}" if known else "-"


def _with_error(values: Sequence[float]) -> str:
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{_mean(values):+.4f} ± {error:.4f}"


def _say(*told: Any) -> None:
    print(*told, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

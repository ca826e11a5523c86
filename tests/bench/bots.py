"""Plays the levels of house bots against each other: `python tests/bench/bots.py [GAMES]`.

Each line stands for this many games (by default 100), with alternating seats. For each action the
search looks at 5000 positions, about a tenth of what a house bot has time for, so that every
machine plays the same games. A target is that the stronger wins nine games in ten; `*` marks a
missed one, and the exit status is 1.

If the stronger wins all games, the difference cannot be measured. So two lines have a player in
between, who draws lots between two levels at each turn, and no target. Below are the fixed ratings
that follow (protocol/RATINGS.md), which each game's package has as `anchors`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import log10
from random import Random
from typing import NamedTuple, TypeAlias

from pierule_bots.player import LEVELS, Level, choose
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_search.search import Budget

Player: TypeAlias = tuple[Level, ...]
"""The levels between which a player draws lots at each turn."""

LOOKS = 5_000
"""How often the search may check its time: once for each position."""

BOARDS = (("loose", 5), ("veletas", 7), ("taugo", 6))
PAIRS: tuple[tuple[Player, Player], ...] = (
    (("one-step",), ("random",)),
    (("search",), ("one-step",)),
    (("search", "one-step"), ("one-step",)),
    (("search",), ("search", "one-step")),
)
GAPS = (0,), (2, 3)
"""The lines that give the distance of each level from the one before."""

PROCESSES = 2
TARGET = 0.9
STRONGEST, STEP, LEAST = 1500, 50, 100
"""The rating of the strongest level, the step to which others are rounded, and the lowest
rating."""


class Match(NamedTuple):
    """A game to be played; the stronger player sits in `seat`."""

    game: str
    size: int
    stronger: Player
    weaker: Player
    seat: int
    seed: int


class Outcome(NamedTuple):
    """The result for the stronger player: 1 won, 0 lost or drawn; and the number of plies."""

    won: bool
    drawn: bool
    plies: int


def play(match: Match) -> Outcome:
    """Play one game to its end."""
    rng = Random(match.seed)
    position: Position = GAMES[match.game].opening(match.size)
    plies = 0
    while position.to_act is not None:
        level = rng.choice(match.stronger if position.to_act == match.seat else match.weaker)
        budget = Budget(LOOKS)
        after = position.play(choose(position, level, rng, budget))
        if isinstance(after, Refusal):
            raise TypeError(str(after))
        position, plies = after, plies + 1
    return Outcome(position.winner == match.seat, position.winner == "draw", plies)


def ahead(points: float, games: int) -> float:
    """How many points the stronger is rated higher after this score. One drawn game is added, so
    that there is an answer for every score."""
    share = (points + 0.5) / (games + 1)
    return 400 * log10(share / (1 - share))


def anchors(steps: Sequence[float]) -> dict[Level, int]:
    """The fixed ratings of the levels, by the lead of each line's stronger player."""
    gaps = [sum(steps[line] for line in lines) for lines in GAPS]
    exact = [STRONGEST - sum(gaps[place:]) for place in range(len(gaps) + 1)]
    rounded = [max(LEAST, STEP * round(rating / STEP)) for rating in exact]
    return dict(zip(LEVELS, rounded, strict=True))


def compete(
    pool: ProcessPoolExecutor, board: tuple[str, int], pair: tuple[Player, Player], games: int
) -> tuple[int, int, int]:
    """Play this many games with alternating seats; return how many the stronger won, how many were
    drawn, and their mean length in plies."""
    outcomes = []
    matches = [Match(*board, *pair, number % 2, 1_000 + number) for number in range(games)]
    for outcome in pool.map(play, matches):
        outcomes.append(outcome)
        if sys.stderr.isatty():
            print(f"\r{len(outcomes)} of {games} ", end="", file=sys.stderr, flush=True)
    won, drawn, plies = map(sum, zip(*outcomes, strict=True))
    return won, drawn, plies // games


def main(games: int) -> int:
    """Play all and print the tables; 1 if a target is missed."""
    missed = False
    steps: dict[str, list[float]] = {game: [] for game, _ in BOARDS}
    print("| game | stronger | weaker | won | drawn | lost | plies |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(PROCESSES, initializer=os.nice, initargs=(10,)) as pool:
        for pair in PAIRS:
            for board in BOARDS:
                won, drawn, plies = compete(pool, board, pair, games)
                steps[board[0]].append(ahead(won + drawn / 2, games))
                mark = "*" if won < TARGET * games and len(pair[0] + pair[1]) == 2 else ""
                missed = missed or bool(mark)
                names = (" or ".join(player) for player in pair)
                row = (f"{board[0]} {board[1]}", *names, f"{won}{mark}", drawn, games - won - drawn)
                print(f"| {' | '.join(map(str, (*row, plies)))} |", flush=True)
    print("\nFixed ratings:")
    for game, of in steps.items():
        print(f"{game}: {anchors(of)}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))

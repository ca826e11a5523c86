"""How the levels of house bots do against each other: `python tests/bench/bots.py [GAMES]`.

Each line is so many games (100 if nothing is said), seats alternating. The search has 0.1 s of
processor time for an action, so that other work on the machine does not decide. A target is that
the stronger wins nine games in ten; `*` marks a missed one, and the exit status is 1.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import NamedTuple

from pierule_bots.player import Level, choose
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_search.search import Budget

SECONDS = 0.1
BOARDS = (("loose", 5), ("veletas", 7), ("taugo", 8))
PAIRS: tuple[tuple[Level, Level], ...] = (("one-step", "random"), ("search", "one-step"))
PROCESSES = 2
TARGET = 0.9


class Match(NamedTuple):
    """A game to be played; the stronger level sits in `seat`."""

    game: str
    size: int
    stronger: Level
    weaker: Level
    seat: int
    seed: int


class Outcome(NamedTuple):
    """How the stronger one fared: 1 won, 0 lost or drawn; and how many plies it took."""

    won: bool
    drawn: bool
    plies: int


def play(match: Match) -> Outcome:
    """Play one game to its end."""
    rng = Random(match.seed)
    position: Position = GAMES[match.game].opening(match.size)
    plies = 0
    while position.to_act is not None:
        level = match.stronger if position.to_act == match.seat else match.weaker
        budget = Budget(SECONDS, time.process_time)
        after = position.play(choose(position, level, rng, budget))
        if isinstance(after, Refusal):
            raise TypeError(str(after))
        position, plies = after, plies + 1
    return Outcome(position.winner == match.seat, position.winner == "draw", plies)


def main(games: int) -> int:
    """Play all and print the table; 1 if a target is missed."""
    missed = False
    print("| game | stronger | weaker | won | drawn | lost | plies |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(PROCESSES, initializer=os.nice, initargs=(10,)) as pool:
        for stronger, weaker in PAIRS:
            for game, size in BOARDS:
                matches = [
                    Match(game, size, stronger, weaker, i % 2, 1_000 + i) for i in range(games)
                ]
                outcomes = []
                for outcome in pool.map(play, matches):
                    outcomes.append(outcome)
                    if sys.stderr.isatty():
                        print(f"\r{len(outcomes)} of {games} ", end="", file=sys.stderr, flush=True)
                won, drawn, plies = map(sum, zip(*outcomes, strict=True))
                mark = "*" if won < TARGET * games else ""
                missed = missed or bool(mark)
                lost, length = games - won - drawn, plies // games
                row = (f"{game} {size}", stronger, weaker, f"{won}{mark}", drawn, lost, length)
                print(f"| {' | '.join(map(str, row))} |", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))

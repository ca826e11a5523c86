"""Measures the speed of the rules: plays the reference games and prints a table by game and size.

Run it with `python tests/bench/rules.py`; it takes some seconds. Each figure is the best of
several repeats, so that other work on the machine disturbs little. `*` marks a missed target.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal

GAMES_FILE = Path(__file__).parents[1] / "vectors" / "games.jsonl"
COLUMNS = ("play median us", "play p90 us", "list median ms", "cells us", "score us")
TARGETS: dict[tuple[str, int], tuple[float | None, ...]] = {
    ("loose", 9): (30, None, 5, None, None),
    ("veletas", 7): (30, None, None, None, None),
    ("veletas", 10): (100, None, 10, None, None),
    ("taugo", 8): (30, None, None, None, None),
    ("taugo", 16): (100, None, 10, None, 40),
}


def best(what: Callable[[], object], repeats: int) -> float:
    """The shortest of several runs, in seconds."""
    shortest = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        what()
        shortest = min(shortest, perf_counter() - start)
    return shortest


def positions(game: str, size: int, actions: list[str]) -> list[Position]:
    """The position before each of the actions."""
    position: Position = GAMES[game].opening(size)
    found = []
    for action in actions:
        found.append(position)
        after = position.play(action)
        if isinstance(after, Refusal):
            raise TypeError(f"{action} in {game} {size}: {after}")
        position = after
    return found


def list_actions(position: Position) -> list[str]:
    """All the legal actions."""
    return list(position.actions())


def measure(games: list[tuple[list[Position], list[str]]]) -> tuple[float, ...]:
    """The figures of the columns for some games of one size."""
    play, listing, cells, score = [], [], [], []
    for before, actions in games:
        for position, action in zip(before, actions, strict=True):
            play.append(best(partial(position.play, action), 7))
            cells.append(best(partial(getattr, position, "cells"), 5))
            score.append(best(partial(getattr, position, "score"), 5))
        middle = len(before) // 2
        listing += [
            best(partial(list_actions, position), 3)
            for position in before[middle - 3 : middle + 3]
            if position.phase == "play"
        ]
    return (
        statistics.median(play) * 1e6,
        statistics.quantiles(play, n=10)[-1] * 1e6,
        statistics.median(listing) * 1e3,
        statistics.median(cells) * 1e6,
        statistics.median(score) * 1e6,
    )


def main() -> None:
    """Measure all and print the table."""
    games: dict[tuple[str, int], list[tuple[list[Position], list[str]]]] = defaultdict(list)
    with GAMES_FILE.open() as lines:
        for game in map(json.loads, lines):
            name, size, actions = game["game"], game["size"], game["actions"]
            games[name, size].append((positions(name, size, actions), actions))
    print("game    size" + "".join(f"{column:>19}" for column in COLUMNS))
    for (name, size), played in games.items():
        row = f"{name:<8}{size:>4}"
        targets = TARGETS.get((name, size), (None,) * len(COLUMNS))
        for figure, target in zip(measure(played), targets, strict=True):
            missed = "*" if target is not None and figure > target else " "
            row += f"{figure:.2f}{missed}{'' if target is None else f'(<= {target})'}".rjust(19)
        print(row)


if __name__ == "__main__":
    main()

"""`pierule conform game ID`: whether a package's game does what servers and clients rely on."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from traceback import extract_tb

import msgspec

from pierule_conform import report
from pierule_conform.game_checks import (
    CHECKS,
    LISTED,
    MOST_PLIES,
    Broken,
    Check,
    Sample,
    expect,
)
from pierule_conform.report import Finding
from pierule_games import GAMES
from pierule_games.found import GROUP
from pierule_games.game import Position
from pierule_games.package import Game
from pierule_games.refusal import Refusal

DESCRIPTION = """\
Test whether an installed game does what servers and clients rely on: its rules are pure and give
the same answer twice, every action has one spelling, refusals say why, positions can be restored
from their text, texts are complete and plain in every language, and no call takes too long. The
command plays random games, from a seed.
"""

EPILOG = """\
examples:
  pierule conform game citadel
  pierule conform game citadel --games 50 --json -

exit status:
  0  everything has passed
  1  something has failed
  2  no such game, or a wrong option
"""

PASSED, FAILED, UNUSABLE = 0, 1, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule conform game`."""
    parser.add_argument("game", metavar="ID", help="the game, by its id")
    parser.add_argument("--games", type=int, default=5, metavar="N",
                        help="games to play of each size [default 5]")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random games")
    parser.add_argument("--json", metavar="FILE", help="write the findings as JSON; -: to stdout")


def unknown(game: str) -> str:
    """What to say of a game that is not installed."""
    return (
        f"there is no game {game}; there are {', '.join(GAMES)}. `make install` or `pip install` "
        f"registers a game by its entry point in the group `{GROUP}` of pyproject.toml"
    )


def run(args: argparse.Namespace) -> int:
    """Run every check. Returns the exit status."""
    if args.game not in GAMES:
        why = GAMES.failures.get(args.game)
        text = unknown(args.game) if why is None else f"{args.game} cannot be loaded: {_told(why)}"
        sys.stderr.write(f"pierule conform game: {text}\n")
        return UNUSABLE
    findings = examined(GAMES[args.game], args.games, args.seed)
    if args.json == "-":
        sys.stdout.write(report.as_json(f"game {args.game}", findings))
        return PASSED if report.passed(findings) else FAILED
    if args.json is not None:
        Path(args.json).write_text(report.as_json(f"game {args.game}", findings), "utf-8")
    sys.stdout.write(report.human(f"game {args.game}", findings))
    return PASSED if report.passed(findings) else FAILED


def examined(game: Game, games: int, seed: int) -> list[Finding]:
    """The finding of every check."""
    try:
        sample = Sample(game, [*_lines(game, games, random.Random(seed))])  # noqa: S311 - no secret
    except Exception as error:  # noqa: BLE001 - whatever a package does wrong is a finding
        title = "random games can be played to their end"
        return [Finding("8.1", "played", title, "failed", _told(error))]
    return [_finding(sample, check) for check in CHECKS]


def _finding(sample: Sample, check: Check) -> Finding:
    try:
        check.work(sample)
    except Broken as error:
        return Finding(check.section, check.name, check.title, "failed",
                       expected=error.expected, received=error.received)  # fmt: skip
    except Exception as error:  # noqa: BLE001 - whatever a package does wrong is a finding
        return Finding(check.section, check.name, check.title, "failed", _told(error))
    return Finding(check.section, check.name, check.title, "passed")


def _told(error: Exception) -> str:
    """A package's fault, and the line that failed, so that its author need not search."""
    places = [each for each in extract_tb(error.__traceback__) if Path(each.filename).is_file()]
    told = f"{type(error).__name__}: {error}"
    if isinstance(error, msgspec.ValidationError) or not places:  # a fault of texts names its file
        return told
    return f"{told} ({places[-1].filename}:{places[-1].lineno})"


def _lines(game: Game, games: int, rng: random.Random) -> Iterator[list[tuple[Position, str]]]:
    """Random games of every size, in every version of the rules."""
    for rules in game.rules.values():
        for size in rules.sizes:
            for _ in range(games):
                yield _line(rules.opening(size), rng)


def _line(position: Position, rng: random.Random) -> list[tuple[Position, str]]:
    line: list[tuple[Position, str]] = []
    while position.to_act is not None and len(line) < MOST_PLIES:
        action = rng.choice([*islice(position.actions(), LISTED)])
        line.append((position, action))
        after = position.play(action)
        expect(not isinstance(after, Refusal), f"{action} is legal, because it is listed", after)
        assert not isinstance(after, Refusal)
        position = after
    return [*line, (position, "")]

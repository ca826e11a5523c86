"""The program that evaluates positions: a task a line on standard input, its answer a line on
standard output. The API runs it in a process of its own (`pierule_archive.api.evaluator`), so that
a search takes no time from anything else, and can be killed.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

import msgspec

from pierule_games import GAMES
from pierule_protocol.state.position import parse_position
from pierule_search.evaluation import Evaluation, evaluate

READY = b"ready\n"
"""What the program says once it can take tasks."""

NICENESS = 10
"""Whoever plays on the same machine comes first."""

LONGEST = 20.0
"""Seconds of CPU after which a search ends the program: many times what its bound needs. What else
the machine does makes no difference."""


class Task(msgspec.Struct, frozen=True):
    """A position by its text (SPEC 5.3), the version of the rules, and the action to look at
    besides the best one, if any."""

    position: str
    rules: int
    action: str | None = None


def solve(task: Task) -> Evaluation:
    """The answer to a task. Raises ValueError or KeyError for what is no position."""
    fields = parse_position(task.position)
    game = GAMES[fields.game]
    if game.sight is None:
        raise ValueError(f"{game.id} has no evaluation")
    return evaluate(game.restore(fields, task.rules), game.sight, task.action)


def main() -> None:
    """Answer tasks until the input ends."""
    with suppress(OSError):  # systemd may forbid it
        os.nice(NICENESS)
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        answer = solve(msgspec.json.decode(line, type=Task))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

"""The program that evaluates positions. It reads a task per line on standard input, and writes its
answer as a line on standard output. The API runs it as a separate process
(`pierule_archive.api.evaluator`), so a search takes no time from anything else, and can be killed.
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
"""What the program writes when it can take tasks."""

NICENESS = 10
"""The niceness of the process: players on the same machine come first."""

LONGEST = 20.0
"""Seconds of CPU time after which a search ends the program: many times what its bound needs. CPU
time does not depend on what else the machine does."""


class Task(msgspec.Struct, frozen=True):
    """A position by its text (SPEC 5.3), the version of the rules, and the action to look at
    besides the best one, if any."""

    position: str
    rules: int
    action: str | None = None


def solve(task: Task) -> Evaluation:
    """The answer to a task. Raises ValueError or KeyError if it is not a position."""
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

"""The workers of a supervisor that a test has started, and the end of those that outlive it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def workers_of(pid: int) -> list[int]:
    """The processes of its workers that have not ended, the oldest first; none if it has ended."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [child for child in map(int, found.split()) if is_worker(child)]


def is_worker(pid: int) -> bool:
    """Whether this process is a worker that runs."""
    try:
        return b"\0--worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def end(workers: Iterable[int]) -> None:
    """Kill what is left of these."""
    for pid in workers:
        if is_worker(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

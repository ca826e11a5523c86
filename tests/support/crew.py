"""The workers of a supervisor that a test started; kills those that outlive it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def workers_of(pid: int) -> list[int]:
    """The running workers of a supervisor, the oldest first; none if it has ended."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [child for child in map(int, found.split()) if is_worker(child)]


def is_worker(pid: int) -> bool:
    """Whether this process is a running worker."""
    try:
        return b"\0--worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def end(workers: Iterable[int]) -> None:
    """Kill those that still run."""
    for pid in workers:
        if is_worker(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

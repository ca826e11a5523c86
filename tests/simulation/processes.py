"""Runs seeds in processes that are forked off: none of them ever looks for garbage, which would
take a tenth of the time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any, TypeVar

from simulation.loop import muted

T = TypeVar("T")

BATCH = 50
"""How many seeds a process runs. Each leaves some 3 MB, and the end of the process frees them."""
_FORK = get_context("fork")


def played(play: Callable[[int], T], seeds: Sequence[int], jobs: int) -> Iterator[T]:
    """What `play` gives for each seed; with one job, in their order.

    The first seed runs here, so that the processes begin with everything that takes long the first
    time, such as compiled scripts and queries. Raises RuntimeError if a process dies."""
    for seed in seeds[:1]:
        yield play(seed)
    with muted():
        gc.collect()
    gc.freeze()  # what is there by now need never be searched again
    batches = [seeds[at : at + BATCH] for at in range(1, len(seeds), BATCH)]
    running: dict[Any, Any] = {}
    while batches or running:
        while batches and len(running) < jobs:
            told, telling = _FORK.Pipe(duplex=False)
            work = (play, batches.pop(0), telling)
            running[told] = _FORK.Process(target=_tell, args=work, daemon=True)
            running[told].start()
            telling.close()
        heard: Any
        for heard in wait(list(running)):
            try:
                yield heard.recv()
            except EOFError:
                process = running.pop(heard)
                process.join()
                if process.exitcode:
                    raise RuntimeError(f"a process ended with {process.exitcode}") from None


def _tell(play: Callable[[int], T], seeds: Sequence[int], telling: Any) -> None:
    for seed in seeds:
        telling.send(play(seed))

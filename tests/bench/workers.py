"""Measures one worker and two, with and without the hint that brings the players of a room to one
worker (SPEC 1.15). All workers share one core, so this shows what one more worker costs."""

from __future__ import annotations

from bench.ours import Pierule
from bench.peer import Audience
from bench.rounds import Kind
from bench.targets import APART, ONE, TOGETHER
from bench.workloads import Bench
from pierule_protocol.buckets import bucket_of
from pierule_server.workers.choosing import homes

CASE = "workers, 64 in flight"
TABLES = 200
IN_FLIGHT = 64
FASTEST = 8_000
"""More actions a second than the workers can reach."""

NUMBERS = {ONE: 1, APART: 2, TOGETHER: 2}


class Workers(Pierule):
    """A supervisor with its workers. Clients with hints play all games of a table at one worker;
    without hints, the players of a table are at different ones."""

    def __init__(self, name: str, store_core: str) -> None:
        number = NUMBERS[name]
        super().__init__(store_core=store_core, flags=("--workers", str(number)))
        self.name, self.title = name, f"Pierule, {name}"
        self._homes = {
            bucket: worker
            for worker, buckets in homes(range(1, number + 1)).items()
            for bucket in buckets
        }

    @property
    def pids(self) -> list[int]:
        workers = [
            entry["pid"]
            for node in self.nodes
            for entry in node.logged
            if entry["event"] == "a worker starts"
        ]
        return [*super().pids, *workers]

    def home(self, room: str) -> int:
        return self._homes[bucket_of(room)] if self.name == TOGETHER else 0

    def hint(self, room: str) -> str:
        return f"?bucket={bucket_of(room)}" if self.name == TOGETHER else ""


def workers(bench: Bench) -> None:
    """One worker and two on one core; the players of a room at different ones, or together."""
    span = bench.options.rounds * bench.options.seconds + 1
    bench.side_by_side(
        [Workers(name, bench.options.store_core) for name in NUMBERS],
        lambda _each: Audience(TABLES, 2, int(span * FASTEST / TABLES) + 10),
        [Kind(CASE, bench.options.seconds, IN_FLIGHT)],
    )

"""Chooses the worker for a connection. Pure functions.

A client's hint names a bucket, and clients of one bucket should meet on one worker. The choice is
rendezvous hashing: each bucket prefers the workers in an order of its own, so if a worker is away,
only its buckets move. A worker with far more connections than its share gets no more: even if
thousands watch one famous room, the other cores must not stay idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b

from pierule_protocol.buckets import BUCKETS

SHARE = 1.25
SLACK = 64
"""A worker gets the connections that prefer it while it has fewer than `SHARE` times the average
number of connections plus `SLACK`."""


@cache
def preference(bucket: int, worker: int) -> bytes:
    """How much a bucket prefers a worker: compare the values of two workers."""
    return blake2b(b"%d %d" % (bucket, worker), digest_size=8).digest()


def homes(workers: Iterable[int]) -> dict[int, list[int]]:
    """The buckets of each worker while none has more than its share of connections."""
    loads = dict.fromkeys(workers, 0)
    found: dict[int, list[int]] = {worker: [] for worker in loads}
    for bucket in range(BUCKETS if loads else 0):
        found[max(loads, key=lambda worker: preference(bucket, worker))].append(bucket)
    return found


def choose(loads: Mapping[int, int], bucket: int | None) -> int | None:
    """The worker for a connection with this hint; None if there are no workers. `loads` has the
    number of connections of each worker. Without a hint, the worker with the fewest gets it."""
    if not loads:
        return None
    if bucket is not None:
        most = SLACK + SHARE * sum(loads.values()) / len(loads)
        liked = [worker for worker, load in loads.items() if load < most]
        return max(liked, key=lambda worker: preference(bucket, worker))
    return min(loads, key=lambda worker: (loads[worker], worker))

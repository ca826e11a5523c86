"""Which worker gets a connection. Pure.

A hint names a bucket, and people in rooms of one bucket are to meet on one worker. It is rendezvous
hashing: each bucket prefers the workers in an order of its own, so that while one is away only its
buckets move. A worker that has far more than its share is passed over, for the thousands who watch
one famous room are no reason to leave the other cores idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b

from pierule_protocol.buckets import BUCKETS

SHARE = 1.25
SLACK = 64
"""A worker may have so many times the average number of connections, and so many more, and still
get those that prefer it."""


@cache
def preference(bucket: int, worker: int) -> bytes:
    """How much a bucket likes a worker."""
    return blake2b(b"%d %d" % (bucket, worker), digest_size=8).digest()


def homes(workers: Iterable[int]) -> dict[int, list[int]]:
    """Which buckets each of these workers has while none has more than its share."""
    loads = dict.fromkeys(workers, 0)
    found: dict[int, list[int]] = {worker: [] for worker in loads}
    for bucket in range(BUCKETS if loads else 0):
        found[max(loads, key=lambda worker: preference(bucket, worker))].append(bucket)
    return found


def choose(loads: Mapping[int, int], bucket: int | None) -> int | None:
    """The worker, of these with so many connections each; None if there is none. Without a hint it
    is one with the fewest."""
    if not loads:
        return None
    if bucket is not None:
        most = SLACK + SHARE * sum(loads.values()) / len(loads)
        liked = [worker for worker, load in loads.items() if load < most]
        return max(liked, key=lambda worker: preference(bucket, worker))
    return min(loads, key=lambda worker: (loads[worker], worker))

"""Which worker gets a connection."""

from __future__ import annotations

from collections import Counter

from pierule_protocol.buckets import BUCKETS
from pierule_server.workers.choosing import SLACK, choose, homes


def test_a_connection_without_a_hint_goes_to_the_worker_with_the_fewest() -> None:
    assert choose({1: 3, 2: 2, 3: 2}, None) == 2
    assert choose({}, None) is None
    assert choose({}, 7) is None


def test_a_bucket_is_always_at_the_same_worker() -> None:
    for bucket in range(BUCKETS):
        at = choose({1: 0, 2: 0, 3: 0}, bucket)
        assert choose({3: 5, 1: 9, 2: 0}, bucket) == at


def test_each_bucket_is_at_home_at_the_worker_that_is_chosen_for_it() -> None:
    assert homes([]) == {}
    found = homes([1, 3, 4])
    assert sorted(bucket for buckets in found.values() for bucket in buckets) == list(range(64))
    for worker, buckets in found.items():
        assert all(choose({1: 0, 3: 0, 4: 0}, bucket) == worker for bucket in buckets)


def test_buckets_are_spread_over_the_workers() -> None:
    counted = Counter(choose(dict.fromkeys(range(1, 5), 0), bucket) for bucket in range(BUCKETS))
    assert len(counted) == 4
    assert max(counted.values()) <= 2 * BUCKETS / 4


def test_only_the_buckets_of_a_missing_worker_move() -> None:
    all_of_them = dict.fromkeys(range(1, 5), 0)
    without = {worker: 0 for worker in all_of_them if worker != 2}
    for bucket in range(BUCKETS):
        before, after = choose(all_of_them, bucket), choose(without, bucket)
        assert after != 2
        assert before in (2, after)


def test_a_famous_room_is_watched_from_all_workers() -> None:
    loads = dict.fromkeys(range(1, 5), 0)
    for _ in range(10_000):
        worker = choose(loads, 17)
        assert worker is not None
        loads[worker] += 1
    assert max(loads.values()) <= 1.25 * 2_500 + SLACK + 1

"""The schedule follows from its seed, and gives every kind its part."""

from __future__ import annotations

from collections import Counter

import pytest

from chaos.schedule import DOORS, KINDS, NODES, OF_WORKERS, Store, counts_of, schedule

STORES: list[Store] = ["single", "sentinel", "cluster"]


@pytest.mark.parametrize("store", STORES)
def test_a_schedule_follows_from_its_seed(store: Store) -> None:
    counts = counts_of(store, 100)
    assert schedule(7, counts, store, 60) == schedule(7, counts, store, 60)
    assert schedule(7, counts, store, 60) != schedule(8, counts, store, 60)


@pytest.mark.parametrize("store", STORES)
def test_a_schedule_has_the_faults_asked_for(store: Store) -> None:
    counts = counts_of(store, 100)
    faults = schedule(7, counts, store, 60)
    assert Counter(fault.kind for fault in faults) == counts
    assert sum(counts.values()) == 100
    assert [fault.at for fault in faults] == sorted(fault.at for fault in faults)
    assert 0 <= faults[0].at <= faults[-1].at <= 60
    for fault in faults:
        assert 0 <= fault.target < NODES * (DOORS if fault.kind.startswith("client") else 1)
        assert fault.seconds >= KINDS[store][fault.kind][0]


def test_every_kind_of_fault_gets_its_part() -> None:
    assert set(counts_of("single", 170).values()) == {10}
    rare = counts_of("sentinel", 100, rare=60)
    assert rare["store fail-over"] == 60
    assert sum(rare.values()) == 100


@pytest.mark.parametrize("store", STORES)
def test_workers_are_hurt_only_at_nodes_that_have_some(store: Store) -> None:
    assert not OF_WORKERS.keys() & counts_of(store, 100).keys()
    counts = counts_of(store, 100, rare=10, workers=2)
    assert counts.keys() >= OF_WORKERS.keys()
    assert sum(counts.values()) == 100
    found = Counter(fault.kind for fault in schedule(7, counts, store, 60))
    assert found == counts

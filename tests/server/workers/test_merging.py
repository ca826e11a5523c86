"""The metrics of several workers as those of one node."""

from __future__ import annotations

from typing import cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pierule_server.workers.merging import Merged, Retired, families_of, merged
from pierule_server.workers.messages import Family


class Worker:
    """The metrics of a process."""

    def __init__(self, requests: int, connections: int) -> None:
        registry = self.registry = CollectorRegistry()
        counter = Counter("pierule_requests", "Requests", ["type"], registry=registry)
        counter.labels("act").inc(requests)
        gauge = Gauge("pierule_connections", "Open", registry=registry)
        gauge.set(connections)
        Gauge("pierule_draining", "Drains", registry=registry).set(0)
        Gauge("pierule_workers", "Workers", ["state"], registry=registry).labels("serving").set(1)
        Histogram("pierule_seconds", "Took", buckets=[1, 2], registry=registry).observe(1.5)

    @property
    def families(self) -> list[Family]:
        return families_of(self.registry)


def text(families: list[Family]) -> list[str]:
    shown = generate_latest(cast("CollectorRegistry", Merged(families))).decode()
    return [line for line in shown.splitlines() if "_created" not in line]


def test_counters_are_summed_and_gauges_name_their_worker() -> None:
    lines = text(merged([("1", Worker(3, 10).families), ("2", Worker(4, 20).families)], [], []))
    assert 'pierule_requests_total{type="act"} 7.0' in lines
    assert "pierule_connections 30.0" in lines
    assert 'pierule_draining{worker="1"} 0.0' in lines
    assert 'pierule_draining{worker="2"} 0.0' in lines
    assert 'pierule_seconds_bucket{le="2.0"} 2.0' in lines
    assert "pierule_seconds_count 2.0" in lines
    assert "# TYPE pierule_seconds histogram" in lines
    assert not any(line.startswith("pierule_workers") for line in lines)


def test_only_its_own_metrics_are_taken_from_the_supervisor() -> None:
    lines = text(merged([("1", Worker(3, 10).families)], Worker(2, 99).families, []))
    assert 'pierule_requests_total{type="act"} 5.0' in lines
    assert "pierule_connections 10.0" in lines
    assert 'pierule_workers{state="serving"} 1.0' in lines


def test_counts_of_ended_workers_stay_in_the_sum() -> None:
    retired = Retired()
    retired.add(Worker(5, 10).families)
    retired.add(Worker(6, 10).families)
    lines = text(merged([("1", Worker(1, 2).families)], [], retired.families))
    assert 'pierule_requests_total{type="act"} 12.0' in lines
    assert "pierule_connections 2.0" in lines

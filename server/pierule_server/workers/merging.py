"""Merges the metrics of several processes into one set. Pure, except for `Retired`.

It sums counters, histograms, and gauges of what a node has (connections, rooms). Every other gauge
gets a label `worker`. When a worker ends, sums of counters do not fall: its counts stay in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prometheus_client.core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from pierule_server.metrics import SUMMED
from pierule_server.workers.messages import Family, Sample

SUPERVISOR = "supervisor"

_RISING = ("counter", "histogram")

_OURS = ("pierule_workers", "process_", "python_")
"""The gauges of a supervisor that mean something begin with these."""

Key = tuple[str, tuple[tuple[str, str], ...]]


def families_of(registry: CollectorRegistry) -> list[Family]:
    """The metrics of this process."""
    return [
        Family(
            metric.name, metric.documentation, metric.type,
            [Sample(each.name, each.labels, each.value) for each in metric.samples],
        )
        for metric in registry.collect()
    ]  # fmt: skip


def merged(
    workers: Iterable[tuple[str | None, Sequence[Family]]],
    supervisor: Iterable[Family],
    retired: Iterable[Family],
) -> list[Family]:
    """The metrics of all processes. A worker without a name (another process has its post) adds to
    sums only."""
    into: dict[str, tuple[Family, dict[Key, Sample]]] = {}
    for family in retired:
        _add(into, family, None)
    for family in supervisor:
        if family.kind in _RISING or family.name == "pierule_workers":
            _add(into, family, None)
        elif family.name.startswith(_OURS):
            _add(into, family, SUPERVISOR)
    for name, families in workers:
        for family in families:
            if family.name == "pierule_workers":
                continue
            if _is_summed(family):
                _add(into, family, None)
            elif name is not None:
                _add(into, family, name)
    return [
        Family(family.name, family.text, family.kind, list(samples.values()))
        for family, samples in into.values()
    ]


class Retired:
    """The counts of ended workers."""

    def __init__(self) -> None:
        self.families: list[Family] = []

    def add(self, families: Sequence[Family]) -> None:
        """Add the last metrics that an ended worker told."""
        rising = [family for family in families if family.kind in _RISING]
        self.families = merged([(None, rising)], [], self.families)


class Merged(Collector):
    """Wraps families for the encoders of prometheus-client."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        for family in self._families:
            metric = Metric(family.name, family.text, family.kind)
            for sample in family.samples:
                metric.add_sample(sample.name, sample.labels, sample.value)
            yield metric


def _is_summed(family: Family) -> bool:
    return family.kind in _RISING or family.name in SUMMED


def _add(
    into: dict[str, tuple[Family, dict[Key, Sample]]], family: Family, worker: str | None
) -> None:
    _, samples = into.setdefault(family.name, (family, {}))
    for sample in family.samples:
        labels = sample.labels if worker is None else {**sample.labels, "worker": worker}
        key = sample.name, tuple(sorted(labels.items()))
        known = samples.get(key)
        value = sample.value + (known.value if known else 0)
        samples[key] = Sample(sample.name, labels, value)

"""The metrics of several processes as those of one. Pure, but for what was counted by those that
have ended.

Counters and histograms are summed, and so are gauges of what is here (connections, rooms). Every
other gauge gets a label `worker`. A sum never falls when a worker ends: what it had counted stays
in it.
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
"""The gauges of a supervisor that mean something."""

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
    """The metrics of all. A worker without a name, whose post another one has, is in sums only."""
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
    """What workers had counted that have ended."""

    def __init__(self) -> None:
        self.families: list[Family] = []

    def add(self, families: Sequence[Family]) -> None:
        """Keep what this one has counted, as far as it was ever asked."""
        rising = [family for family in families if family.kind in _RISING]
        self.families = merged([(None, rising)], [], self.families)


class Merged(Collector):
    """Families, as the encoders of prometheus-client want them."""

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

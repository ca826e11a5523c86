"""Counters and histograms for the paths that every action and event takes.

Those of prometheus-client take a lock for each number, which cost 9 us an action: a tenth of it.
These are plain numbers that only the event loop's thread changes, read on request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector


class FastCounter(Collector):
    """A counter, with one label or none, whose values are known beforehand; all begin at 0."""

    def __init__(
        self,
        name: str,
        text: str,
        label: str | None = None,
        values: Iterable[str] = ("",),
        *,
        registry: CollectorRegistry,
    ) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._counts = dict.fromkeys(values, 0)
        registry.register(self)

    def count(self, value: str = "", more: int = 1) -> None:
        """Count one more, or several. Raises KeyError for an unknown label."""
        self._counts[value] += more

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for value, count in self._counts.items():
            family.add_metric([value] if self._labels else [], count)
        yield family


class FastHistogram(Collector):
    """A histogram of seconds, with one label or none. `bounds` are its buckets', ascending."""

    def __init__(
        self,
        name: str,
        text: str,
        label: str | None = None,
        *,
        bounds: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._bounds = bounds
        self._counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(bounds) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)
        if label is None:
            self._counts[""]
        registry.register(self)

    def observe(self, seconds: float, value: str = "") -> None:
        """Count one more that took this long."""
        self._counts[value][bisect_left(self._bounds, seconds)] += 1
        self._sums[value] += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        for value, counts in self._counts.items():
            buckets = list(zip(names, accumulate(counts), strict=True))
            family.add_metric([value] if self._labels else [], buckets, self._sums[value])
        yield family

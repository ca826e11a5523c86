"""The metrics themselves: names by convention, labels out of closed sets."""

import re
from collections.abc import Iterator

import pytest
from prometheus_client.metrics_core import Metric

from pierule_protocol.codes import Close, Code
from pierule_protocol.log.events import Flagged
from pierule_protocol.messages import Ping
from pierule_server import metrics

MOST_SERIES = 400
"""Of one node, buckets included; a cluster of ten is then still nothing to Prometheus."""


def ours() -> Iterator[Metric]:
    return (each for each in metrics.REGISTRY.collect() if each.name.startswith("pierule"))


def value(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def test_names_of_metrics_tell_their_units() -> None:
    for metric in ours():
        assert re.fullmatch(r"pierule(_[a-z]+)*", metric.name), metric.name
        assert metric.documentation
        if metric.type == "histogram":
            assert metric.name.endswith("_seconds")
        if metric.type in ("counter", "histogram"):
            assert not metric.name.endswith("_total")  # the library adds it
    names = {metric.name for metric in ours()}
    assert not {name for name in names if re.search(r"_(ms|milliseconds|kb|count)$", name)}


def test_metrics_of_the_process_are_included() -> None:
    assert value("process_resident_memory_bytes") > 0


def test_the_number_of_series_is_bounded() -> None:
    for number in range(100):  # whatever is asked of the store
        for command in ("EVALSHA", "GET", "SPUBLISH", "XRANGE", "ZREVRANGE", f"OTHER{number}"):
            metrics.count_round_trip([(command, number)], 0.001)
        metrics.count_round_trip([("GET", number), ("GET", number)], 0.001)
    assert sum(len(metric.samples) for metric in ours()) < MOST_SERIES


@pytest.mark.parametrize("name", ["mismatch", "desync"])
def test_counts_of_board_mismatches_begin_at_zero(name: str) -> None:
    series = metrics.REGISTRY.get_sample_value("pierule_board_mismatches_total", {"problem": name})
    assert series is not None


def test_every_code_has_a_series_before_it_occurs() -> None:
    get = metrics.REGISTRY.get_sample_value
    for code in Code:
        assert get("pierule_refusals_total", {"code": code.value}) is not None
    for close in Close:
        assert get("pierule_closes_total", {"close": close.name.lower()}) is not None


def test_client_text_never_becomes_a_label() -> None:
    before = value("pierule_closes_total", close="other")
    metrics.count_close(4999)
    assert value("pierule_closes_total", close="other") == before + 1
    assert metrics.REGISTRY.get_sample_value("pierule_closes_total", {"close": "4999"}) is None


def test_closes_events_and_requests_are_counted() -> None:
    def all_three() -> tuple[float, float, float]:
        return (
            value("pierule_closes_total", close="broken"),
            value("pierule_events_total", kind="flagged"),
            value("pierule_requests_total", type="ping"),
        )

    before = all_three()
    metrics.count_close(None)
    metrics.count_event(Flagged(0))
    metrics.count_request(Ping(id=1))
    assert all_three() == tuple(number + 1 for number in before)

"""The Grafana dashboard and the alerts ask only for what nodes have."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dashboard.expressions import DASHBOARD, Expression, dashboard, expressions
from pierule_server.metrics import REGISTRY, FastHistogram

ALERTS = DASHBOARD.parents[1] / "alerts.yaml"
TARGET = {"job", "instance", "le"}
"""Labels that Prometheus gives, and buckets."""


def exposed() -> dict[str, set[str]]:
    """Every series that a node may expose, with the names of its labels; also those
    of which this process has none yet."""
    found: dict[str, set[str]] = {}
    for metric in REGISTRY.collect():
        labels: set[str] = set()
        for sample in metric.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
            labels |= {*sample.labels}
        found.setdefault(metric.name, set()).update(labels)
        if metric.type == "histogram":
            found.setdefault(f"{metric.name}_bucket", set()).update(labels | {"le"})
    for collector, names in REGISTRY._collector_to_names.items():
        for name in names:
            found.setdefault(name, set()).update(getattr(collector, "_labelnames", ()))
        if isinstance(collector, FastHistogram):
            found[f"{collector._name}_bucket"].update(collector._labels)
    return found


def asked(text: str) -> set[str]:
    return set(re.findall(r"\b((?:pierule|process)_[a-z_]+)", text))


def labels_of(text: str) -> set[str]:
    """The labels by which an expression selects and groups."""
    grouped = ",".join(re.findall(r"\b(?:by|without|on|ignoring) \(([^)]*)\)", text)).split(",")
    return {*re.findall(r'(\w+)\s*[=!]~?\s*"', text), *(each.strip() for each in grouped)} - {""}


@pytest.mark.parametrize("each", [*expressions()], ids=lambda each: f"{each.panel}: {each.legend}")
def test_panels_query_existing_metrics(each: Expression) -> None:
    known = exposed()
    names = asked(each.text)
    assert names
    assert names <= {*known}
    labels = TARGET.union(*(known[name] for name in names))
    assert labels_of(each.text) <= labels
    assert set(re.findall(r"{{(\w+)}}", each.legend)) <= labels_of(each.text)


def test_alerts_group_by_existing_labels() -> None:
    known = exposed()
    for text in re.findall(r"expr: (?:>-\n)?((?:.|\n)*?)\n\s+(?:for|labels):", ALERTS.read_text()):
        labels = TARGET.union(*(known[name] for name in asked(text)))
        assert labels_of(text) <= labels, text


def test_every_alert_can_be_seen() -> None:
    """Whoever is called by an alert finds its metric on the dashboard."""
    shown = set().union(*(asked(each.text) for each in expressions()))
    alerted = asked(ALERTS.read_text())
    # Shown as an annotation, for one node in trouble, or in a state of the targets themselves.
    apart = {"pierule_draining", "pierule_webhooks_total"}
    apart |= {"pierule_store_replicas", "pierule_store_primary_up"}
    assert alerted - shown == apart, "a panel in deploy/grafana/pierule.json shows each other one"


def test_panels_have_unique_titles_and_descriptions() -> None:
    panels = [each for each in dashboard()["panels"] if each["type"] != "row"]
    titles = Counter(each["title"] for each in panels)
    assert {title for title, times in titles.items() if times > 1} <= {"Memory"}
    assert all(each["description"].endswith(".") for each in panels)
    assert len({each["id"] for each in dashboard()["panels"]}) == len(dashboard()["panels"])
    for each in dashboard()["panels"]:
        spot = each["gridPos"]
        assert spot["x"] + spot["w"] <= 24

"""The expressions of the Grafana dashboard, as Grafana would ask Prometheus for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana" / "pierule.json"


class Expression(NamedTuple):
    """What one line of a panel shows."""

    panel: str
    text: str
    legend: str

    def filled(self, seconds: int) -> str:
        """With all nodes, and rates over so many seconds."""
        text = self.text.replace("$node", ".*")
        return re.sub(r"\$__(rate_interval|range)", f"{seconds}s", text)


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text())
    return found


def expressions() -> Iterator[Expression]:
    """Those of all panels."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            yield Expression(panel["title"], target["expr"], target["legendFormat"])

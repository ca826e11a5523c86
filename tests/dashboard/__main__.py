"""Asks a real Prometheus for every panel of the dashboard, while two nodes are under load.

Needs `prometheus` on the PATH (Debian's package has it). Every panel must have an answer; those of
latencies and rates of a server in use must be above 0.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from dashboard.expressions import Expression, dashboard, expressions
from support.serving import PROGRAM, Serving
from support.stores import free_port, single, wait_for

SECONDS = 240
"""For at most so long every panel is asked for again, until all have their answer."""
STORM = 15
RANGE = 60
IN_USE = {
    "Connections", "Users and seeks: users", "Events a second: acted", "An action is kept",
    "An event is with everybody", "The event loop is late", "Round trips", "CPU", "Memory",
    "File descriptors", "Does it answer?", "Connections that end, a second",
}  # fmt: skip
"""Panels, or lines of panels, that must show more than nothing."""
MAY_BE_EMPTY = {"Errors a second", "Refused requests a second"}
"""Panels that show nothing while nothing is wrong."""
KEYS = {"PIERULE_KEYS": "dashboard:" + "0" * 64}


@contextmanager
def prometheus(folder: Path, targets: list[str]) -> Iterator[str]:
    """A Prometheus that scrapes the nodes every second; its address."""
    program = shutil.which("prometheus")
    assert program, "there is no prometheus on the PATH"
    job = {"job_name": "pierule", "scrape_interval": "1s", "static_configs": [{"targets": targets}]}
    alerts = Path(__file__).parents[2] / "deploy" / "alerts.yaml"
    config = folder / "prometheus.yml"
    config.write_text(json.dumps({"rule_files": [str(alerts)], "scrape_configs": [job]}))
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}",
         f"--web.listen-address={address}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(lambda: _ready(address), "Prometheus is ready")
        yield address
    finally:
        process.terminate()
        process.wait()


def _ready(address: str) -> bool:
    with suppress(OSError), urlopen(f"http://{address}/-/ready", timeout=5) as answer:
        return bool(answer.status == 200)
    return False


def ask(address: str, expression: str) -> list[dict[str, Any]]:
    """The series of an instant query."""
    query = urlencode({"query": expression})
    with urlopen(f"http://{address}/api/v1/query?{query}", timeout=30) as answer:
        found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
    return found


def judge(each: Expression, series: list[dict[str, Any]]) -> str | None:
    """What is wrong with an answer."""
    values = [float(one["value"][1]) for one in series]
    shown = {each.panel, f"{each.panel}: {each.legend}"}
    if not values and each.panel not in MAY_BE_EMPTY:
        return "no series"
    if shown & IN_USE and not any(value > 0 for value in values):
        return f"nothing above 0: {values}"
    return None


@contextmanager
def loaded(folder: Path) -> Iterator[list[Serving]]:
    """Two nodes over one store, with games, spectators and storms of reconnects."""
    with ExitStack() as stack:
        store = stack.enter_context(single())
        nodes = []
        for name in ("a", "b"):
            (folder / name).mkdir()
            serving = Serving(folder / name, store=store.url, environment=KEYS)
            nodes.append(stack.enter_context(serving))
        urls = [node.url for node in nodes]
        load = subprocess.Popen(
            [str(PROGRAM), "load", *urls, "--games", "20", "--spectators", "2", "--rate", "60",
             "--seconds", "3600", "--storm", str(STORM)]
        )  # fmt: skip
        try:
            yield nodes
        finally:
            load.terminate()
            load.wait()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="pierule-dashboard-") as name, ExitStack() as stack:
        folder = Path(name)
        nodes = stack.enter_context(loaded(folder))
        targets = [node.operations.removeprefix("http://") for node in nodes]
        address = stack.enter_context(prometheus(folder, targets))
        deadline = time.monotonic() + SECONDS
        while True:
            found = {each: ask(address, each.filled(RANGE)) for each in expressions()}
            wrong = sum(judge(each, series) is not None for each, series in found.items())
            if not wrong or time.monotonic() > deadline:
                break
            time.sleep(1)
        for each, series in found.items():
            trouble = judge(each, series)
            shown = ", ".join(f"{float(one['value'][1]):.4g}" for one in series[:4])
            print(
                f"{'WRONG' if trouble else 'ok':5} {each.panel}: {each.legend}: {trouble or shown}"
            )
        (annotation,) = dashboard()["annotations"]["list"]
        ask(address, Expression("", annotation["expr"], "").filled(RANGE))
        with urlopen(f"http://{address}/api/v1/rules", timeout=30) as answer:
            groups = json.load(answer)["data"]["groups"]
        for rule in (rule for group in groups for rule in group["rules"]):
            wrong += rule["health"] == "err"
            if rule["health"] == "err" or rule["state"] == "firing":
                print(f"alert {rule['name']}: {rule['state']} {rule.get('lastError', '')}")
        print(f"{wrong} of {len(found)} are wrong")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

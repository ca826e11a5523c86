"""The page and the plot of a run: everything measured is told, and both are well formed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from bench.figures import Fact, Result, Spread
from bench.plot import plot
from bench.quick import Entry, add, entry, trend
from bench.report import report, shown
from bench.test_figures import one, result

CASES = ("fan-out 100", "fan-out 1000", "gentle 1000", "rooms, 64 in flight", "alone")
CONTENDERS = ("pierule", "loop", "colyseus", "broadcast")


def whole() -> Result:
    measured = [
        one(name, number, case=case, per_second=1_000 + number * 100)
        for case in CASES
        for number in range(3)
        for name in CONTENDERS
    ]
    facts = [Fact("idle spectator", "pierule", 12.34, "kB"), Fact("floor", "one fsync", 90, "µs")]
    return result(measured, facts)


def test_every_row_has_as_many_cells_as_its_head() -> None:
    width = 0
    for line in report(whole()).splitlines():
        cells = line.count("|")
        assert not width or cells in (0, width), line
        width = cells


def test_every_case_and_contender_is_in_the_report() -> None:
    text = report(whole())
    for case in CASES:
        assert f"| {case} |" in text
    for name in CONTENDERS:
        assert text.count(f"| {name.title()} |") >= len(CASES)
        assert f"{name.title()}: settings of {name}" in text
    assert "| idle spectator | Pierule | 12.3 kB |" in text
    assert "1,100 (1,000-1,200)" in text


def test_an_incomplete_figure_is_marked() -> None:
    text = report(result([one("pierule", busy=0.9), one("loop", dry=True), one("ws", late=1)], []))
    assert "| Pierule | ≥ 10,000 |" in text
    assert "| Loop | 10,000 (ran dry) |" in text
    assert "| Ws | 10,000 (could not keep up) |" in text


def test_the_plot_is_well_formed_and_shows_every_bar() -> None:
    root = ElementTree.fromstring(plot(whole()))
    bars = root.findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 3 * len(CONTENDERS)
    assert sum(bar.get("class") == "ours" for bar in bars) == 3
    assert all(0 < float(bar.get("width", 0)) < float(root.get("width", 0)) for bar in bars)


def test_a_spread_of_one_value_has_no_brackets() -> None:
    assert shown(Spread(2, 2, 2), ".1f") == "2.0"
    assert shown(Spread(2, 1, 3), ".1f") == "2.0 (1.0-3.0)"


def test_the_history_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    first = entry(whole())
    later = Entry("2026-11-21", "def", "some", Spread(2, 1, 3), Spread(0.5, 0.4, 0.6), 0.99)
    assert add(path, first) == [first]
    assert add(path, later) == [first, later]
    assert list(trend([first, later]))[-1] == (
        "| 2026-11-21 | `def` | 2.00 (1.00-3.00) | 0.50 (0.40-0.60) | 99% |"
    )
    assert first.fan_out == Spread(1, 1, 1)

"""The plot: bars for medians, whiskers for the spread, one panel a case. Plain SVG, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bench.figures import Quantity, Result, Spread, actions, cases, deliveries
from bench.targets import OURS

WIDTH, NAMES, FIGURES = 760, 190, 90
LINE, GAP, TOP = 24, 44, 34
PANELS: tuple[tuple[str, Quantity, str], ...] = (
    ("fan-out 100", deliveries, "deliveries/s to 100 spectators"),
    ("fan-out 1000", deliveries, "deliveries/s to 1,000 spectators"),
    ("fan-out 4000", deliveries, "deliveries/s to 4,000 spectators"),
    ("rooms, 64 in flight", actions, "actions/s in 500 rooms of two, 64 in flight"),
)
STYLE = """
  text { font: 13px sans-serif; fill: #24292f } .head { font-weight: bold }
  .bar { fill: #8c959f } .ours { fill: #0969da } .spread { stroke: #24292f; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) { text { fill: #d0d7de } .spread { stroke: #d0d7de } }
"""


def plot(result: Result) -> str:
    """An SVG with a panel for each measured case."""
    found = cases(result.measured)
    drawn: list[str] = []
    top = TOP
    for name, quantity, title in PANELS:
        if name in found:
            case = found[name]
            bars = {each: case.spread(each, quantity) for each in case.contenders}
            drawn += _panel(title, bars, result.titles, top)
            top += len(bars) * LINE + GAP
    size = f'width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, f"<style>{STYLE}</style>", *drawn, "</svg>", ""])


def _panel(title: str, bars: dict[str, Spread], titles: dict[str, str], top: int) -> Iterator[str]:
    scale = (WIDTH - NAMES - FIGURES) / max(bar.high for bar in bars.values())
    yield f'<text class="head" x="0" y="{top - 12}">{escape(title)}</text>'
    for place, (name, bar) in enumerate(bars.items()):
        y = top + place * LINE
        middle = y + LINE / 2 - 2
        kind = "ours" if name == OURS else "bar"
        low, high = NAMES + bar.low * scale, NAMES + bar.high * scale
        yield f'<text x="0" y="{y + 14}">{escape(titles[name].strip("*").replace("`", ""))}</text>'
        size = f'width="{bar.median * scale:.1f}" height="{LINE - 6}"'
        yield f'<rect class="{kind}" x="{NAMES}" y="{y}" {size}/>'
        ends = f'x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"'
        yield f'<line class="spread" {ends}/>'
        yield f'<text x="{high + 6:.1f}" y="{y + 14}">{bar.median:,.0f}</text>'

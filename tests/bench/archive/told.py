"""The results of the benchmark of the archive, and its page."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bench.archive.asking import Export, Query
from bench.archive.cost import Cost
from bench.report import row, shown

P95_MS = 50.0
"""The target for the page's queries."""

COST = 0.05
"""The target: the share of a node's actions that archiving may cost."""


class Filled(msgspec.Struct, frozen=True):
    """A database: games, numbers counted in full a second, bytes, those of them for positions."""

    database: str
    games: int
    written: float
    counted: float
    bytes: int
    positions: int
    queries: list[Query]
    export: Export


class Found(msgspec.Struct, frozen=True):
    """All of a run. `lines` are the games that were really played."""

    date: str
    commit: str
    seconds: float
    machine: dict[str, str]
    lines: int
    players: int
    filled: list[Filled]
    cost: Cost | None


def page(found: Found) -> str:
    """The whole page, in Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Found) -> Iterator[str]:
    about = "; ".join(found.machine.values())
    minutes = f"{found.seconds / 60:.0f} min"
    yield f"Measured {found.date} at commit `{found.commit}` in {minutes}: {about}."
    yield f"{found.lines:,} lines of play, {found.players:,} players."
    if found.filled:
        yield from ["", *_sizes(found.filled)]
    for each in found.filled:
        yield from ["", *_queries(each)]
    if found.cost is not None:
        yield from ["", *_cost(found.cost)]


def _sizes(filled: list[Filled]) -> Iterator[str]:
    heads = ["database", "games", "bytes a game", "of them positions", "written/s", "counted/s"]
    heads += ["export, lines/s", "export, MB/s"]
    yield row(heads)
    yield row(["---", *["---:"] * (len(heads) - 1)])
    for each in filled:
        rate = each.export.lines / each.export.seconds
        cells = [each.database, f"{each.games:,}", f"{each.bytes / each.games:,.0f}"]
        cells += [f"{each.positions / each.bytes:.0%}", f"{each.written:,.0f}"]
        cells += [f"{each.counted:,.0f}", f"{rate:,.0f}"]
        yield row([*cells, f"{each.export.bytes / each.export.seconds / 1e6:.1f}"])


def _queries(filled: Filled) -> Iterator[str]:
    heads = [f"{filled.database}, {filled.games:,} games", "p50 ms", "p95 ms", "API's CPU ms", "kB"]
    yield row([*heads, ""])
    yield row(["---", *["---:"] * 4, "---"])
    for each in filled.queries:
        verdict = "not of the ten" if each.extra else "met" if each.p95 <= P95_MS else "missed"
        cells = [each.name, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{each.processor:.1f}"]
        yield row([*cells, f"{each.size / 1_000:.1f}", verdict])


def _cost(cost: Cost) -> Iterator[str]:
    yield row([f"node, games of {cost.plies:.0f} actions", "actions/s", "µs CPU an action"])
    yield row(["---", "---:", "---:"])
    for name, spread in (("without", cost.without), ("with", cost.with_archive)):
        used = f"{cost.costs[name]:.0f}"
        yield row([f"{name} an archive", shown(spread, ",.0f"), used])
    verdict = "met" if 1 - cost.ratio.median <= COST else "missed"
    yield ""
    yield (
        f"Ratio of paired rounds: {shown(cost.ratio, '.3f')}, where {1 - COST:g} is wanted: "
        f"{verdict}. A game cost {cost.each:,.0f} µs of a processor, with what came after a round."
    )

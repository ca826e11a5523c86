"""The Markdown of a run, as the README shows it."""

from __future__ import annotations

from collections.abc import Iterator

from bench.figures import (
    Case,
    Fact,
    Quantity,
    Result,
    Spread,
    actions,
    cases,
    deliveries,
    delivery_cost,
    load,
    p50,
    p99,
    server,
    server_cost,
    store_cost,
)  # fmt: skip
from bench.targets import verdicts

REFERENCE = "colyseus"

Column = tuple[str, Quantity, str]
"""The head of a column, its quantity, and its format."""

RATE_OF_DELIVERIES: Column = ("deliveries/s", deliveries, ",.0f")
RATE_OF_ACTIONS: Column = ("actions/s", actions, ",.0f")
LATENCY: tuple[Column, Column] = (("p50 ms", p50, ".2f"), ("p99 ms", p99, ".2f"))


def columns(case: str) -> list[Column]:
    """The columns for a case; the first is the compared one."""
    if case.startswith("fan-out"):
        return [RATE_OF_DELIVERIES, ("µs CPU a delivery", delivery_cost, ".1f")]
    if case.startswith(("gentle", "alone")):
        return [*reversed(LATENCY)] if case.startswith("gentle") else [*LATENCY]
    costs: list[Column] = [("µs CPU, server", server_cost, ".0f")]
    return [RATE_OF_ACTIONS, *costs, ("µs CPU, store", store_cost, ".0f"), *LATENCY]


def report(result: Result) -> str:
    """The whole page."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    about = "; ".join(result.machine.values())
    minutes = f"{result.seconds / 60:.0f} min"
    yield f"Measured {result.date} at commit `{result.commit}` in {minutes}: {about}."
    yield "Medians of rounds that took turns; in brackets the least and the largest. Ratios are"
    yield "those of paired rounds. `≥`: the load client was the limit, the server could do more."
    for failure in result.failures:
        yield from ["", f"**Not whole.** {failure}"]
    for case in cases(result.measured).values():
        yield ""
        yield from _table(case, result.titles)
    yield from _facts(result)
    yield from _verdicts(result)
    yield from ["", "What was compared:", ""]
    for settings in dict.fromkeys(result.settings.values()):
        same = [result.titles[name] for name, each in result.settings.items() if each == settings]
        yield f"- {'; '.join(same)}: {settings}"


def _table(case: Case, titles: dict[str, str]) -> Iterator[str]:
    told = columns(case.name)
    compared = REFERENCE in case.contenders
    heads = [case.name, *(head for head, _, _ in told), "cores used: server, load"]
    heads += [f"ratio to {titles[REFERENCE]}"] if compared else []
    yield row(heads)
    yield row(["---", *["---:"] * (len(heads) - 1)])
    for name in case.contenders:
        cells = [titles[name], _compared(case, name, told[0])]
        cells += [f"{case.spread(name, each).median:{shape}}" for _, each, shape in told[1:]]
        cells.append(", ".join(f"{case.spread(name, each).median:.0%}" for each in (server, load)))
        ratio = case.ratio(name, REFERENCE, told[0][1])
        cells += [shown(ratio, ".2f")] if ratio is not None else []
        yield row(cells)


def _compared(case: Case, name: str, column: Column) -> str:
    _, quantity, shape = column
    least = "≥ " if case.saturated(name) else ""
    dry = " (ran dry)" if case.dry(name) else ""
    late = " (could not keep up)" if case.late(name) else ""
    return least + shown(case.spread(name, quantity), shape) + dry + late


def _facts(result: Result) -> Iterator[str]:
    groups = dict.fromkeys(fact.group for fact in result.facts)
    if not groups:
        return
    yield from ["", row(["other figures", "", ""]), row(["---", "---", "---:"])]
    for group in groups:
        for fact in result.facts:
            if fact.group == group:
                yield row([group, result.titles.get(fact.name, fact.name), _fact(fact)])


def _verdicts(result: Result) -> Iterator[str]:
    found = list(verdicts(result))
    if not found:
        return
    yield from ["", row(["target", "wanted", "found", ""]), row(["---", "---:", "---:", "---"])]
    for one in found:
        wanted = f"{'≥' if one.at_least else '≤'} {one.wanted:g}"
        yield row([one.target, wanted, shown(one.found, ".2f"), one.text])


def _fact(fact: Fact) -> str:
    return f"{fact.value:,.1f} {fact.unit}"


def shown(spread: Spread, shape: str) -> str:
    """The median, and in brackets minimum and maximum."""
    if spread.low == spread.high:
        return f"{spread.median:{shape}}"
    return f"{spread.median:{shape}} ({spread.low:{shape}}-{spread.high:{shape}})"


def row(cells: list[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |"

"""The report of a run, for people and as JSON."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from pierule_load.hints import hint
from pierule_load.plan import Plan
from pierule_load.tally import Tally, Trouble, quantile

PARTS = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
LISTED = 8
"""The most lines in a list."""


def as_json(plan: Plan, tally: Tally) -> dict[str, Any]:
    """The whole report, with times in milliseconds."""
    return {
        "urls": list(plan.urls),
        "asked": {
            "games": plan.tables, "spectators": plan.spectators, "rate": plan.rate,
            "ramp": plan.ramp, "seconds": plan.seconds, "storm": plan.storm,
            "bound_ms": round(plan.bound * 1_000), "hints": plan.hints,
        },
        "actions": tally.acted,
        "actions_per_second": round(_rate(tally), 1),
        "games": tally.games,
        "acknowledged_ms": _quantiles(tally.kept),
        "last_follower_ms": _quantiles(tally.told),
        "back_ms": _quantiles(tally.back),
        "connections": max((each.connected for each in tally.seconds), default=tally.connected),
        "missed": tally.missed,
        "moved": tally.moved,
        "cut": tally.cut,
        "refused_connections": dict(tally.refused.most_common()),
        "lost_connections": dict(tally.lost.most_common()),
        "refused_requests": [
            {"request": asked, "code": code, "text": text, "times": times}
            for (asked, code, text), times in tally.errors.most_common()
        ],
        "rooms_left": tally.left,
        "broke": [
            {"at": round(each.at, 1), "actions_per_second": each.rate, "what": each.kind,
             "text": each.text}
            for each in tally.troubles
        ],
        "seconds": [
            {"at": round(each.at, 1), "actions": each.acted, "connections": each.connected,
             "acknowledged_p99_ms": _ms(each.kept_p99), "last_follower_p99_ms": _ms(each.told_p99),
             "own_lag_ms": _ms(each.lag)}
            for each in tally.seconds
        ],
    }  # fmt: skip


def human(plan: Plan, tally: Tally) -> Iterator[str]:
    """The lines of the report for people."""
    found = as_json(plan, tally)
    yield (
        f"{found['actions']:,} actions in {len(tally.seconds)} s, {found['actions_per_second']:,}/s"
        f"{_wanted(plan)}; {tally.games:,} complete games"
    )
    yield f"{found['connections']:,} of {plan.connections:,} connections at the same time"
    yield ""
    yield f"{'':22}" + "".join(f"{name:>10}" for name, _ in PARTS)
    yield _row("acknowledged", tally.kept)
    yield _row("at the last follower", tally.told)
    if tally.back:
        yield _row("back after a loss", tally.back)
    yield from _counted(
        "refused connections", [(words, words, n) for words, n in tally.refused.most_common()]
    )
    yield from _counted(
        "refused requests",
        [(f"{asked}: {code}{text and f', {text}'}", text, n)
         for (asked, code, text), n in tally.errors.most_common()],
    )  # fmt: skip
    lost = [(words, "", n) for words, n in tally.lost.most_common()]
    if tally.cut:
        lost.insert(0, ("dropped by --storm", "", tally.cut))
    yield from _counted("lost connections", lost)
    if tally.left:
        yield ""
        yield f"{tally.left} rooms are still open; the server ends them when nobody comes back"
    yield ""
    if not tally.acted:
        yield "nobody played"
    yield from _broken(tally.troubles)


def _broken(troubles: list[Trouble]) -> Iterator[str]:
    if not troubles:
        yield "nothing broke"
    for word, each in zip(["broke first:", *["then:"] * len(troubles)], troubles, strict=False):
        when = f"after {each.at:.0f} s, at {each.rate:.0f} actions/s"
        yield f"{word} {each.kind}, {when}: {each.text}"


def _counted(title: str, rows: list[tuple[str, str, int]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield title
    for shown, words, times in rows[:LISTED]:
        yield f"{times:8,}  {shown}"
        if (flags := hint(words)) is not None:
            yield f"{'':10}a limit of the server, for each address: {flags}"
    if rows[LISTED:]:
        yield f"{'':10}and {len(rows) - LISTED} more kinds"


def _row(title: str, values: array[float]) -> str:
    cells = (_shown(quantile(values, part)) for _, part in PARTS)
    return f"{title:22}" + "".join(f"{cell:>10}" for cell in cells)


def _shown(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1_000:.1f} ms" if seconds < 0.1 else f"{seconds * 1_000:,.0f} ms"


def _quantiles(values: array[float]) -> dict[str, float | None]:
    return {name: _ms(quantile(values, part)) for name, part in PARTS}


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1_000, 2)


def _rate(tally: Tally) -> float:
    return sum(each.acted for each in tally.seconds) / max(1, len(tally.seconds))


def _wanted(plan: Plan) -> str:
    if plan.rate is None:
        return ""
    return f" (wanted: {'up to ' if plan.ramp else ''}{plan.rate:,.0f}/s)"

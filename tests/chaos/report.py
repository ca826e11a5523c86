"""The results of a run, for people and as JSON. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from chaos.recovery import summary
from chaos.run import Outcome

MOST_SHOWN = 12


def report(seed: int, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All figures of a run, and all broken promises."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts += outcome.verdict.counts
    faults = summary([hit for outcome in outcomes for hit in outcome.hits])
    broken = [each for outcome in outcomes for each in outcome.verdict.violations]
    failures = [each for outcome in outcomes for each in outcome.failures]
    return {
        "seed": seed,
        "seconds": round(max(outcome.seconds for outcome in outcomes)),
        "phases": {
            outcome.phase.store: {
                "seconds": round(outcome.seconds),
                "rooms": len(outcome.verdict.truths),
                "clients": len(outcome.verdict.accounts),
                "acknowledged": outcome.verdict.counts["acknowledged"],
                "faults": len(outcome.happened),
            }
            for outcome in outcomes
        },
        "faults": sum(int(row["counted"] or 0) for row in faults.values()),
        "faults by kind": faults,
        "actions in flight": sum(int(row["actions in flight"] or 0) for row in faults.values()),
        "acknowledged": counts["acknowledged"],
        "lost": counts["lost"],
        "misplaced": counts["misplaced"],
        "doubled": counts["doubled"],
        "desyncs": {
            "seen": counts["desyncs seen"],
            "repaired": counts["desyncs repaired"],
            "undetected": counts["undetected desyncs"],
            "events taken back": counts["events taken back"],
        },
        "did not come back": counts["did not come back"],
        "latest event in seconds": round(max(o.verdict.latest for o in outcomes), 2),
        "counts": dict(sorted(counts.items())),
        "promises broken": dict(Counter(each.promise for each in broken)),
        "violations": [list(each[:3]) for each in broken[:1_000]],
        "explained": [each for outcome in outcomes for each in outcome.explained],
        "failures": failures,
        "holds": not broken and not failures,
    }


def text(found: dict[str, Any]) -> str:
    """The printed report."""
    lines = [f"chaos, seed {found['seed']}, {found['seconds']} s", ""]
    head = ("fault", "done", "counted", "in flight", "running", "median s", "p99 s")
    rows = [
        (kind, *(row[name] for name in ("faults", "counted", "actions in flight",
                                        "running rooms", "median", "p99")))
        for kind, row in found["faults by kind"].items()
    ]  # fmt: skip
    lines += [_row(head), *map(_row, rows), ""]
    desyncs = found["desyncs"]
    lines += [
        f"faults that counted    {found['faults']}",
        f"actions in flight      {found['actions in flight']}",
        f"actions acknowledged   {found['acknowledged']}",
        f"lost                   {found['lost']}",
        f"misplaced              {found['misplaced']}",
        f"doubled                {found['doubled']}",
        (
            f"desyncs                {desyncs['seen']} seen, {desyncs['repaired']} repaired, "
            f"{desyncs['undetected']} undetected; {desyncs['events taken back']} events taken back"
        ),
        f"clients left behind    {found['did not come back']}",
        f"latest event           {found['latest event in seconds']} s",
    ]
    lines += [f"broken: {promise} ({n} times)" for promise, n in found["promises broken"].items()]
    lines += [f"    {': '.join(each)}" for each in found["violations"][:MOST_SHOWN]]
    lines += [_explained(each) for each in found["explained"][:1]]
    lines += [f"failure: {each}" for each in found["failures"][:MOST_SHOWN]]
    lines += ["", "HOLDS" if found["holds"] else "DOES NOT HOLD"]
    return "\n".join(lines)


def _explained(found: dict[str, Any]) -> str:
    """The evidence for a broken promise (the JSON has more of them)."""
    parts = (f"  {part}:\n" + "\n".join(f"    {line}" for line in found[part])
             for part in ("journal", "log", "faults"))  # fmt: skip
    return "\n".join([f"the first one ({found['promise']}, {found['room']}), in seconds:", *parts])


def _row(cells: Sequence[object]) -> str:
    first, *rest = ("-" if cell is None else str(cell) for cell in cells)
    return f"{first:24}" + "".join(f"{cell:>11}" for cell in rest)

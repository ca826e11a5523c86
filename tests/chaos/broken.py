"""`make chaos-broken`: the checker finds each law that is broken on purpose, by its promise.

Four servers, each of which breaks one law, go through the faults that this law is for.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from chaos.__main__ import end_in_order, run_all
from chaos.breaking import BREACHES, overlay
from chaos.run import Outcome, Phase
from chaos.schedule import schedule

SECONDS = 40.0
TABLES = 25


def phase(name: str, folder: Path, seed: int) -> Phase:
    """The phase that brings the breach of a law to light."""
    breach = BREACHES[name]
    counts = dict.fromkeys(breach.kinds, breach.each)
    faults = schedule(seed, counts, breach.store, SECONDS)
    changed = overlay(name, folder / name.replace(" ", "-"))
    return Phase(breach.store, faults, 0, 2 * SECONDS, TABLES, 3, overlay=changed)


def found(outcome: Outcome) -> Counter[str]:
    """The broken promises, and how often."""
    return Counter(violation.promise for violation in outcome.verdict.violations)


def main() -> int:
    end_in_order()
    with tempfile.TemporaryDirectory(prefix="pr-broken-") as folder:
        phases = [phase(name, Path(folder), 1) for name in BREACHES]
        outcomes = dict(zip(BREACHES, run_all(phases, 1), strict=True))
    missed = 0
    for name, outcome in outcomes.items():
        promises, breach = found(outcome), BREACHES[name]
        seen = any(
            violation.promise == breach.promise and re.search(breach.shows, violation.text)
            for violation in outcome.verdict.violations
        )
        missed += not seen
        counts = outcome.verdict.counts
        print(
            f"{name}: {'found' if seen else 'NOT FOUND'}; lost {counts['lost']}, "
            f"doubled {counts['doubled']}, undetected desyncs {counts['undetected desyncs']}"
        )
        for promise, times in promises.most_common():
            first = next(v for v in outcome.verdict.violations if v.promise == promise)
            print(f"    {promise}: {times} times; {first.text[:160]}")
        for failure in outcome.failures[:3]:
            print(f"    failure: {failure[:200]}")
    print(f"{len(BREACHES)} laws broken on purpose, {missed} not found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

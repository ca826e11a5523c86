"""`make chaos-broken`, second part: the checker finds each rule between people that is broken on
purpose."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import uvloop

from chaos.breaking import changed
from social.breaking import BREACHES
from social.report import wrong_in
from social.run import Plan, soak


def main() -> int:
    """Print what was found of each breach; return how many were not found."""
    missed = 0
    for name, breach in BREACHES.items():
        with tempfile.TemporaryDirectory(prefix="pr-broken-") as folder:
            plan = Plan(120, 12, 0.2, overlay=changed(breach.changes, Path(folder)))
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                wrong = wrong_in(*runner.run(soak(plan)))
        found = [each for each in wrong if breach.promise in each]
        missed += not found
        print(f"{name}: {f'found {len(found)} times' if found else 'NOT FOUND'}; {wrong[:1]}")
    print(f"{len(BREACHES)} promises between players broken on purpose, {missed} not found")
    return missed


if __name__ == "__main__":
    sys.exit(main())

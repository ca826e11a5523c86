"""Finds the shortest story that still fails, by leaving out faults and people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulation.run import Outcome, Plan, Simulation

MOST = 40
"""Plans that are tried."""


def shrunk(outcome: Outcome) -> Outcome:
    """The same seed with fewer faults or people that still break the same promise."""
    promises = _promises(outcome)
    left = MOST
    smaller = True
    while smaller and left > 0:
        smaller = False
        for plan in _smaller(outcome.plan):
            left -= 1
            tried = Simulation(plan).run()
            if promises & _promises(tried):
                outcome, smaller = tried, True
                break
            if left <= 0:
                break
    return outcome


def _promises(outcome: Outcome) -> set[str]:
    return {failure.partition(":")[0] for failure in outcome.failures}


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Plans with less: half of the faults at first, then all but one, then fewer people."""
    faults = plan.faults
    if len(faults) > 3:
        half = len(faults) // 2
        yield replace(plan, faults=faults[:half])
        yield replace(plan, faults=faults[half:])
    for place in range(len(faults)):
        yield replace(plan, faults=faults[:place] + faults[place + 1 :])
    if plan.watchers:
        yield replace(plan, watchers=plan.watchers - 1)
    if plan.people:
        yield replace(plan, people=0, tables=max(1, plan.tables))
        yield replace(plan, people=plan.people - 1)
    if plan.tables > (0 if plan.people else 1):
        yield replace(plan, tables=plan.tables - 1)
    if plan.nodes > 1:
        yield replace(plan, nodes=plan.nodes - 1)

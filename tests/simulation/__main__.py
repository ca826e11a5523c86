"""`make simulate`: seeds one after the other; a failing one tells its story, as short as it gets.

python -m simulation [--start 1] [--seeds 100] [--story]
"""

from __future__ import annotations

import simulation.less_work  # noqa: F401  isort: skip - before anybody imports the server

import argparse
import sys
import time
from collections import Counter

from simulation.run import Outcome, Simulation, plan_of
from simulation.shrink import shrunk

SHOWN = 400
"""Lines of a story that are printed, the last ones."""


def main() -> int:
    """0 if no seed has failed."""
    parser = argparse.ArgumentParser(prog="simulation", description=__doc__)
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument(
        "--story", action="store_true", help="print what happened, also if all is well"
    )
    parser.add_argument("--traces", action="store_true", help="print the trace of each seed")
    parser.add_argument("--whole", action="store_true", help="do not shorten what fails")
    parser.add_argument("--first", action="store_true", help="stop at the first that fails")
    args = parser.parse_args()
    began, failed = time.process_time(), []
    actions, seconds = 0, 0.0
    met: Counter[str] = Counter()
    for seed in range(args.start, args.start + args.seeds):
        outcome = Simulation(plan_of(seed)).run()
        actions += outcome.verdict.counts["acknowledged"]
        seconds += outcome.seconds
        met += outcome.met
        if args.traces:
            print(f"seed {seed}: {outcome.trace}", flush=True)
        if outcome.failures:
            failed.append(seed)
            if args.first:
                print(f"seed {seed} fails: {outcome.failures[0]}")
                return 1
            tell(outcome if args.whole else shrunk(outcome))
        elif args.story:
            tell(outcome)
    took = time.process_time() - began
    print(
        f"{args.seeds} seeds from {args.start} on, {len(failed)} failed {failed or ''}\n"
        f"{seconds / 3_600:.2f} simulated hours, {actions} acknowledged actions, "
        f"{met.total()} faults that met something, {took:.1f} s of CPU"
    )
    for kind, times in sorted(met.items()):
        print(f"    {kind}: {times}")
    return int(bool(failed))


def tell(outcome: Outcome) -> None:
    """Print a seed's story."""
    plan = outcome.plan
    print(f"\nseed {plan.seed}: {'FAILED' if outcome.failures else 'all is well'}")
    print(f"  {plan.nodes} nodes, {plan.tables} tables, {plan.watchers} watchers, "
          f"{plan.replicas} replicas, {plan.seconds:.1f} s")  # fmt: skip
    print(*(f"  {fault}" for fault in plan.faults), sep="\n")
    print(*outcome.story[-SHOWN:], sep="\n")
    print(*(f"FAILED: {failure}" for failure in outcome.failures), sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())

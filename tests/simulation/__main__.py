"""`make simulate`: runs seed after seed; a failing one prints its story, shortened as far as
possible.

python -m simulation [--start 1] [--seeds 100] [--keep FILE] [--story]
"""

from __future__ import annotations

import simulation.less_work  # noqa: F401  isort: skip - before anybody imports the server

import argparse
import io
import sys
import time
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

from simulation.processes import played
from simulation.report import Told, keep, kept, progress, summary
from simulation.run import Outcome, Simulation, plan_of
from simulation.shrink import shrunk

SHOWN = 400
"""How many of the last lines of a story are printed."""
EVERY = 10.0
"""Seconds between two lines of progress."""


def main() -> int:
    """Run the seeds; return 0 if none failed."""
    args = _arguments()
    wanted = range(args.start, args.start + args.seeds)
    done = {seed: told for seed, told in kept(args.keep).items() if seed in wanted}
    shown = time.monotonic()
    ahead = [seed for seed in wanted if seed not in done]
    for told, text in played(partial(_play, args), ahead, args.jobs):
        done[told.seed] = told
        keep(args.keep, told)
        print(text, end="", flush=True)
        if told.failures and args.first:
            return 1
        if time.monotonic() > shown + EVERY:
            shown = time.monotonic()
            print(progress(done.values(), args.seeds), file=sys.stderr, flush=True)
    print(summary(done.values()))
    return int(any(told.failures for told in done.values()))


def _play(args: argparse.Namespace, seed: int) -> tuple[Told, str]:
    """Run a seed. What it came to, and what is to be printed of it."""
    began = time.process_time()
    outcome = Simulation(plan_of(seed), traced=args.traces).run()
    told = Told.of(outcome, time.process_time() - began)
    with redirect_stdout(io.StringIO()) as out:
        if args.traces:
            print(f"seed {seed}: {outcome.trace}")
        if outcome.failures and args.first:
            print(f"seed {seed} fails: {outcome.failures[0]}")
        elif outcome.failures:
            tell(outcome if args.whole else shrunk(outcome))
        elif args.story:
            tell(outcome)
    return told, out.getvalue()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="simulation", description=__doc__)
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes run them")
    parser.add_argument("--keep", type=Path, help="a file of the seeds that are done: go on there")
    parser.add_argument(
        "--story", action="store_true", help="print what happened, also if all is well"
    )
    parser.add_argument("--traces", action="store_true", help="print the trace of each seed")
    parser.add_argument("--whole", action="store_true", help="do not shorten what fails")
    parser.add_argument("--first", action="store_true", help="stop at the first that fails")
    return parser.parse_args()


def tell(outcome: Outcome) -> None:
    """Print a seed's story."""
    plan = outcome.plan
    print(f"\nseed {plan.seed}: {'FAILED' if outcome.failures else 'all is well'}")
    print(f"  {plan.nodes} nodes, {plan.tables} tables, {plan.watchers} watchers, "
          f"{plan.people} people, {plan.replicas} replicas, "
          f"{'a cluster, ' if plan.cluster else ''}"
          f"{'' if plan.always else 'a disk that is late, '}{plan.seconds:.1f} s")  # fmt: skip
    print(*(f"  {fault}" for fault in plan.faults), sep="\n")
    print(*outcome.story[-SHOWN:], sep="\n")
    print(*(f"FAILED: {failure}" for failure in outcome.failures), sep="\n", flush=True)
    if outcome.failures:
        print(f"\n```mermaid\n{outcome.diagram}\n```", flush=True)


if __name__ == "__main__":
    sys.exit(main())

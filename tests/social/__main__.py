"""`make soak-social`: hundreds of people seek, play, agree, leave, claim and chat at random.

python -m social [--seed 1] [--people 300] [--minutes 4]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

import uvloop

from social.report import lacking, wrong_in
from social.run import Plan, soak


def main() -> int:
    """Print what happened; 1 if a promise was broken, or if too little happened."""
    parser = argparse.ArgumentParser(prog="social", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--pace", type=float, default=0.8, help="mean seconds between two doings")
    parser.add_argument("--no-kill", action="store_true", help="let both nodes live")
    args = parser.parse_args()
    seconds = 60 * args.minutes
    plan = Plan(args.people, seconds, args.pace, args.seed, None if args.no_kill else seconds / 2)
    logging.getLogger("pierule").setLevel(logging.CRITICAL)  # it tells of every connection
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        verdict, crowd = runner.run(soak(plan))
    wrong = [*wrong_in(verdict, crowd), *lacking(plan, verdict.counts)]
    for each in sorted(f"{kind}: {number}" for kind, number in verdict.counts.items()):
        print(each)
    print(f"{len(verdict.truths)} rooms, {len(crowd.users)} people, {len(wrong)} things wrong")
    print(*wrong[:50], sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

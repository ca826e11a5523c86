"""`make model`: check the models exhaustively within bounds, and find each deliberate break."""

from __future__ import annotations

import argparse
import sys
import time

from model.checker import Outcome, check
from model.runs import BREAKS, SMALL, WHOLE, Bounds, model_of


def main() -> int:
    """0 if no law is broken and all breaks are found."""
    parser = argparse.ArgumentParser(prog="make model", description=__doc__)
    parser.add_argument("--small", action="store_true", help="the bounds of the unit tests")
    parser.add_argument("--most", type=int, help="end each run after so many states")
    args = parser.parse_args()
    flaws = [_whole(bounds, args.most) for bounds in (SMALL if args.small else WHOLE)]
    flaws += [_broken(each.how, each.law, each.bounds) for each in BREAKS]
    print(f"{len(flaws)} runs, {sum(flaws)} of them wrong")
    return 1 if any(flaws) else 0


def _whole(bounds: Bounds, most: int | None) -> bool:
    outcome, said = _timed(bounds, "", most)
    print(f"{bounds}: {said}{'' if outcome.whole else ', not all'}")
    if outcome.found is not None:
        print(f"  {outcome.found.why}", *outcome.found.story, sep="\n    ")
    return outcome.found is not None


def _broken(how: str, law: str, bounds: Bounds) -> bool:
    outcome, said = _timed(bounds, how, None)
    found = outcome.found
    print(f"broken, {how}: {f'found in {said}: {found.why}' if found else 'NOT FOUND'}")
    return found is None or not found.why.startswith(law)


def _timed(bounds: Bounds, broken: str, most: int | None) -> tuple[Outcome[object], str]:
    began = time.monotonic()
    outcome = check(model_of(bounds, broken), most)
    took = time.monotonic() - began
    said = f"{outcome.states} states, {outcome.steps} steps, depth {outcome.depth}, {took:.1f} s"
    return outcome, said


sys.exit(main())

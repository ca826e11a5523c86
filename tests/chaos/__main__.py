"""`make chaos`: kill anything, and show with numbers that no acknowledged action is lost.

python -m chaos --seed 1 --faults 1000 --actions 100000 --json report.json
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvloop

from chaos.breaking import BREACHES, overlay
from chaos.report import report, text
from chaos.run import Outcome, Phase, run
from chaos.schedule import KINDS, Store, counts_of, kinds_of, schedule
from chaos.world import FAKETIME

SHARES: dict[Store, tuple[float, float]] = {
    "single": (0.82, 0.34), "sentinel": (0.12, 0.26), "cluster": (0.14, 0.43),
}  # fmt: skip
"""The share of faults and actions that each store gets."""
RARE = 0.053
"""The share of all faults of each kind that only one store has."""
RECOVERY = 2.0
"""The most median seconds after a node's death until everybody is served again."""
SETTLING = 110.0
"""Seconds for starting, exporting and checking."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1,
                        help="decides what fails and when [%(default)s]")  # fmt: skip
    parser.add_argument("--faults", type=int, default=1_000,
                        help="how many there must be, over all stores [%(default)s]")  # fmt: skip
    parser.add_argument("--actions", type=int, default=100_000,
                        help="how many must be acknowledged [%(default)s]")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=15.0,
                        help="in all, with starting and checking [%(default)s]")  # fmt: skip
    parser.add_argument("--tables", type=int, default=300,
                        help="at which pairs of players play at once [%(default)s]")  # fmt: skip
    parser.add_argument("--pace", type=float, default=0.4,
                        help="mean seconds that a player thinks [%(default)s]")  # fmt: skip
    parser.add_argument("--workers", type=int, default=1, help="of each node [%(default)s]")
    parser.add_argument("--store", choices=list(KINDS),
                        help="only this one [all, one beside the other]")  # fmt: skip
    parser.add_argument("--kinds", help="only these kinds of faults, separated by commas")
    parser.add_argument("--break", dest="breach", choices=list(BREACHES),
                        help="a law to break on purpose; the checker must find it")  # fmt: skip
    parser.add_argument("--json", type=Path, help="write the report to this file, too")
    args = parser.parse_args()
    end_in_order()
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="pr-broken-") as folder:
        if args.breach:
            breach = BREACHES[args.breach]
            args.store, args.kinds = breach.store, ",".join(breach.kinds)
            args.overlay = overlay(args.breach, Path(folder))
        outcomes = run_all(phases(args), args.seed)
    found = report(args.seed, outcomes)
    print(text(found))
    if args.json:
        args.json.write_text(json.dumps(found, indent=2))
    for lack in (lacks := missing(args, found)):
        print(f"lacks: {lack}")
    return 0 if found["holds"] and not lacks else 1


def run_all(phases: list[Phase], seed: int) -> list[Outcome]:
    """Run all phases at once, on the fastest event loop."""
    logger = logging.getLogger("pierule")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it would log every broken connection
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(run(phases, seed))
    finally:
        logger.setLevel(level)


def end_in_order() -> None:
    """When asked to end, also end everything that was started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def phases(args: argparse.Namespace) -> list[Phase]:
    """The phases to run at the same time."""
    shares = {args.store: (1.0, 1.0)} if args.store else SHARES
    seconds = 60 * args.minutes - SETTLING
    tables = args.tables // len(shares)
    found = []
    for store, (of_faults, of_actions) in shares.items():
        rare = 0 if args.store else round(args.faults * RARE)
        counts = counts_of(store, round(args.faults * of_faults * 1.08), rare, args.workers)
        if args.kinds:
            known = kinds_of(store, args.workers)
            kinds = [kind for kind in args.kinds.split(",") if kind in known]
            counts = dict.fromkeys(kinds, args.faults // len(kinds))
        faults = schedule(args.seed, counts, store, 0.95 * seconds)
        actions = round(1.03 * args.actions * of_actions)
        found.append(
            Phase(store, faults, actions, seconds, tables, tables // 10, args.pace,
                  getattr(args, "overlay", ""), workers=args.workers)
        )  # fmt: skip
        print(f"{store}: {counts}", flush=True)
    return found


def missing(args: argparse.Namespace, found: dict[str, Any]) -> list[str]:
    """What a run lacks to count: a slow machine needs more `--minutes`."""
    kinds = found["faults by kind"]
    lacks = [] if FAKETIME else ["clock jumps: libfaketime is not installed"]
    if found["acknowledged"] < args.actions:
        lacks.append(f"fewer than {args.actions} actions")
    if found["faults"] < args.faults:
        lacks.append(f"fewer than {args.faults} faults that counted")
    lacks += [
        f"fewer than {args.faults // 20} of {kind}"
        for kind, row in kinds.items()
        if row["counted"] < args.faults // 20 and not args.kinds
    ]
    if "node kill" in kinds and (kinds["node kill"]["median"] or 0) >= RECOVERY:
        lacks.append(f"recovery from a node's death takes {RECOVERY} s or more")
    return lacks


if __name__ == "__main__":
    sys.exit(main())

"""Breaks a law on purpose, and counts the seeds until a simulation finds it.

python -m simulation.breaking [--seeds 1000] [NAME ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from chaos.breaking import changed
from simulation.breaches import BREACHES

TESTS = Path(__file__).parents[1]


def found(name: str, seeds: int, start: int = 1) -> str:
    """The seed that finds this breach, and its finding; empty if none does. Raises RuntimeError if
    the seeds could not be run."""
    with tempfile.TemporaryDirectory(prefix="pr-broken-") as folder:
        path = os.pathsep.join((changed(BREACHES[name], Path(folder)), str(TESTS)))
        flags = ("--seeds", str(seeds), "--start", str(start), "--first")
        done = subprocess.run(
            [sys.executable, "-m", "simulation", *flags],
            env={**os.environ, "PYTHONPATH": path}, text=True,
            capture_output=True, check=False,
        )  # fmt: skip
    seed = next((line for line in done.stdout.splitlines() if line.startswith("seed ")), "")
    if not seed and " seeds, " not in done.stdout:
        raise RuntimeError(f"{name}: the simulation ended with\n{done.stderr}")
    return seed


def main() -> int:
    """Try all breaches; return how many were not found."""
    parser = argparse.ArgumentParser(prog="simulation.breaking", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; by default all")
    args = parser.parse_args()
    names = args.names or list(BREACHES)
    if unknown := [name for name in names if name not in BREACHES]:
        parser.error(f"no such break: {', '.join(unknown)}. There are: {', '.join(BREACHES)}")
    missed = 0
    for name in names:
        told = found(name, args.seeds, args.start)
        missed += not told
        print(f"{name}: {told or 'NOT FOUND'}", flush=True)
    print(f"{len(names)} broken on purpose, {missed} not found", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())

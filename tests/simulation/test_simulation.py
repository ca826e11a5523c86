"""Seeds find nothing, and a seed is the same story wherever it is told. Each simulation runs in a
process of its own (see `less_work`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.examples import thorough

TESTS = Path(__file__).parents[1]
SEEDS, CHUNK = 300, 50
"""How many seeds there are, and how many of them a process runs."""


def simulate(*flags: str, hashes: str = "0") -> subprocess.Popen[str]:
    """`make simulate`, under way."""
    return subprocess.Popen(
        [sys.executable, "-m", "simulation", *flags],
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": hashes},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.long(15)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(1, SEEDS, CHUNK))
def test_seeds_break_no_promise(first: int) -> None:
    """They are the same until the code changes; each part may run on a core of its own."""
    with simulate("--start", str(first), "--seeds", str(CHUNK), "--whole") as running:
        told, _ = running.communicate()
    assert running.returncode == 0, told


@pytest.mark.long(8)
@pytest.mark.timeout(900)
def test_a_seed_is_the_same_story_whatever_the_hashes() -> None:
    """The first seed has nearly all that a seed can have: nodes, a table, people, a cluster."""
    seeds = 200 if thorough() else 8
    flags = ("--seeds", str(seeds), "--start", "19", "--traces")
    with simulate(*flags, hashes="1") as one, simulate(*flags, hashes="7") as other:
        traces = [
            [line for line in running.communicate()[0].splitlines() if line.startswith("seed")]
            for running in (one, other)
        ]
    assert len(traces[0]) == seeds
    assert traces[0] == traces[1]

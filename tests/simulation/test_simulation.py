"""Seeds find nothing, and a seed is the same story wherever it is told. Each simulation runs in a
process of its own (see `less_work`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.examples import up_to

TESTS = Path(__file__).parents[1]


def simulate(*flags: str, hashes: str = "0") -> subprocess.Popen[str]:
    """`make simulate`, under way."""
    return subprocess.Popen(
        [sys.executable, "-m", "simulation", *flags],
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": hashes},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.long(22)
@pytest.mark.timeout(900)
def test_a_few_seeds_break_no_promise() -> None:
    """Among them clusters, replicas, a late disk, and people."""
    with simulate("--start", "344", "--seeds", "4", "--whole") as running:
        told, _ = running.communicate()
    assert running.returncode == 0, told


@pytest.mark.long(21)
@pytest.mark.timeout(900)
def test_a_seed_is_the_same_story_whatever_the_hashes() -> None:
    """The first seed has nearly all that a seed can have: nodes, tables, people, a cluster."""
    seeds = up_to(4, 1)
    flags = ("--seeds", str(seeds), "--start", "1816", "--traces")
    with simulate(*flags, hashes="1") as one, simulate(*flags, hashes="7") as other:
        traces = [
            [line for line in running.communicate()[0].splitlines() if line.startswith("seed")]
            for running in (one, other)
        ]
    assert len(traces[0]) == seeds
    assert traces[0] == traces[1]

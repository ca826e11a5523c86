"""Each seed is run once, in however many processes, and nobody overlooks one that dies."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from simulation import processes
from simulation.processes import played


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "BATCH", 3)


def where(seed: int) -> tuple[int, int]:
    return seed, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 4, 9])
def test_each_seed_is_run_once(jobs: int, count: int) -> None:
    told = list(played(where, range(7, 7 + count), jobs))
    assert sorted(seed for seed, _ in told) == list(range(7, 7 + count))
    assert jobs > 1 or told == sorted(told, key=lambda each: each[0])
    others = {process for _, process in told[1:]}
    assert os.getpid() not in others
    assert len(others) == -(-max(0, count - 1) // 3)


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        list(played(lambda seed: os._exit(3) if seed == 2 else seed, [1, 2, 3], 1))


def test_what_was_killed_midway_says_no_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a node in seed 61 would, which wants to await even while its memory is freed."""
    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)

    async def killed(around: list[object]) -> None:
        try:
            await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0)

    def leaves_it(_: int) -> None:
        cycle: list[object] = []
        cycle.append(node := killed(cycle))
        node.send(None)

    assert list(played(leaves_it, [1], 1)) == [None]
    assert not heard

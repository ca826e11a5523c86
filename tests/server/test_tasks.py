"""Work in the background ends with its owner, and with nothing else."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from pierule_server import tasks
from pierule_server.metrics import REGISTRY
from pierule_server.tasks import Tasks


def faults() -> float:
    return REGISTRY.get_sample_value("pierule_background_faults_total") or 0.0


async def test_an_endless_task_that_fails_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PAUSE", 0.0)
    begun = 0
    third = asyncio.Event()

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise KeyError(begun)
        third.set()
        await asyncio.Event().wait()

    before, owner = faults(), Tasks()
    with capture_logs() as logged:
        task = owner.keep(work, "sweeps")
        await asyncio.wait_for(third.wait(), 30)
    assert [entry["work"] for entry in logged] == ["sweeps", "sweeps"]
    assert faults() - before == 2
    await owner.stop()
    assert task.cancelled()


async def test_a_fault_of_a_task_is_logged_once() -> None:
    async def work() -> None:
        raise ValueError

    before, owner = faults(), Tasks()
    with capture_logs() as logged:
        task = owner.begin(work(), "letters")
        await asyncio.wait([task])
        await asyncio.sleep(0)
    assert [(entry["work"], entry["log_level"]) for entry in logged] == [("letters", "error")]
    assert faults() - before == 1
    await owner.stop()

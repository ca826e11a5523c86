"""The process that evaluates: killed when it hangs, renewed, asked by few at a time."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from pierule_archive.api.evaluator import PROGRAM, SECONDS, WAITING, Evaluator
from pierule_archive.api.problems import Failure
from pierule_archive.evaluating import Task
from pierule_games import GAMES
from pierule_protocol.state.position import position_text
from support.positions import played
from support.stores import wait_for

BOUND = 60.0

OPENING = GAMES["loose"].opening(5)
TASK = Task(position_text(played(OPENING, "komi:2", "black", "c3")), 1)

HANGS = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
print("ready", flush=True)
for line in sys.stdin:
    time.sleep(1_000)
"""

SPINS = """
from pierule_archive import evaluating
evaluating.LONGEST = 0.2
def solve(task):
    while True:
        pass
evaluating.solve = solve
evaluating.main()
"""

ONCE = """
import sys, time
print("ready", flush=True)
sys.stdin.readline()
print('{"expected":0.25,"best":"a1","played":null,"depth":3}', flush=True)
"""


def program(text: str, *arguments: str) -> Sequence[str]:
    return sys.executable, "-c", text, *arguments


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_position_is_evaluated() -> None:
    evaluator = Evaluator()
    try:
        found = await evaluator.evaluate(TASK)
        assert 0 < found.expected < 1
        assert found.best in set(played(OPENING, "komi:2", "black", "c3").actions())
        again = Evaluator()
        try:
            assert await again.evaluate(TASK) == found
        finally:
            await again.close()
    finally:
        await evaluator.close()


async def test_a_hanging_search_is_killed_and_its_process_renewed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    evaluator = Evaluator(program(HANGS, str(note)), seconds=0.1)
    with pytest.raises(Failure) as refused:
        await evaluator.evaluate(TASK)
    assert refused.value.problem.code == "internal"
    assert not is_alive(int(note.read_text()))
    evaluator._program, evaluator.seconds = PROGRAM, SECONDS
    try:
        assert (await evaluator.evaluate(TASK)).depth > 0
    finally:
        await evaluator.close()


async def test_a_search_that_computes_for_ever_ends_itself() -> None:
    evaluator = Evaluator(program(SPINS))
    with pytest.raises(Failure, match="the server failed"):
        await evaluator.evaluate(TASK)
    assert evaluator._process is None


async def test_a_task_that_ends_the_process_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    evaluator = Evaluator()
    try:
        with pytest.raises(Failure, match="the server failed"):
            await evaluator.evaluate(Task("no position", 1))
        assert (await evaluator.evaluate(TASK)).best
    finally:
        await evaluator.close()


async def test_a_process_that_died_while_idle_is_renewed() -> None:
    evaluator = Evaluator()
    try:
        await evaluator.evaluate(TASK)
        assert evaluator._process is not None
        evaluator._process.kill()
        await evaluator._process.wait()
        assert (await evaluator.evaluate(Task(TASK.position, 1, "b2"))).played is not None
    finally:
        await evaluator.close()


async def test_an_evaluation_is_cached() -> None:
    evaluator = Evaluator(program(ONCE))
    try:
        found = await evaluator.evaluate(TASK)
        assert found.expected == 0.25
        assert await evaluator.evaluate(TASK) == found  # the program would not answer again
    finally:
        await evaluator.close()


async def test_a_bounded_number_of_evaluations_may_wait(tmp_path: Path) -> None:
    evaluator = Evaluator(program(HANGS, str(tmp_path / "pid")))
    tasks = [
        asyncio.create_task(evaluator.evaluate(Task(TASK.position, number)))
        for number in range(WAITING)
    ]
    try:
        await asyncio.sleep(0)  # each task runs until it waits for the process
        with pytest.raises(Failure) as refused:
            await evaluator.evaluate(TASK)
        assert refused.value.problem.status == 503
        assert refused.value.headers["Retry-After"]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await evaluator.close()
    assert evaluator._waiting == 0


async def test_a_cancelled_evaluation_answers_no_other(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    evaluator = Evaluator(program(HANGS, str(note)))
    asked = asyncio.create_task(evaluator.evaluate(TASK))
    await asyncio.to_thread(
        wait_for, lambda: note.exists() and note.read_text() != "", "the process", BOUND
    )
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked
    assert not is_alive(int(note.read_text()))
    await evaluator.close()

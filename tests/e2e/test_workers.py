"""Several workers behind one port: they die and are replaced, and no game loses anything by it."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from e2e.conftest import Starter
from support.games import game
from support.matches import Match, playing
from support.serving import Serving
from support.stores import wait_for

MATCHES = [game("loose", 9), game("taugo", 11)]


def started(serving: Serving) -> list[tuple[int, int]]:
    """The numbers and processes of workers, in the order in which they were started."""
    return [
        (entry["number"], entry["pid"])
        for entry in serving.logged
        if entry["event"] == "a worker starts"
    ]


def hang_up(serving: Serving) -> None:
    """Have all workers replaced."""
    assert serving.process is not None
    serving.process.send_signal(signal.SIGHUP)


async def logged(serving: Serving, event: str) -> None:
    """Wait until this is in the log."""
    await asyncio.to_thread(
        wait_for, lambda: any(entry["event"] == event for entry in serving.logged), event, 150
    )


@pytest.mark.long
async def test_games_go_on_while_a_worker_is_killed_and_all_are_replaced(start: Starter) -> None:
    serving = start("--workers", "2")

    async def door() -> str:
        return serving.url

    matches = [Match(door, of) for of in MATCHES]
    for match in matches:
        match.limit = 20
    async with playing(matches):
        for match in matches:
            await match.reach(10)
        (_, pid), _ = started(serving)
        os.kill(pid, signal.SIGKILL)
        for match in matches:
            match.allow(40)
        for match in matches:
            await match.reach(30)
        assert any(match.interruptions for match in matches)
        before = sum(match.interruptions for match in matches)
        hang_up(serving)
        await logged(serving, "all workers are restarted")
        for match in matches:
            match.allow(match.of.turns)
    assert sum(match.interruptions for match in matches) > before
    await asyncio.to_thread(
        wait_for, lambda: serving.asked("/readyz") == (200, "ready\n"), "every worker"
    )
    assert serving.measured("pierule_worker_ends_total") == 1
    assert serving.terminate() == 0


@pytest.mark.long
async def test_a_worker_that_keeps_dying_is_given_up_and_the_others_go_on(start: Starter) -> None:
    serving = start("--workers", "2", "--worker-restarts", "1")
    killed: set[int] = set()

    def given_up() -> bool:
        for number, pid in started(serving):
            if number == 2 and pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        return "it is not started again" in serving.output

    await asyncio.to_thread(wait_for, given_up, "the worker's end", 150)
    status, text = serving.asked("/readyz")
    assert status == 200
    assert "worker 2 has ended 2 times in a row, the last time with status -9" in text
    assert serving.measured('pierule_workers{state="given_up"}') == 1

    async def door() -> str:
        return serving.url

    match = Match(door, game("loose", 5))
    async with playing([match]):
        pass
    assert match.interruptions == 0
    hang_up(serving)  # the operator has found the cause
    await logged(serving, "all workers are restarted")
    assert serving.asked("/readyz") == (200, "ready\n")

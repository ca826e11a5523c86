"""What the terminal does about signals."""

from __future__ import annotations

import asyncio
import signal

import pytest

from pierule_terminal.keyboard import TERMINATED, until_terminated


def test_sigterm_ends_the_work_where_it_waits() -> None:
    """And leaves the event loop whole: all that was begun comes to its end."""
    ended = []

    async def work() -> int:
        other = asyncio.create_task(asyncio.sleep(0.01))
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            await other
            ended.append("work")
        return 0

    assert asyncio.run(until_terminated(work())) == TERMINATED
    assert ended == ["work"]


def test_work_that_ends_by_itself_has_its_own_status() -> None:
    async def work() -> int:
        return 3

    assert asyncio.run(until_terminated(work())) == 3


def test_whoever_else_cancels_the_work_is_not_taken_for_sigterm() -> None:
    async def main() -> None:
        task = asyncio.create_task(until_terminated(asyncio.sleep(60, 0)))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())

"""Timeouts as all our packages find them, in each version of Python."""

from __future__ import annotations

import asyncio
import importlib

import pytest

import pierule_protocol


@pytest.fixture(params=["as it is", "mended"], autouse=True)
def mended(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where Python needs no mending, so that what mends is tested everywhere."""
    if request.param == "mended":
        monkeypatch.setattr(asyncio.Timeout, "__aenter__", asyncio.Timeout.__aenter__)
        monkeypatch.setattr(asyncio.Timeout, "__aexit__", asyncio.Timeout.__aexit__)
        importlib.import_module(f"{pierule_protocol.__name__}.timeouts").mend()


async def _wait(until: asyncio.Event) -> None:
    async with asyncio.timeout(0):
        await until.wait()


async def test_a_timeout_ends_with_a_timeout_error() -> None:
    with pytest.raises(TimeoutError):
        await _wait(asyncio.Event())


async def test_a_timeout_while_a_cancelled_task_cleans_up_is_one() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            with pytest.raises(TimeoutError) as found:
                await _wait(asyncio.Event())
            ended.append(found.type)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [TimeoutError]


async def test_a_task_that_is_cancelled_within_a_timeout_is_cancelled() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        async with asyncio.timeout(60):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_timeouts_end_from_the_inside_to_the_outside() -> None:
    ended = []

    async def work() -> None:
        async with asyncio.timeout(0.01):
            with pytest.raises(TimeoutError):
                await _wait(asyncio.Event())
            ended.append("inside")
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await work()
    assert ended == ["inside"]

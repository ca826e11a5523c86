"""A second wish for the end hurries it; a need that is known already does not."""

from __future__ import annotations

import asyncio

from pierule_server.operations.stopping import Stopping


async def test_draining_is_finished_if_the_need_to_stop_is_told_twice() -> None:
    stopping, done = Stopping(), asyncio.Event()

    async def drain() -> None:
        await asyncio.sleep(0)
        done.set()

    stopping.need()
    stopping.need()
    async with asyncio.timeout(60):
        await stopping.asked()
        await stopping.drain(drain())
    assert done.is_set()


async def test_a_second_request_to_stop_skips_draining() -> None:
    stopping = Stopping()
    stopping.need()
    stopping.ask()
    async with asyncio.timeout(60):
        await stopping.drain(asyncio.sleep(1_000))

"""When somebody acts."""

from __future__ import annotations

import asyncio

import pytest

from pierule_load.pace import BEHIND, Pace, Stopped
from pierule_load.plan import Plan
from pierule_load.tally import Tally


def made(rate: float | None) -> tuple[Pace, Tally]:
    tally = Tally()
    return Pace(Plan(("ws://a/ws",), rate=rate), tally), tally


async def test_nobody_acts_before_the_pace_begins() -> None:
    pace, _ = made(None)
    turn = asyncio.create_task(pace.turn())
    await asyncio.sleep(0)
    assert not turn.done()
    pace.begin()
    await turn


async def test_turns_are_as_far_apart_as_the_rate_says() -> None:
    pace, _ = made(100)
    pace.begin()
    began = asyncio.get_running_loop().time()
    for _ in range(11):
        await pace.turn()
    assert asyncio.get_running_loop().time() - began >= 0.099


async def test_missed_turns_are_not_made_up_for() -> None:
    pace, tally = made(10)
    pace.begin()
    pace._next -= BEHIND + 4
    await pace.turn()
    assert tally.missed >= 10 * (BEHIND + 4)
    assert pace._next > asyncio.get_running_loop().time()


async def test_stopping_wakes_waiting_players() -> None:
    pace, _ = made(0.001)
    pace.begin()
    await pace.turn()
    turn = asyncio.create_task(pace.turn())
    await asyncio.sleep(0)
    pace.stop()
    with pytest.raises(Stopped):
        await turn
    with pytest.raises(Stopped):
        await pace.turn()

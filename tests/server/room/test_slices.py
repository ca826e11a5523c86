"""Long work leaves the loop to others (law 10)."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from pierule_server.room import slices as module
from pierule_server.room.slices import Slices, at_once


@pytest.fixture(autouse=True)
def one_step_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 0)


def steps(name: str, number: int, done: list[str]) -> Generator[None, None, str]:
    for _ in range(number):
        done.append(name)
        yield
    return name


async def test_what_waits_takes_turns_and_others_come_in_between() -> None:
    done: list[str] = []
    slices = Slices()

    async def others() -> None:
        while done.count("short") < 4:
            done.append("-")
            await asyncio.sleep(0)

    works = (slices.work(steps("long", 20, done)), slices.work(steps("short", 4, done)), others())
    assert list(await asyncio.gather(*works))[:2] == ["long", "short"]
    story = "".join(done)
    both = story[: story.rindex("short")]
    for follow in ("longlong", "longshort", "shortlong"):
        assert follow not in both, "others come in after each slice, and the slices take turns"


async def test_what_goes_wrong_is_told_and_holds_up_nobody() -> None:
    def broken() -> Generator[None, None, None]:
        yield
        raise ValueError("no")

    slices = Slices()
    with pytest.raises(ValueError, match="no"):
        await slices.work(broken())
    given_up = asyncio.create_task(slices.work(steps("long", 10**9, [])))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await slices.work(steps("next", 3, [])) == "next"


def test_at_once() -> None:
    assert at_once(steps("one", 3, [])) == "one"

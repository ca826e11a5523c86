"""How a bot answers where the game counts for its opponent's rating, and where it does not."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

import pierule
from pierule_bots import courtesy
from pierule_bots.courtesy import Courtesy
from pierule_protocol.log.events import Rated, Unrated


class Table:
    """A room without a clock, whose other player has left after asking for something."""

    def __init__(self, rated: Rated | None, unrated: Unrated | None) -> None:
        self.state = SimpleNamespace(rated=rated, unrated=unrated, clock=None, seats=[], rules=1)
        self.position = None
        self.offered = ["takeback", "draw", "pause"]
        self.presence = SimpleNamespace(players=(True, False))
        self.seats = [0]
        self.over = False
        self.done: list[str] = []

    async def updates(self) -> Any:
        yield self.state

    async def accept(self, what: str) -> None:
        self.done.append(f"accept {what}")

    async def decline(self, what: str) -> None:
        self.done.append(f"decline {what}")

    async def claim(self, outcome: str) -> None:
        self.done.append(f"claim {outcome}")
        self.over = True


@pytest.mark.parametrize(
    ("rated", "unrated", "done"),
    [
        ("either", None, ["decline takeback", "decline draw", "decline pause", "claim win"]),
        ("either", "bot", ["accept takeback", "accept draw", "decline pause", "claim abort"]),
        ("no", "wish", ["accept takeback", "accept draw", "decline pause", "claim abort"]),
        (None, None, ["accept takeback", "accept draw", "decline pause", "claim abort"]),
    ],
    ids=["rated", "a bot that is no anchor", "not wished", "an earlier server"],
)
async def test_a_bot_grants_takebacks_and_draws_only_in_unrated_games(
    rated: Rated | None, unrated: Unrated | None, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courtesy, "PART", 0.0)
    for name in ("is_content", "restored", "position_text"):  # the bot stands worse
        monkeypatch.setattr(courtesy, name, lambda *_: True)
    table = Table(rated, unrated)
    room, polite = cast("pierule.Room", table), Courtesy(cast("pierule.Client", None))
    await polite.answer(room)
    await polite.part(room)
    assert table.done == done


class Over:
    """A room whose game is over. Its presence is from before the other player came."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(seats=[SimpleNamespace(bot=False)] * 2, rematch=None)
        self.presence = SimpleNamespace(players=(True, False))
        self.offered: list[str] = []
        self.seats = [0]
        self.done: list[str] = []
        self.news: asyncio.Queue[None] = asyncio.Queue()

    async def updates(self, *, beyond: bool) -> Any:
        while beyond:
            await self.news.get()
            yield

    async def decline(self, what: str) -> None:
        self.done.append(f"decline {what}")


async def test_a_bot_stays_for_an_opponent_who_came_just_before_the_end() -> None:
    table, slots = Over(), asyncio.Semaphore(1)
    polite = Courtesy(cast("pierule.Client", None))
    staying = asyncio.create_task(polite.rematch(cast("pierule.Room", table), slots))
    table.news.put_nowait(None)  # the end of the game
    for _ in range(10):
        await asyncio.sleep(0)
    assert not staying.done()
    await slots.acquire()
    table.presence = SimpleNamespace(players=(True, True))
    table.offered.append("rematch")
    table.news.put_nowait(None)
    assert await staying is None
    assert table.done == ["decline rematch"]


async def test_a_bot_leaves_when_its_opponent_has_been_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWAY", "LOOK"):
        monkeypatch.setattr(courtesy, name, 0.01)
    table, polite = Over(), Courtesy(cast("pierule.Client", None))
    assert await polite.rematch(cast("pierule.Room", table), asyncio.Semaphore(1)) is None
    assert table.done == []

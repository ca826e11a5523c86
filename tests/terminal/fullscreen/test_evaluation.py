"""The evaluations of a finished game on the whole terminal, by keys, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import App
from textual.pilot import Pilot

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_protocol.messages import RoomState
from pierule_terminal.fullscreen.evaluation import NOT_HERE, RUNNING, Evaluations
from terminal.test_evaluation import ACTIONS, GAME

BOUND = 60.0


class Host(App[None]):
    """Shows nothing else."""

    def __init__(self, status: str, *features: str) -> None:
        super().__init__()
        self.questions: list[tuple[Any, ...]] = []
        told = SimpleNamespace(features=features)
        client = SimpleNamespace(url="ws://127.0.0.1:1/ws", welcome=told, legal_after=self._legal)
        position = SimpleNamespace(game="loose", size=5)
        state = SimpleNamespace(status=status, position=position, rules=1, actions=ACTIONS)
        self.shown = Evaluations(cast("pierule.Client", client), cast("RoomState", state), 3)

    async def _legal(self, *question: Any) -> None:
        self.questions.append(question)

    def on_mount(self) -> None:
        self.push_screen(self.shown)

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)


@asynccontextmanager
async def showing(status: str, *features: str) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    host = Host(status, *features)
    async with host.run_test(size=(80, 20)) as pilot:
        yield host, pilot


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not holds():
            await pilot.pause(0.02)


async def test_all_positions_are_shown_and_then_the_costliest_actions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Archive, "evaluations", lambda *_, **__: iter(GAME))
    async with showing("over", "archive", "evaluations") as (host, pilot):
        await until(pilot, lambda: "What cost most:" in host.text)
        await until(pilot, lambda: "from 50 % to 20 %; best was e5" in host.text)
        await until(pilot, lambda: "4  d4                |####################| 100 %" in host.text)
        assert host.questions == [("loose", ACTIONS, 5, 1)]
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is not host.shown)


async def test_evaluations_go_on_after_the_archive_was_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[int] = []

    def evaluations(*_: Any, first: int, **__: Any) -> Iterator[dict[str, Any]]:
        begun.append(first)
        yield from GAME[first : first + 2]
        if first == 0:
            raise ArchiveError("too much waits")
        yield from GAME[first + 2 :]

    monkeypatch.setattr(Archive, "evaluations", evaluations)
    async with showing("over", "archive", "evaluations") as (host, pilot):
        await until(pilot, lambda: "too much waits r asks again" in host.text)
        await until(pilot, lambda: "1  c3" in host.text)
        await pilot.press("r")
        await until(pilot, lambda: "What cost most:" in host.text)
    assert begun == [0, 2]


@pytest.mark.parametrize(
    ("status", "features", "says"),
    [
        ("running", ["archive", "evaluations"], RUNNING),
        ("over", ["archive"], NOT_HERE),
        ("over", [], NOT_HERE),
    ],
)
async def test_a_game_without_evaluations_says_so(
    status: str, features: list[str], says: str
) -> None:
    async with showing(status, *features) as (host, pilot):
        await until(pilot, lambda: says in host.text)
        assert host.questions == []

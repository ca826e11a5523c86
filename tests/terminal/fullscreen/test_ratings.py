"""The leaderboards on the whole terminal, by keys, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import App
from textual.pilot import Pilot

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_terminal.fullscreen.ratings import Leaderboards
from terminal.test_leaderboard import board, ranked

BOUND = 60.0

TABLES = {
    "loose": board(*(ranked(rank, f"Player-{rank}", "1600.000000") for rank in range(1, 61))),
    "taugo": {**board(), "bots": [{"level": "search", "name": "Otto", "rating": 1500}]},
}


class Host(App[None]):
    """Shows nothing else."""

    def __init__(self, *features: str) -> None:
        super().__init__()
        told = SimpleNamespace(features=features)
        client = SimpleNamespace(user="id-2", url="ws://127.0.0.1:1/ws", welcome=told)
        self.boards = Leaderboards(cast("pierule.Client", client), ["loose", "taugo"])

    def on_mount(self) -> None:
        self.push_screen(self.boards)

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)


@asynccontextmanager
async def showing(*features: str) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    host = Host(*features)
    async with host.run_test(size=(80, 16)) as pilot:
        yield host, pilot


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not holds():
            await pilot.pause(0.02)


async def test_each_game_has_a_leaderboard_with_your_line_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Archive, "top", lambda _, game: TABLES[game])
    async with showing("archive") as (host, pilot):
        await until(pilot, lambda: "You are number 2." in host.text)
        assert "Loose: ratings" in host.text
        assert "up to number 17, at 1970-01-04 00:00 UTC" in host.text
        assert ">    2  Player-2" in host.text
        assert "Player-60" not in host.text
        await pilot.press("end")
        await until(pilot, lambda: "Player-60" in host.text)
        await pilot.press("g")
        await until(pilot, lambda: "Nobody has enough rated games yet." in host.text)
        assert "Taugo: ratings" in host.text
        assert "up to number 17" in host.text
        assert "Otto (search)                  1500" in host.text
        await pilot.press("right")
        await until(pilot, lambda: "Player-2 " in host.text)
        await pilot.press("left")
        await until(pilot, lambda: "Taugo: ratings" in host.text)
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is not host.boards)


async def test_an_archive_that_is_away_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [ArchiveError("the archive does not\x1b answer"), TABLES["loose"]]

    def top(_: Archive, __: str) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, ArchiveError):
            raise answer
        return answer

    monkeypatch.setattr(Archive, "top", top)
    async with showing("archive") as (host, pilot):
        await until(pilot, lambda: "the archive does not? answer" in host.text)
        assert "r asks again" in host.text
        await pilot.press("r")
        await until(pilot, lambda: "Player-1" in host.text)


async def test_a_late_answer_does_not_take_the_place_of_another_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, may_end = asyncio.get_running_loop(), asyncio.Event()

    def top(_: Archive, game: str) -> Any:
        if game == "loose":
            asyncio.run_coroutine_threadsafe(may_end.wait(), loop).result(BOUND)
        return TABLES[game]

    monkeypatch.setattr(Archive, "top", top)
    async with showing("archive") as (host, pilot):
        await until(pilot, lambda: "loading" in host.text)
        await pilot.press("g")
        await until(pilot, lambda: "Nobody has enough" in host.text)
        may_end.set()
        await pilot.pause()
        assert "Taugo: ratings" in host.text
        assert "Player" not in host.text


async def test_a_server_without_an_archive_says_so() -> None:
    async with showing() as (host, pilot):
        await until(pilot, lambda: "keeps no archive" in host.text)
        await pilot.press("g", "q")
        await until(pilot, lambda: host.screen is not host.boards)

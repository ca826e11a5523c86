"""Every program of the cookbook does what it says, on the real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import pierule
from support.preloaded import python
from support.serving import Serving

COOKBOOK = Path(__file__).parents[2] / "clients" / "examples" / "cookbook"
BOUND = 90.0

Start: TypeAlias = Callable[..., Awaitable[asyncio.subprocess.Process]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start programs of the cookbook in a folder of their own."""
    started: list[asyncio.subprocess.Process] = []

    async def begin(name: str, *arguments: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *python(), COOKBOOK / f"{name}.py", *arguments,
            cwd=tmp_path, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().rstrip("\n")


async def end(process: asyncio.subprocess.Process) -> list[str]:
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()


async def play(room: pierule.Room) -> None:
    async for state in room.turns():
        action = await pierule.random_action(room)
        try:
            await room.act(action, state.turn, state.epoch)
        except pierule.Refused as refused:
            if refused.code != "finished":
                raise


async def test_the_seeking_bot_goes_on_after_a_restart(
    server: Serving, tmp_path: Path, start: Start
) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(server.url) as client:
        bot = await start("seek_forever", server.url, "taugo")
        room = await client.seek("taugo", clock="5+3")
        assert await line(bot) == f"{room.id}: begins"
        bot.kill()
        await bot.wait()
        assert (tmp_path / "seek_forever.token").stat().st_mode & 0o777 == 0o600
        bot = await start("seek_forever", server.url, "taugo", "1")
        assert await line(bot) == f"{room.id}: begins"
        await room.resign()
        another = await client.seek("taugo", clock="5+3")
        assert another.id != room.id
        await play(another)
        said = await end(bot)
    assert said[0].startswith(f"{room.id}: Result(")
    assert said[-1].startswith(f"{another.id}: Result(")


async def test_the_bot_plays_several_games_at_once(server: Serving, start: Start) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(server.url) as client:
        bot = await start("several_games", server.url, "2", "1")
        opened = [(await line(bot)).split()[1] for _ in range(2)]
        rooms = [await client.join(room, seat="any") for room in opened]
        for room in rooms:  # it plays in the one as well as in the other
            async for state in room:
                if state.ply:
                    break
        await asyncio.gather(*map(play, rooms))
        said = await end(bot)
    assert {told.split()[1] for told in said} == set(opened)


async def test_the_feed_reports_a_game_from_beginning_to_end(server: Serving, start: Start) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(server.url) as client:
        feed = await start("live_feed", server.url)
        room = await client.create("loose", 5, seat=0)
        await client.join(room.id, seat=1)
        told: list[dict[str, Any]] = []
        while not told:  # other rooms of this server may be running
            told += [news for news in [json.loads(await line(feed))] if news["room"] == room.id]
        assert told[0]["game"] == "loose"
        await play(room)
        while "reason" not in told[-1]:
            told += [news for news in [json.loads(await line(feed))] if news["room"] == room.id]
    assert room.result is not None
    assert told[-1]["winner"] == room.result.winner
    acted = [news["action"] for news in told[1:-1]]
    assert [*told[0]["actions"], *acted] == room.state.actions


async def test_a_tournament_survives_a_kill(server: Serving, tmp_path: Path, start: Start) -> None:
    file = tmp_path / "tournament.json"
    async with asyncio.timeout(BOUND):
        first = await start("tournament", server.url, str(file))
        said = [await line(first)]
        first.kill()
        told, _ = await first.communicate()
        said += told.decode().splitlines()
        before = json.loads(file.read_text())
        said += await end(await start("tournament", server.url, str(file)))
    after = json.loads(file.read_text())
    for then, now in zip(before["games"], after["games"], strict=True):
        assert now["winner"] is not None
        assert then["room"] in (now["room"], None)
    assert len({game["room"] for game in after["games"]}) == 6
    standings = [text for text in said if " of 4" in text]
    assert sorted(text.partition(":")[0] for text in standings) == ["Greedy", "Orderly", "Random"]


@pytest.mark.parametrize(("game", "size"), [("loose", "5"), ("veletas", "7"), ("taugo", "6")])
async def test_the_search_works_without_a_server(game: str, size: str, start: Start) -> None:
    async with asyncio.timeout(BOUND):
        said = await end(await start("offline_search", game, size, "1"))
    assert said[-1].startswith("winner: ")
    assert len(said) > 4

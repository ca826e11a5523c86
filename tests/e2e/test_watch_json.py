"""`pierule watch --json`: a room as lines of JSON, for programs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pierule
from support.games import game
from support.preloaded import terminal
from support.serving import Serving

BOUND = 60.0


class Watching:
    """`pierule watch --json` as a process; standard error apart."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def lines(self) -> AsyncIterator[dict[str, Any]]:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            yield json.loads(line)

    async def end(self) -> tuple[int, str]:
        _, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, errors.decode()


async def watch(server: Serving, config: Path, *arguments: str) -> Watching:
    pipe = asyncio.subprocess.PIPE
    return Watching(
        await asyncio.create_subprocess_exec(
            *terminal(), "watch", "--json", "--server", server.url, *arguments,
            stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, limit=1 << 20,
            env={"XDG_CONFIG_HOME": str(config)},
        )
    )  # fmt: skip


async def test_each_event_is_a_line_up_to_the_end_of_the_game(
    server: Serving, tmp_path: Path
) -> None:
    played = game("loose", 5)
    async with asyncio.timeout(BOUND), pierule.connect(server.url, name="Ada") as ada:
        room = await ada.create("loose", 5, seat=0)
        watching = await watch(server, tmp_path, room.id)
        lines = watching.lines()
        first = await anext(lines)
        assert first["record"] is None
        assert first["state"]["room"] == room.id
        assert first["state"]["status"] == "open"
        await ada.join(room.id, seat=1)
        for action in played.actions:
            await room.act(action)
        rest = [line async for line in lines]
        assert await watching.end() == (0, "")
    assert [line["record"]["kind"] for line in rest[:1]] == ["seated"]
    acted = [line["record"] for line in rest if line["record"]["kind"] == "acted"]
    assert [record["action"] for record in acted] == list(played.actions)
    assert [line["state"]["seq"] for line in rest] == [*range(2, len(rest) + 2)]
    assert rest[-1]["state"]["result"]["reason"] == "played"


async def test_watching_follows_to_the_rematch(server: Serving, tmp_path: Path) -> None:
    async with (
        asyncio.timeout(BOUND),
        pierule.connect(server.url) as ada,
        pierule.connect(server.url) as bert,
    ):
        room = await ada.create("taugo", seat=0)
        other = await bert.join(room.id, seat=1)
        watching = await watch(server, tmp_path, "--follow", room.id)
        lines = watching.lines()
        assert (await anext(lines))["state"]["room"] == room.id
        await room.resign()
        await other.offer("rematch")
        async for update in room.updates(beyond=True):
            if "rematch" in update.state.offers:
                break
        await room.accept("rematch")
        rematch = await room.rematch()
        assert rematch is not None
        async for line in lines:
            if line["state"]["room"] == rematch:
                break
        watching.process.kill()
        await watching.process.wait()


async def test_errors_are_written_to_standard_error(server: Serving, tmp_path: Path) -> None:
    async with asyncio.timeout(BOUND):
        watching = await watch(server, tmp_path, "zzz")
        assert [line async for line in watching.lines()] == []
        status, errors = await watching.end()
    assert status == 1
    assert errors.startswith("pierule: ")

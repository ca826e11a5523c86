"""The example clients play whole games against each other on the real server."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

import pierule
from pierule_protocol.state.position import position_text
from support.games import Game, game
from support.nodejs import NODE
from support.preloaded import python
from support.serving import Serving

EXAMPLES = Path(__file__).parents[2] / "clients" / "examples"
BOUND = 60.0


async def start(*command: str | Path, **told: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {f"PIERULE_{name}": value for name, value in told.items()},
    )


async def reports(process: asyncio.subprocess.Process) -> list[dict[str, Any]]:
    """All that a client reports until it ends, in good order."""
    output, _ = await process.communicate()
    assert process.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


def of_seat(played: Game, seat: int) -> str:
    """The actions of a seat, as the contract writes them."""
    turns = zip(played.positions, played.actions, strict=False)
    return " ".join(action for position, action in turns if position.to_act == seat)


@pytest.mark.parametrize(("name", "size"), [("loose", 5), ("veletas", 7), ("taugo", 6)])
async def test_example_clients_in_two_languages_play_a_game(
    server: Serving, name: str, size: int
) -> None:
    played = game(name, size)
    async with asyncio.timeout(BOUND), pierule.connect(server.url) as watcher:
        room = await watcher.create(name, size)
        told = {"URL": server.url, "ROOM": room.id, "TOKEN": ""}
        plain = await start(
            *python(),
            EXAMPLES / "plain_client.py",
            SEAT="0",
            ACTIONS=of_seat(played, 0),
            **told,
        )
        node = await start(
            NODE, EXAMPLES / "node_client.mjs", SEAT="1", ACTIONS=of_seat(played, 1), **told
        )
        states = {state.seq: state async for state in room}
        for lines in await asyncio.gather(reports(plain), reports(node)):
            assert lines[-1]["status"] == "over"
            assert lines[-1]["actions"] == list(played.actions)
            for line in lines:
                assert line["text"] == position_text(states[line["seq"]].position)

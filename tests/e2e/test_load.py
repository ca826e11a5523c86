"""`pierule load` against real servers."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from support.preloaded import terminal
from support.serving import Serving

# On a busy machine each of its three programs takes long to start.
pytestmark = pytest.mark.timeout(400)

SMALL = ("--game", "loose", "--size", "5", "--games", "3", "--spectators", "2", "--timeout", "20")


def no_room_is_left(url: str) -> None:
    async def rooms() -> list[pierule.Card]:
        async with pierule.connect(url) as client:
            return await client.rooms(None)

    assert asyncio.run(rooms()) == []


@pytest.mark.long(20)
def test_games_go_on_through_a_storm_and_no_room_is_left(start: Starter, tmp_path: Path) -> None:
    serving = start()
    report = tmp_path / "load.json"
    # Not as fast as can be, which would take whatever the machine has for as long as it lasts.
    command = [*terminal(), "load", serving.url, *SMALL, "--seconds", "8", "--storm", "3"]
    done = subprocess.run(
        [*command, "--rate", "200", "--json", str(report)], capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr  # a busy machine may break something
    found = json.loads(report.read_text())
    assert found["actions"] > 0
    assert found["connections"] > 0
    assert found["cut"] > 0
    assert found["back_ms"]["p50"] is not None
    assert found["rooms_left"] == 0
    assert "at the last follower" in done.stdout
    no_room_is_left(serving.url)


@pytest.mark.long(10)
def test_limits_are_named_and_ctrl_c_ends_the_load_orderly(tmp_path: Path) -> None:
    folder = tmp_path / "node"
    folder.mkdir()
    with Serving(folder, "--connections-per-address", "11", "--api-port", "off", lifted=()) as node:
        command = [*terminal(), "load", node.url, *SMALL, "--rate", "max", "--seconds", "3600"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        # It plays: the first line of progress with a time of the run.
        assert any("/3600 s" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=60)
        assert process.returncode == 128 + signal.SIGINT
        assert "address has too many connections here" in text
        assert "--connections-per-address 0" in text
        assert "refused connections, after" in text
        no_room_is_left(node.url)

"""Clocks as `play`, `watch`, `new` and `rooms` show them, against a real server."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

import pierule
from support.preloaded import terminal
from support.serving import Serving

BOUND = 60.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("display")) as serving:
        yield serving


@pytest.fixture
def env(server: Serving, tmp_path: Path) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    return {
        **kept, "XDG_CONFIG_HOME": str(tmp_path), "PIERULE_SERVER": server.url,
        "TERM": "xterm-256color", "PYTHONUTF8": "1",
    }  # fmt: skip


def run(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run([*terminal(), *arguments], env=env, capture_output=True, timeout=BOUND)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_a_room_with_a_clock_is_made_and_listed(env: dict[str, str]) -> None:
    new = [*terminal(), "new", "loose", "--size", "5", "--clock", "10m+3x30s"]
    made = subprocess.run(new, env=env, capture_output=True, timeout=BOUND, text=True)
    [room] = made.stdout.splitlines()  # in a pipe the id is alone
    told = made.stderr.splitlines()
    assert told[1] == (
        "This is a room for Loose of size 5, clock 10m+3x30s, "
        "rated if both players have registered a name. Go on with"
    )
    [line] = [line for line in run(env, "rooms").splitlines() if line.startswith(room)]
    assert line.split()[1:5] == ["loose", "5", "10m+3x30s", "open"]


async def test_watch_shows_clocks_and_a_loss_on_time(env: dict[str, str]) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(env["PIERULE_SERVER"], name="Ada") as ada:
        room = await ada.create("loose", 5, seat=0, clock="2s/action")
        watching = asyncio.create_task(asyncio.to_thread(run, env, "watch", room.id))
        while room.presence is None or room.presence.spectators == 0:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await ada.join(room.id, seat=1)
        await room.act("komi:12")
        said = await watching
    assert "Loose 5, 2s/action, room " in said
    assert re.search(r"► seat 0  [12]\.\d  Ada", said), said
    assert re.search(r"► seat 1  [12]\.\d  Ada", said)
    assert said.endswith("\nresult: Ada wins: Ada ran out of time\n")


class Terminal:
    """A `pierule play` on a terminal of its own."""

    def __init__(self, env: dict[str, str], room: str) -> None:
        self.keyboard, inner = pty.openpty()
        self.process = subprocess.Popen(
            [*terminal(), "play", "--plain", room], env=env, stdin=inner, stdout=inner, stderr=inner
        )
        os.close(inner)
        self.said = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            while data := os.read(self.keyboard, 65536):
                self.said += data.decode(errors="replace")
        except OSError:
            pass

    def until(self, pattern: str) -> None:
        end = monotonic() + BOUND
        while not re.search(pattern, self.said):
            assert monotonic() < end, f"never said {pattern}: {self.said}"
            sleep(0.02)

    def end(self) -> int:
        status = self.process.wait(BOUND)
        self._reader.join(BOUND)
        return status

    def clear(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(BOUND)
        os.close(self.keyboard)


async def test_the_prompt_ticks_and_warns_and_keeps_the_typed_text(env: dict[str, str]) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(env["PIERULE_SERVER"], name="Bob") as bob:
        room = await bob.create("loose", 5, seat=1, clock="13s/action")
        terminal = Terminal(env, room.id)
        try:
            await asyncio.to_thread(terminal.until, r"your turn 0:1[0-3]> ")
            os.write(terminal.keyboard, b"komi:1")
            await asyncio.to_thread(terminal.until, r"\r\x1b\[Kyour turn (0:1\d|\d\.\d)> komi:1")
            await asyncio.to_thread(terminal.until, r"\r\x1b\[Kyour turn \d\.\d> komi:1")
            await asyncio.to_thread(terminal.until, r"-- you have 10 seconds left")
            os.write(terminal.keyboard, b"2\n")
            await asyncio.to_thread(terminal.until, r"Bob is to act 0:1[0-3]> ")
            assert terminal.said.count("seconds left") == 1
            await room.act("black", turn=1)
            await room.resign()
            await asyncio.to_thread(terminal.until, "quit to leave")
            os.write(terminal.keyboard, b"quit\n")
            assert await asyncio.to_thread(terminal.end) == 0
            assert "resigned" in terminal.said
        finally:
            await asyncio.to_thread(terminal.clear)

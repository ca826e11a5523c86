"""House bots: `pierule bot` as child processes, one for each level, so that everybody finds a game.

The server only knows how to start the program: bots use the same public protocol as all clients. A
bot has one owner, the node that starts it. The node holds the other end of the bot's standard
input, so that the bot ends with it, even if it is killed. The node also signs the bot's identity,
the same in each of its lives, so that the next bot goes on with the rooms of the last.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import structlog

from pierule_protocol import world
from pierule_server.identity.tokens import Keys, User

LEVELS = ("random", "one-step", "search")

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a bot that has ended is started again; they double while it keeps failing."""

STEADY = 30.0
"""A bot that has run for this many seconds counts as started."""

LAST_WORDS = 1.0
"""Seconds to wait for a bot's last output."""

STOP_SECONDS = 5.0
"""The most seconds that a bot may take to end."""

_logger = structlog.get_logger(__name__)


def levels_of(text: str) -> list[str]:
    """The levels that a setting names. Raises ValueError."""
    levels = [level.strip() for level in text.split(",") if level.strip()]
    for level in levels:
        if level not in LEVELS:
            raise ValueError(f"--bots takes {', '.join(LEVELS)}, not {level!r}")
    return list(dict.fromkeys(levels))


@dataclass(frozen=True, slots=True)
class Owner:
    """The node that runs bots: its address, the keys with which it signs their identities, its
    folder, and the port in its settings."""

    url: str
    keys: Keys
    data: Path
    port: int

    def bot(self, level: str) -> User:
        """The identity of its bot of this level: always the same, and no other node's."""
        node = f"{socket.gethostname()} {self.data.expanduser().resolve()} {self.port}"
        name = sha256(node.encode()).hexdigest()[:12]
        return User(f"house-{level}-{name}", f"Bot ({level})", bot=True, house=True)

    def environment(self, level: str) -> dict[str, str]:
        """Our environment without our settings, which hold secrets that no client may know, and
        with the bot's token, which nobody else on the machine can read here."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
        return {
            **kept,
            "XDG_CONFIG_HOME": str(self.data.expanduser().resolve()),
            "PIERULE_TOKEN": self.keys.sign(self.bot(level)),
        }


@asynccontextmanager
async def house_bots(levels: Sequence[str], owner: Owner) -> AsyncIterator[None]:
    """Run a bot of each of these levels at its owner while the context lasts."""
    keepers = [asyncio.create_task(_keep(level, owner)) for level in levels]
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


async def _keep(level: str, owner: Owner) -> None:
    pause, vain = SHORTEST_PAUSE, 0
    while True:
        started = world.monotonic()
        status = await _run(level, owner)
        if world.monotonic() - started > STEADY:
            pause, vain = SHORTEST_PAUSE, 0
        vain += 1
        _logger.warning(
            "a house bot has ended; it is started again", bot=level, status=status, in_s=pause,
            ended_in_a_row=vain,
        )  # fmt: skip
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _run(level: str, owner: Owner) -> int:
    """One life of a bot, and its exit status."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pierule_terminal.cli", "bot", "--until-eof"),
        *("--level", level, "--server", owner.url),
        env=owner.environment(level),
        stdin=PIPE,  # never written to: its end tells the bot that we have ended
        stdout=DEVNULL,
        stderr=PIPE,
        start_new_session=True,  # Ctrl-C is for us; we end them
    )
    _logger.info("a house bot starts", bot=level, pid=process.pid)
    hearing = asyncio.create_task(_hear(level, process))
    try:
        status = await process.wait()
        await asyncio.wait([hearing], timeout=LAST_WORDS)
        return status
    finally:
        await _end(process)
        hearing.cancel()


async def _hear(level: str, process: Process) -> None:
    """Log the errors that a bot reports."""
    assert process.stderr is not None
    while said := await process.stderr.read(4096):
        for text in said.decode(errors="replace").splitlines():
            _logger.warning("a house bot says", bot=level, text=text)


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()

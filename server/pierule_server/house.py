"""House bots: `pierule bot` as child processes, one for each level, so that nobody waits in vain.

The server knows nothing of them but how to start the program: they come in by the one door that
all clients use. One that ends is started again; all are ended with us. Those that a kill -9 of the
node leaves behind come back to it if it is back at its address within five minutes.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog

LEVELS = ("random", "one-step", "search")

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a bot that has ended is started again; they double while it is in vain."""

STEADY = 30.0
"""A bot that has run for so many seconds was not started in vain."""

STOP_SECONDS = 5.0
"""How long a bot may take to end."""

_log = structlog.get_logger(__name__)


def levels_of(text: str) -> list[str]:
    """The levels that a setting names. Raises ValueError."""
    levels = [level.strip() for level in text.split(",") if level.strip()]
    for level in levels:
        if level not in LEVELS:
            raise ValueError(f"--bots takes {', '.join(LEVELS)}, not {level!r}")
    return list(dict.fromkeys(levels))


@asynccontextmanager
async def house_bots(levels: Sequence[str], url: str, data: Path) -> AsyncIterator[None]:
    """Run bots of these levels at the server with this URL for as long as the context lasts. Who
    they are is kept in the folder `data`."""
    keepers = [asyncio.create_task(_keep(level, url, data)) for level in levels]
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


async def _keep(level: str, url: str, data: Path) -> None:
    pause = SHORTEST_PAUSE
    while True:
        started = time.monotonic()
        status = await _run(level, url, data)
        pause = SHORTEST_PAUSE if time.monotonic() - started > STEADY else pause
        _log.warning("a house bot has ended; it is started again", level=level, status=status)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _run(level: str, url: str, data: Path) -> int:
    """One life of a bot, and its exit status."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pierule.cli", "bot", "--level", level, "--server", url),
        env=_environment(data),
        stdin=DEVNULL,
        stdout=DEVNULL,
        start_new_session=True,  # Ctrl-C is for us; we end them
    )
    _log.info("a house bot starts", level=level, pid=process.pid)
    try:
        return await process.wait()
    finally:
        await _end(process)


def _environment(data: Path) -> dict[str, str]:
    """Ours without our settings: they hold secrets, which no client is to know."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
    return {**kept, "XDG_CONFIG_HOME": str(data.expanduser().resolve())}


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()

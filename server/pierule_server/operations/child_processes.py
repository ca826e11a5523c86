"""Programs of ours that a node runs beside itself, and starts again when they end.

A child holds one end of a pipe as its standard input, so that it ends with the node, even if the
node is killed (`--until-eof`).
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from pierule_protocol import world

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a child that has ended is started again; they double while it keeps failing."""

STEADY = 30.0
"""A child that has run for this many seconds counts as started."""

LAST_WORDS = 1.0
"""Seconds to wait for a child's last output."""

STOP_SECONDS = 5.0
"""The most seconds that a child may take to end."""

_logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Child:
    """A program: `what` it is called in the log, together with `marks`; the arguments of `pierule`;
    `settings` in its environment; the sockets that it inherits; and whether it writes to our log by
    itself."""

    what: str
    arguments: Sequence[str]
    settings: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    sockets: Sequence[int] = ()
    own_log: bool = False

    def environment(self) -> dict[str, str]:
        """Our environment without our own settings, which hold secrets that no other program may
        know, and with the child's, which nobody else on the machine can read here."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
        return {**kept, **self.settings}


async def keep_running(child: Child) -> None:
    """Run a child again and again, until this task is cancelled."""
    pause, vain = SHORTEST_PAUSE, 0
    while True:
        started = world.monotonic()
        status = await _run(child)
        if world.monotonic() - started > STEADY:
            pause, vain = SHORTEST_PAUSE, 0
        vain += 1
        event = f"{child.what} has ended; it is started again"
        _logger.warning(
            event, **child.marks, status=status,
            in_s=pause, ended_in_a_row=vain,
        )  # fmt: skip
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def begin(child: Child) -> Process:
    """Start a child."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pierule_terminal.cli", *child.arguments, "--until-eof"),
        env=child.environment(),
        stdin=PIPE,  # never written to: its end tells the child that we have ended
        stdout=DEVNULL,
        stderr=None if child.own_log else PIPE,
        start_new_session=True,  # Ctrl-C is for us; we end them
        pass_fds=child.sockets,
    )


async def _run(child: Child) -> int:
    """One life of a child, and its exit status."""
    process = await begin(child)
    event = f"{child.what} starts"
    _logger.info(event, **child.marks, pid=process.pid)
    hearing = asyncio.create_task(_hear(child, process))
    try:
        status = await process.wait()
        await asyncio.wait([hearing], timeout=LAST_WORDS)
        return status
    finally:
        await _end(process)
        hearing.cancel()


async def _hear(child: Child, process: Process) -> None:
    """Log the errors that a child reports."""
    if process.stderr is None:
        return
    event = f"{child.what} says"
    while said := await process.stderr.read(4096):
        for text in said.decode(errors="replace").splitlines():
            _logger.warning(event, **child.marks, text=text)


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()

"""Runs our own programs beside a node, and starts them again when they end.

A child's standard input is a pipe from the node. With `--until-eof` the child ends when the pipe
does, so it ends with the node, even if the node is killed.
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
"""Seconds before a child that ended is started again. They double while it keeps failing."""

STEADY = 30.0
"""A child that has run for this many seconds counts as started."""

LAST_WORDS = 1.0
"""Seconds to wait for the last output of a child that ended."""

STOP_SECONDS = 5.0
"""Seconds that a child may take to end before it is killed."""

_logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Child:
    """A program to run: `pierule` with these `arguments`. The log calls it `what`, together with
    `marks`. `settings` are variables in its environment; `sockets` are the file descriptors that it
    inherits. With `own_log` it writes to our standard error itself; otherwise we log what it
    writes there."""

    what: str
    arguments: Sequence[str]
    settings: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    sockets: Sequence[int] = ()
    own_log: bool = False

    def environment(self) -> dict[str, str]:
        """Our environment, with the child's settings in place of ours: ours hold secrets that the
        child must not know. Settings go here because other users of the machine can read arguments
        but not the environment."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
        return {**kept, **self.settings}


async def keep_running(child: Child) -> None:
    """Run a child, and start it again whenever it ends, until this task is cancelled."""
    pause, vain = SHORTEST_PAUSE, 0
    while True:
        started = world.monotonic()
        status = await _run(child)
        if world.monotonic() - started > STEADY:
            pause, vain = SHORTEST_PAUSE, 0
        vain += 1
        event = f"{child.what} has ended; starting it again"
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
        stdin=PIPE,  # we never write to it: when it ends, the child knows that we ended
        stdout=DEVNULL,
        stderr=None if child.own_log else PIPE,
        start_new_session=True,  # only we get Ctrl-C, and we end the child
        pass_fds=child.sockets,
    )


async def _run(child: Child) -> int:
    """Run a child once, and return its exit status."""
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
    """Log what a child writes to standard error."""
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

"""The client under test as a process: starts it, reads its lines, and ends it whatever it does."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

LINE_BYTES = 1 << 16
"""The longest line that a client may write."""
LINES_MOST = 2_000
"""More lines than any scenario needs."""
KEPT_BYTES = 1_500
"""How much of the end of its standard error is shown."""


class Tail:
    """The end of what a process wrote to standard error."""

    def __init__(self) -> None:
        self._data = b""

    async def read(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(1 << 14):
            self._data = (self._data + data)[-KEPT_BYTES:]

    @property
    def text(self) -> str:
        return self._data.decode(errors="replace").strip()


@asynccontextmanager
async def running(
    command: Sequence[str],
    environment: dict[str, str],
    on_line: Callable[[bytes], None],
    on_end: Callable[[int], None],
) -> AsyncIterator[Tail]:
    """Run a command. `on_line` gets its lines, `on_end` its exit status after the last of them.
    Kills its whole process group in the end. Raises OSError if it cannot be started."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
        env=os.environ | environment,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    tail = Tail()
    errors = asyncio.create_task(tail.read(process.stderr))
    lines = asyncio.create_task(_listen(process, process.stdout, on_line, on_end))
    try:
        yield tail
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        for task in (errors, lines):
            task.cancel()
        await asyncio.gather(errors, lines, return_exceptions=True)


async def _listen(
    process: asyncio.subprocess.Process,
    stream: asyncio.StreamReader,
    on_line: Callable[[bytes], None],
    on_end: Callable[[int], None],
) -> None:
    count = 0
    while count <= LINES_MOST:
        try:
            line = await stream.readuntil(b"\n")
        except asyncio.IncompleteReadError as rest:
            if rest.partial:
                on_line(rest.partial)
            break
        except asyncio.LimitOverrunError:
            on_line(b"(a line that is too long)")
            break
        count += 1
        on_line(line)
    if count > LINES_MOST:
        on_line(b"(too many lines)")
    on_end(await process.wait())

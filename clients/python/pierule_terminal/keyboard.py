"""Standard input without blocking, from a terminal (key by key), a pipe or a file.

A thread reads, because that works with every kind of file. It reads only one piece ahead. The
program does not wait for it at the end, because it may be blocked in a read.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import threading
import tty
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

PIECE = 4096
TERMINATED = 128 + signal.SIGTERM
"""The exit status after SIGTERM."""


class Pieces:
    """The bytes of a file descriptor, piece by piece, as they come. If a caller stops waiting for a
    piece, the next caller gets it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self._wanted = threading.Semaphore(1)
        self._given = self._ended = False
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __aiter__(self) -> Pieces:
        return self

    async def __anext__(self) -> bytes:
        if self._given:
            self._given = False
            self._wanted.release()
        data = b"" if self._ended else await self._arrived.get()
        if not data:
            self._ended = True
            raise StopAsyncIteration
        self._given = True
        return data

    def _read(self) -> None:
        data = b"?"
        while data:
            self._wanted.acquire()
            try:
                data = os.read(self._descriptor, PIECE)
            except OSError:  # the terminal went away
                data = b""
            try:
                self._loop.call_soon_threadsafe(self._arrived.put_nowait, data)
            except RuntimeError:  # the loop is closed, so nobody reads any more
                return


def is_interactive() -> bool:
    """Whether the user both types and reads at a terminal that can erase a line."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def keys_at_once(descriptor: int) -> Iterator[None]:
    """Set the terminal to pass on every key immediately, and to show none by itself.

    Ctrl-C and Ctrl-Z still work. After `fg`, it sets the terminal again, and before SIGTERM ends
    the program, it restores the terminal. In an event loop, `until_terminated` must handle SIGTERM.
    """
    before = termios.tcgetattr(descriptor)
    handlers = {
        signal.SIGCONT: lambda *_: tty.setcbreak(descriptor),
        signal.SIGTERM: lambda *_: sys.exit(TERMINATED),
    }
    replaced = {number: signal.signal(number, handle) for number, handle in handlers.items()}
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


async def until_terminated(work: Coroutine[Any, Any, int]) -> int:
    """Do the work. Returns its exit status, or `TERMINATED` if SIGTERM cancelled it.

    A signal handler that raises would do so anywhere in the event loop, also between two steps of a
    task. Such a task never ends, and the loop would wait for it.
    """
    task, terminated = asyncio.current_task(), False
    assert task is not None

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await work
    except asyncio.CancelledError:
        if terminated:
            return TERMINATED
        raise

"""Standard input without blocking: from a terminal key by key, from a pipe or a file alike.

A thread reads, for that is what works with every kind of file; it reads one piece ahead and no
more. Nothing waits for it at the end: it may be reading when the program is done.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import threading
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

PIECE = 4096


async def pieces(descriptor: int) -> AsyncIterator[bytes]:
    """What can be read from a file descriptor, as it comes, to its end."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[bytes] = asyncio.Queue()
    wanted = threading.Semaphore(1)

    def read() -> None:
        data = b"?"
        while data:
            wanted.acquire()
            try:
                data = os.read(descriptor, PIECE)
            except OSError:  # the terminal went away
                data = b""
            try:
                loop.call_soon_threadsafe(arrived.put_nowait, data)
            except RuntimeError:  # the loop is closed, nobody reads any more
                return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while data := await arrived.get():
        yield data
        wanted.release()


def is_interactive() -> bool:
    """Whether someone sits there who both types and reads, at a terminal that can erase a line."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def keys_at_once(descriptor: int) -> Iterator[None]:
    """A terminal that hands over every key at once and shows none by itself.

    Ctrl-C and Ctrl-Z work as ever; after `fg`, and before SIGTERM ends the program, the terminal
    is set as it has to be.
    """
    before = termios.tcgetattr(descriptor)
    handlers = {
        signal.SIGCONT: lambda *_: tty.setcbreak(descriptor),
        signal.SIGTERM: lambda *_: sys.exit(128 + signal.SIGTERM),
    }
    replaced = {number: signal.signal(number, handle) for number, handle in handlers.items()}
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

"""Test processes are forked off one that has collected the tests.

Each of them collects the tests again; but all that takes long, their imports, is done. This one
starts as any Python, so that it has imported nothing but tests and what they import. It also starts
what all of them share (`support.sharing`).
"""

from __future__ import annotations

import atexit
import gc
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.preloaded import Server, folder, launching

TESTS = Path(__file__).parents[1]
CODE = f"import sys; sys.path.insert(0, {str(TESTS)!r}); from support import collected; {{}}"


def python(arguments: Sequence[str]) -> tuple[str, ...]:
    """The command, in place of `sys.executable`, for a Python that has imported the tests which
    `pytest ARGUMENTS` collects. It is there until this process ends."""
    path = str(Path(folder(), "s"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(128)
        code = CODE.format(f"collected.serve({listener.fileno()})")
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
    atexit.register(process.communicate)  # closes what it waits for
    return launching(path)


def serve(listener: int) -> None:
    """In the new process: collect the tests, then fork until standard input ends."""
    pytest.main([*sys.argv[1:], "-n0", "--collect-only", "-qq"])
    gc.unfreeze()  # the session is over, and what it has collected is not needed
    gc.collect()
    gc.freeze()
    assert not (threads := threading.enumerate()[1:]), f"a forked process would lack {threads}"
    tasks = Path("/proc/self/task")
    assert not tasks.exists() or len(list(tasks.iterdir())) == 1, "a test imports what has threads"
    listening = socket.socket(fileno=listener)
    server = Server(listening, sys.stdin.fileno())
    server.offer(str(Path(listening.getsockname()).with_name("shared")))
    server.serve()

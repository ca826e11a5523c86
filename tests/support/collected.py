"""Test processes are forked off one that has collected the tests.

Each of them collects the tests again; but all that takes long, their imports, is done. This one
starts as any Python, so that it has imported nothing but tests and what they import.
"""

from __future__ import annotations

import atexit
import gc
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.preloaded import Server, launching

TESTS = Path(__file__).parents[1]
CODE = f"import sys; sys.path.insert(0, {str(TESTS)!r}); from support import collected; {{}}"


def python(arguments: Sequence[str]) -> tuple[str, ...]:
    """The command, in place of `sys.executable`, for a Python that has imported the tests which
    `pytest ARGUMENTS` collects. It is there until this process ends."""
    folder = tempfile.mkdtemp(prefix="pr-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = str(Path(folder, "s"))
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
    Server(socket.socket(fileno=listener), sys.stdin.fileno()).serve()

"""Runs `pierule` in processes that are forked off one that has imported it.

Imports take most of the CPU that a node needs to start. All test processes pay for them once for
each PYTHONPATH, instead of for each of hundreds of nodes. Otherwise it is a normal process with its
own arguments, environment, output, signals and exit status. The shared server of the first test
process starts without forking, and so do programs in `tests/terminal/test_program.py`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from multiprocessing import connection, forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from unittest.mock import patch

from support.sharing import shared

PRELOADED = "support.imported"
TESTS = Path(__file__).parents[1]

_LOCK = threading.Lock()
"""`multiprocessing` looks after all its processes whenever one begins, whatever thread it is in."""


CONTEXT: ForkServerContext = get_context("forkserver")


_STARTED: list[forkserver.ForkServer] = []


class _Running(forkserver.ForkServer):
    """A server that a process of the tests has started, and perhaps not this one."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._forkserver_address = address
        # It ends with the process that has started it, whatever else runs.
        self._forkserver_alive_fd = os.open(os.devnull, os.O_RDONLY)

    def ensure_running(self) -> None:
        """It does."""


@cache
def _server(path: str) -> forkserver.ForkServer:
    """The process that all others with this PYTHONPATH are forked off."""
    return _Running(start(path))


@shared
def start(path: str) -> str:
    """Start such a process; its address."""
    server = forkserver.ForkServer()
    server.set_forkserver_preload([PRELOADED])
    paths = [str(TESTS), *parts(path)]
    with (
        patch.dict(os.environ, PYTHONPATH=os.pathsep.join(paths)),
        patch.object(sys, "path", [*paths, *sys.path]),  # which some versions hand on
    ):
        server.ensure_running()
    _STARTED.append(server)
    address: str = server._forkserver_address  # type: ignore[attr-defined]
    return address


@contextmanager
def _forking(path: str) -> Iterator[None]:
    """Processes that start here are forked off the server for this PYTHONPATH."""
    with _LOCK, patch.object(
        forkserver, "connect_to_new_process", _server(path).connect_to_new_process
    ):  # fmt: skip
        yield


def parts(path: str) -> list[str]:
    """The folders on a PYTHONPATH."""
    return [part for part in path.split(os.pathsep) if part]


class Forked:
    """A running `pierule`, with the parts of `subprocess.Popen` that tests need."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
    ) -> None:
        from support.preloaded import executable  # which is forked off such a process itself

        self.args = ["pierule", *arguments]
        path = environment.get("PYTHONPATH", "")
        starts = executable(path)
        with _forking(path):
            # The end of the tests does not wait for a daemon.
            self._process = CONTEXT.Process(
                target=_main,
                args=(self.args, dict(environment), output, errors or output, starts),
                daemon=True,
            )
            self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        with _LOCK:
            return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        connection.wait([self._process.sentinel], timeout)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def beside(
    serve: Callable[[str, connection.Connection], None], path: str, modules: str = ""
) -> None:
    """Let a forked process serve at a path as long as this one lives. It has the PYTHONPATH
    `modules`. Returns when it serves."""
    with _forking(modules):
        ready, told = CONTEXT.Pipe(duplex=False)
        CONTEXT.Process(target=serve, args=(path, told), daemon=True).start()
    told.close()
    ready.recv()
    ready.close()


def run(
    *arguments: str, timeout: float, environment: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run `pierule` to its end: status, output, errors. `environment` adds to its own."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = Forked(arguments, {**os.environ, **(environment or {})}, output, errors)
        try:
            status = process.wait(timeout)
        finally:
            process.kill()
        return status, output.read_text("utf-8"), errors.read_text("utf-8")


def _main(
    arguments: list[str], environment: dict[str, str], output: Path, errors: Path, starts: str
) -> None:
    """In the new process: what the program's script does. What it `starts` is forked, too."""
    assert PRELOADED in sys.modules  # a server that cannot import it says nothing
    for number, path in ((1, output), (2, errors)):
        with path.open("ab") as file:
            os.dup2(file.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = parts(environment.get("PYTHONPATH", ""))
    sys.argv, sys.executable = arguments, starts
    from pierule_terminal.cli import main

    sys.exit(main())

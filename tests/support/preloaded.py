"""Runs Python programs in processes that are forked off one that has imported what they need.

Imports take most of the CPU of a short program, and tests start hundreds. `python()` is a command
that does what `sys.executable` does, at a tenth of the cost: its process is a small one
(`support.launcher`) that stands for the program. A test starts a program without it if the process
id matters.
"""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import runpy
import selectors
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_DUPFD, fcntl
from functools import cache
from importlib import import_module
from multiprocessing import connection, parent_process, process, resource_tracker
from pathlib import Path
from typing import Any

from support import sharing
from support.forked import beside, parts
from support.sharing import shared

PRELOADED = (
    "pierule_conform.client",
    *(f"pierule_terminal.commands.{name}" for name in ("bot", "export", "lobby", "play", "watch")),
    "pierule_terminal.fullscreen.launcher",
    "pierule_archive.tools.command",
    "pierule_server.operations.api",
)
WORD = 4
MOST_FILES = 16
LAUNCHER = Path(__file__).with_name("launcher.py")


@cache
def python(modules: str = "") -> tuple[str, ...]:
    """The command, in place of `sys.executable`. Programs that find packages with a game need the
    PYTHONPATH with these in their environment and in `modules`."""
    return launching(start(modules))


@shared
def start(modules: str) -> str:
    """Start the process that programs are forked off; its address."""
    path = str(Path(folder(), "s"))
    beside(_serve, path, modules)
    return path


def folder() -> str:
    """A new folder, for as long as this process lives."""
    made = tempfile.mkdtemp(prefix="pr-")
    atexit.register(_remove, made, os.getpid())
    return made


def _remove(made: str, maker: int) -> None:
    if os.getpid() == maker:  # and not one that was forked off it
        shutil.rmtree(made, ignore_errors=True)


def launching(path: str) -> tuple[str, ...]:
    """The command that has the server at this path fork a program."""
    return (sys.executable, "-I", "-S", str(LAUNCHER), path)


EXECUTABLE = """#!/bin/sh
case " $* " in *" --worker "*) exec {python} "$@";; esac
exec {launching} "$@"
"""
"""A worker is a process that tests stop and look into, so it is not forked."""


@cache
def executable(modules: str = "") -> str:
    """The same as one file, for `sys.executable` of a node: what it starts is forked, too."""
    file = Path(folder(), "python")
    command = EXECUTABLE.format(python=sys.executable, launching=shlex.join(python(modules)))
    file.write_text(command)
    file.chmod(0o700)
    return str(file)


def terminal(modules: str = "") -> tuple[str, ...]:
    """The command `pierule`."""
    return (*python(modules), "-m", "pierule_terminal.cli")


def forked(command: Sequence[str | Path]) -> list[str]:
    """This command; a program of Python's runs in a forked process."""
    first, *rest = map(str, command)
    return [*(python() if first == sys.executable else [first]), *rest]


def _serve(path: str, ready: connection.Connection) -> None:
    for module in PRELOADED:
        import_module(module)
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    ready.send(path)
    ready.close()
    parent = parent_process()
    assert parent is not None
    Server(listener, parent.sentinel).serve()


class Server:
    """Forks a program for every connection, and reports how it ended. It ends when `starter` can be
    read, for then its starter has ended, and kills what runs."""

    def __init__(self, listener: socket.socket, starter: int) -> None:
        self._listener = listener
        self._programs: dict[int, socket.socket] = {}
        self._offers: str | None = None
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno())
        signal.signal(signal.SIGTERM, self._stop)
        self._selector.register(starter, selectors.EVENT_READ, self._stop)
        self._selector.register(listener, selectors.EVENT_READ, self._start)
        self._selector.register(self._woken, selectors.EVENT_READ, self._reap)

    def offer(self, path: str) -> None:
        """At this path, let programs ask for what they share."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(128)
        self._offers = path
        self._selector.register(listener, selectors.EVENT_READ, sharing.answer)

    def serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                key.data(key.fileobj)

    def _stop(self, *_: Any) -> None:
        for pid in self._programs:
            _kill(pid)
        sys.exit()

    def _start(self, _: Any) -> None:
        line, _ = self._listener.accept()
        try:
            size, files, _, _ = socket.recv_fds(line, WORD, MOST_FILES)
            told = line.recv(int.from_bytes(size), socket.MSG_WAITALL)
        except OSError:  # killed at its start
            line.close()
            return
        pid = os.fork()
        if not pid:
            sharing.host = self._offers
            _become(files, *marshal.loads(told))
        self._programs[pid] = line
        for file in files:
            os.close(file)
        self._tell(line, pid)
        self._selector.register(line, selectors.EVENT_READ, lambda _: self._kill(pid))

    def _kill(self, pid: int) -> None:
        """The starter is gone: kill the program."""
        if pid in self._programs:
            self._selector.unregister(self._programs[pid])
            _kill(pid)

    def _reap(self, _: Any) -> None:
        self._woken.recv(1 << 12)
        while self._programs:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            line = self._programs.pop(pid, None)
            if line is None:  # no program, but what programs share
                continue
            if line.fileno() in self._selector.get_map():
                self._selector.unregister(line)
            self._tell(line, os.waitstatus_to_exitcode(status))
            line.close()

    def _tell(self, line: socket.socket, number: int) -> None:
        with suppress(OSError):  # the kill follows, or has been
            line.sendall(number.to_bytes(WORD, signed=True))


def _kill(pid: int) -> None:
    """Kill a program and what it started. It may be so new that it has no group yet."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def _become(
    files: list[int],
    numbers: list[int],
    arguments: list[str],
    folder: str,
    told: dict[bytes, bytes],
) -> None:
    """In the new process: run the program to its end. It has these files under these numbers."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    apart = [fcntl(file, F_DUPFD, 1 << 9) for file in files]  # none has a number that another gets
    os.closerange(0, 1 << 9)
    for number, file in zip(numbers, apart, strict=True):
        os.dup2(file, number)
    os.closerange(1 << 9, 1 << 10)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(told)
    sys.path[:0] = parts(os.environ.get("PYTHONPATH", ""))
    _stand_alone()
    if os.isatty(0):  # the first that a session opens is its terminal
        os.close(os.open(os.ttyname(0), os.O_RDWR))
    texts = (
        open(0, encoding="utf-8", closefd=False),  # noqa: SIM115
        _writing(1, "strict"),
        _writing(2, "backslashreplace"),
    )
    for name, text in zip(("stdin", "stdout", "stderr"), texts, strict=True):
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    status = _run(arguments)
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _stand_alone() -> None:
    """Let `multiprocessing` take this process for one that it has not started: it may start others,
    and has no tracker of resources yet."""
    process._parent_process = None  # type: ignore[attr-defined]
    process._children = set()  # type: ignore[attr-defined]
    process.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]
    tracker: Any = resource_tracker._resource_tracker
    tracker._fd = tracker._pid = None


def _writing(number: int, errors: str) -> io.TextIOWrapper:
    """Standard output or error, as the interpreter has them."""
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    by_line = number == 2 or os.isatty(number) or "PYTHONUNBUFFERED" in os.environ
    return open(number, "w", 1 if by_line else -1, encoding, errors, closefd=False)


def _run(arguments: list[str]) -> int:
    """Run a module, code, or a script, as the interpreter does; the exit status."""
    status = 0
    try:
        match arguments:
            case ["-u", *rest]:  # it is of no use here
                return _run(rest)
            case ["-m", module, *rest]:
                sys.argv = [module, *rest]
                sys.modules.pop(module, None)
                runpy.run_module(module, run_name="__main__", alter_sys=True)
            case ["-c", code, *rest]:
                sys.argv = ["-c", *rest]
                exec(code, {"__name__": "__main__"})
            case [script, *rest]:
                sys.argv = [script, *rest]
                sys.path.insert(0, str(Path(script).parent))
                runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        traceback.print_exc()
        status = -signal.SIGINT
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        status = 1
    try:
        threading._shutdown()  # type: ignore[attr-defined]
    except BaseException:  # noqa: BLE001 - which does not change the interpreter's status
        traceback.print_exc()
    atexit._run_exitfuncs()
    return status & 0xFF if status >= 0 else status

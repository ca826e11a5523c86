"""Runs `pierule` on terminals and pipes, as people and scripts do."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from pathlib import Path
from time import monotonic

from support.preloaded import terminal

BOUND = 60.0


class Program:
    """A running `pierule`, on a terminal of its own or on pipes; all it says is kept in `said`."""

    def __init__(self, arguments: list[str], env: dict[str, str], *, tty: bool = False) -> None:
        command = [*terminal(), *arguments]
        if tty:
            self._out, inner = pty.openpty()
            fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            self._in = self._out
            self.process = subprocess.Popen(
                command, env=env, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
            )
            self.tty = inner  # held open, to be looked at when the program is gone
        else:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, env=env,
            )  # fmt: skip
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.is_tty = tty
        self.said = ""
        self._seen = 0
        self._ended = False
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        data, decoder = b"?", codecs.getincrementaldecoder("utf-8")()
        while data:
            try:
                data = os.read(self._out, 65536)
            except OSError:
                data = b""
            with self._news:
                self.said += decoder.decode(data)
                self._ended = not data
                self._news.notify_all()

    def expect(self, text: str) -> str:
        """Wait for `text` after the previously expected one; return the output up to it."""
        end = monotonic() + BOUND
        with self._news:
            while (found := self.said.find(text, self._seen)) < 0:
                assert not self._ended, f"ended without {text!r}: {self.said[self._seen :]}"
                waited = self._news.wait(end - monotonic())
                assert waited, f"never said {text!r}: {self.said[self._seen :]}"
            begun, self._seen = self._seen, found + len(text)
            return self.said[begun : self._seen]

    def type(self, text: str) -> None:
        """Type, or write into the pipe."""
        os.write(self._in, text.encode())

    def end_input(self) -> None:
        """Close the pipe."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self) -> int:
        """Wait for the end; return the exit status."""
        status = self.process.wait(BOUND)
        if not self.is_tty:
            self._reader.join(BOUND)
        return status

    def clear(self) -> None:
        """Leave no process behind, whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.is_tty:
            os.close(self.tty)
        self._reader.join(BOUND)
        if self.is_tty:
            os.close(self._out)
            return
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


class Laptop:
    """One computer: its configuration, its terminals."""

    def __init__(self, config: Path, url: str) -> None:
        self.env = {
            **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
            "XDG_CONFIG_HOME": str(config),
            "PIERULE_SERVER": url,
            "PIERULE_PLAIN": "1",
            "TERM": "xterm-256color",
            "PYTHONUTF8": "1",
        }
        self.programs: list[Program] = []

    def start(self, *arguments: str, tty: bool = False) -> Program:
        program = Program(list(arguments), self.env, tty=tty)
        self.programs.append(program)
        return program

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run a program to its end: status and output."""
        program = self.start(*arguments)
        program.end_input()
        return program.end(), program.said

    def new(self, *arguments: str) -> str:
        """Make a room; its id."""
        status, said = self.run("new", *arguments)
        assert status == 0, said
        return said.splitlines()[0]

"""`pierule serve` as a real process, with its data folder, its output and its embedded store."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import urlopen

import redis

from support.forked import Forked
from support.stores import wait_for

PROGRAM = Path(sys.executable).with_name("pierule")
START_BOUND = 60.0
STOP_BOUND = 60.0

STORE_IS_LATE = "no answer in time", "no answer within"
"""The error of a node on a busy machine, if `--store-seconds` is low."""

UNLIMITED = (
    *("--connection-rate", "0", "--user-rate", "0", "--rooms-per-user", "0"),
    *("--address-budget", "0", "--user-budget", "0", "--abandoned-per-address", "0"),
    *("--handshakes-per-address", "0"),
    *("--connections-per-address", "0", "--connections-per-user", "0"),
    *("--api-port", "off"),
)
"""All tests come from one address, and play faster than people may. Few read the archive. Later
flags win."""


class Serving:
    """A node on a free port, over the embedded store of its folder or the store at a URL.

    It can be killed and started again on the same folder; then it has another port. As a context
    manager it serves inside, and leaves nothing behind.
    """

    patience = START_BOUND
    """Seconds that a start may take."""

    forks = False
    """Whether to fork nodes (`support.forked`). A node whose environment changes more than settings
    and packages is not forked, since that may change how it runs."""

    def __init__(
        self,
        folder: Path,
        *flags: str,
        store: str | None = None,
        environment: Mapping[str, str] | None = None,
        lifted: Sequence[str] = UNLIMITED,
    ) -> None:
        self.data = folder / "data"
        self.url = ""
        self.operations = ""
        self.process: subprocess.Popen[bytes] | Forked | None = None
        self._output = folder / "serve.log"
        # The operators' port next to a chosen port could be another test's.
        self._command = [str(PROGRAM), "serve", "--port", "0", "--operations-port", "0"]
        if "--workers" in flags:
            self.patience *= (
                3  # Each worker imports everything for itself, and the first one first.
            )
        self._command += ["--log-format", "json", "--data", str(self.data), *lifted, *flags]
        if store is not None:
            self._command += ["--store", store]
            if "--archive" not in flags:  # /readyz would remind of it
                self._command += ["--archive", "off"]
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
        self._environment = {**kept, **(environment or {})}
        self._can_fork = all(
            name.startswith("PIERULE_") or name == "PYTHONPATH" for name in environment or {}
        )

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.clear()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    @property
    def output(self) -> str:
        """All its output, over all its starts."""
        return self._output.read_text() if self._output.exists() else ""

    @property
    def logged(self) -> list[dict[str, Any]]:
        """The log's entries."""
        lines = self.output.splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    @property
    def http(self) -> str:
        """The address for plain HTTP: `host:port`."""
        return self.url.removeprefix("ws://").removesuffix("/ws")

    def asked(self, path: str) -> tuple[int, str]:
        """Status and text of an answer at the operators' port."""
        try:
            with urlopen(f"{self.operations}{path}", timeout=60) as response:
                return response.status, response.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def measured(self, series: str) -> float:
        """The value of a series in the metrics, such as `pierule_events_total{kind="acted"}`."""
        _, text = self.asked("/metrics")
        (value,) = (line for line in text.splitlines() if line.rpartition(" ")[0] == series)
        return float(value.rpartition(" ")[2])

    def start(self) -> None:
        """Start, and wait for the line that says that it serves."""
        seen = self._output.stat().st_size if self._output.exists() else 0
        self._launch()
        wait_for(lambda: self._serves(seen), "the server's start", self.patience)

    def _launch(self) -> None:
        with self._output.open("ab") as output:
            if self.forks and self._can_fork:
                self.process = Forked(self._command[1:], self._environment, self._output)
            else:
                self.process = subprocess.Popen(
                    self._command,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                )

    def _serves(self, seen: int) -> bool:
        assert self.process is not None
        ended = self.process.poll() is not None
        with self._output.open("rb") as file:  # only what is new: all lives write into one file
            file.seek(seen)
            output = file.read().decode()
        if ended:
            late = output.rstrip().rpartition("\n")[2]
            assert any(each in late for each in STORE_IS_LATE), (
                f"the server ended as it started:\n{output}"
            )
            self._launch()  # as a supervisor would
            return False
        for line in output.splitlines(keepends=True):
            if line.startswith("{") and line.endswith("\n"):
                entry = json.loads(line)
                if entry["event"] == "serving":
                    self.url = entry["url"]
                    self.operations = entry["operations"] or ""
                    return True
        return False

    def kill(self) -> None:
        """Kill -9: it says and writes nothing."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(STOP_BOUND)

    # --- the embedded store ------------------------------------------------------------------

    @property
    def store_url(self) -> str:
        """The URL of the embedded store, for another node."""
        return f"unix://{(self.data / 'store.socket').read_text()}"

    @property
    def store_runs(self) -> bool:
        """Whether a store has the folder open: it holds a lock while it does."""
        try:
            lock = os.open(self.data / "store.lock", os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def store_pid(self) -> int:
        """The process id that the embedded store reports."""
        with redis.Redis.from_url(self.store_url, socket_timeout=60) as client:
            return int(client.info("server")["process_id"])

    def kill_store(self) -> None:
        """Kill -9 of the embedded store. A node that runs starts another one."""
        pid = self.store_pid()
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: self._store_ended(pid), "the store's end")

    def _store_ended(self, pid: int) -> bool:
        try:
            return not self.store_runs or self.store_pid() != pid
        except redis.RedisError:  # Another one is starting.
            return False

    def clear(self) -> None:
        """End everything that runs, also what a kill -9 left behind."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.store_runs:
            self.kill_store()
        note = self.data / "store.socket"
        if note.exists():
            socket = Path(note.read_text())
            with suppress(OSError):  # an orderly end has tidied up
                socket.unlink(missing_ok=True)
                socket.parent.rmdir()

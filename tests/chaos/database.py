"""Faults of the archive's database, and what must be in it whatever happens.

A reader follows the archive from the last number on, as exports and ratings do. At the end the
reader knows all that the archive has, and the archive has every finished game once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, create_engine, select
from sqlalchemy.exc import SQLAlchemyError

from chaos.schedule import Fault
from pierule_archive.database import parsed
from pierule_archive.game import NotFinished, game_of
from pierule_archive.schema import games
from pierule_protocol.log.events import Entry
from pierule_protocol.messages import LogEntry
from support.postgres import database_folder, program, server_user
from support.stores import free_port

KINDS = ("database kill", "database pause", "database slow")

PAUSE = 0.5
"""Seconds between two looks of the reader."""

CAUGHT_UP = 60.0
"""Seconds until the archive must have everything, once nothing goes wrong any more."""

STARTS = 40
BEAT = 0.1
"""A slow database is stopped and runs for this many seconds each, by turns."""


class Row(NamedTuple):
    """A game of the archive."""

    feed: int
    room: str
    created_hash: bytes
    superseded: bool


class Database:
    """A PostgreSQL on a port, and a reader that follows it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._engine: Engine | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        self.followed: list[Row] = []

    def make(self) -> None:
        """Make it, and start it."""
        subprocess.run(
            [program("initdb"), "-D", self._folder, "-A", "trust", "-U", "postgres", "-E", "utf8",
             "-N"],
            check=True, capture_output=True, user=server_user(), cwd="/",
        )  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens. After a kill its children may need a moment."""
        for _ in range(STARTS):
            self._process = subprocess.Popen(
                [program("postgres"), "-D", self._folder, "-h", "127.0.0.1", "-p", str(self._port),
                 "-k", "", "-c", "fsync=off"],
                user=server_user(), start_new_session=True, cwd="/",
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            while self._process.poll() is None:
                with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                    return
                time.sleep(0.05)
            time.sleep(0.1)
        raise AssertionError("the database does not start")

    def kill(self) -> None:
        """Kill -9 all its processes."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    async def do(self, fault: Fault) -> None:
        """Do the fault, wait for its end, and repair it."""
        if fault.kind == "database kill":
            await asyncio.to_thread(self.kill)
            await asyncio.sleep(fault.seconds)
            await asyncio.to_thread(self.start)
            return
        until = time.monotonic() + fault.seconds
        while time.monotonic() < until:
            self._signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(BEAT if fault.kind == "database slow" else fault.seconds)
            finally:
                self._signal(signal.SIGCONT)
            await asyncio.sleep(BEAT)

    async def follow(self) -> None:
        """Read what is new, again and again, until cancelled."""
        while True:
            with suppress(SQLAlchemyError):
                self.followed += await asyncio.to_thread(self.rows, self.last)
            await asyncio.sleep(PAUSE)

    @property
    def last(self) -> int:
        """The last number that the reader has read."""
        return self.followed[-1].feed if self.followed else 0

    def rows(self, after: int = 0) -> list[Row]:
        """The games behind a feed number."""
        self._engine = self._engine or create_engine(
            parsed(self.url), connect_args={"connect_timeout": 2}, pool_pre_ping=True
        )
        query = select(
            games.c.feed, games.c.room, games.c.created_hash, games.c.superseded_by.is_not(None)
        )
        with self._engine.connect() as connection:
            found = connection.execute(query.where(games.c.feed > after).order_by(games.c.feed))
            return [Row(*row) for row in found]

    async def caught_up(self, finished: Iterable[str]) -> None:
        """Wait until all of these rooms are there, up to the bound."""
        wanted = set(finished)
        with suppress(TimeoutError):
            async with asyncio.timeout(CAUGHT_UP):
                while not wanted <= {row.room for row in self.followed}:  # noqa: ASYNC110
                    await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """End it."""
        if self._engine is not None:
            self._engine.dispose()
        self.kill()

    def _signal(self, number: signal.Signals) -> None:
        """Signal all its processes: each child leads a session of its own."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for pid in (self._process.pid, *map(int, children.read_text().split())):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def finished(logs: Mapping[str, Sequence[LogEntry | Entry]]) -> dict[str, bytes]:
    """The rooms whose games are over, and the names of these games."""
    found = {}
    for room, entries in logs.items():
        with suppress(NotFinished):
            kept = [Entry(it.epoch, it.seq, it.chain, it.at, it.record) for it in entries]
            found[room] = game_of(room, kept).created_hash
    return found


def flaws(over: Mapping[str, bytes], rows: Sequence[Row], followed: Sequence[Row]) -> list[str]:
    """The flaws of an archive: `over` are the finished games, `rows` its contents, and `followed`
    what its reader has read."""
    current = [(row.room, row.created_hash) for row in rows if not row.superseded]
    found = [f"the archive lacks the game of {room}" for room in over
             if (room, over[room]) not in current]  # fmt: skip
    found += [f"the archive has the game of {room} {count} times"
              for (room, _), count in Counter(current).items() if count > 1]  # fmt: skip
    found += [f"the archive has a game of {room}, which is not over" for room, _ in current
              if room not in over]  # fmt: skip
    if [row.feed for row in rows] != list(range(1, len(rows) + 1)):
        found.append("the archive's numbers have gaps")
    if [row[:3] for row in followed] != [row[:3] for row in rows]:
        found.append("whoever has read the archive all the time knows something else than it has")
    return found


@asynccontextmanager
async def database() -> AsyncIterator[Database]:
    """A database that runs, and is read, while the context lasts."""
    with database_folder() as folder:
        made = Database(folder)
        try:
            await asyncio.to_thread(made.make)
            following = asyncio.create_task(made.follow())
            yield made
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        finally:
            await asyncio.to_thread(made.close)

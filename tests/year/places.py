"""Where the year takes place: a store, three nodes, a database, and two processes that rate."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from chaos.database import Database
from pierule.archive import Archive, ArchiveError
from support import stores
from support.postgres import database_folder
from support.serving import PROGRAM, Serving
from support.stores import free_port, wait_for

KEYS = "year:" + "0123456789abcdef" * 4
DAYS, WEEKS = 364, 52
"""The year, and its parts: the store's clock goes on by a week after each."""
BOUND = 300.0
TRIES = 10
DAY = 86_400


@dataclass(slots=True)
class Places:
    """All that runs. `clock` says how far the store's clock is behind; None: it cannot be set."""

    folder: Path
    store: stores.Server
    database: Database
    nodes: list[Serving]
    apis: list[Api]
    clock: Path | None
    killed: Counter[str] = field(default_factory=Counter)
    days: int = 0

    @property
    def urls(self) -> list[str]:
        """Where players connect."""
        return [node.url for node in self.nodes]

    @property
    def api(self) -> str:
        """Where the archive is read."""
        return self.apis[0].url

    async def week(self) -> None:
        """Let a week of the store's clock go by. Nothing may run that has a clock."""
        if self.clock is None:
            return
        self.days += DAYS // WEEKS
        before = self._time()
        self.clock.write_text(f"-{(DAYS - self.days) * DAY}\n")
        passed = DAY * (DAYS // WEEKS) / 2
        await asyncio.to_thread(
            wait_for, lambda: self._time() > before + passed, "the next week", BOUND
        )

    def _time(self) -> int:
        told: list[bytes] = self.store.command("TIME")
        return int(told[0])

    def kill(self, number: int) -> None:
        """Kill something, and start it again as a supervisor does."""
        match number % 4:
            case 0:
                self.killed["node"] += 1
                node = self.nodes[number // 4 % len(self.nodes)]
                node.kill()
                _start(node)
            case 2:
                self.killed["database"] += 1
                self.database.kill()
                time.sleep(1)
                self.database.start()
            case other:
                self.killed["api"] += 1
                api = self.apis[other // 2]
                api.kill()
                api.start()

    async def settle(self, rooms: set[str], games: list[str]) -> int:
        """Wait until the archive has these rooms, and all of it is rated; the last number."""
        async with asyncio.timeout(BOUND):
            while True:
                rows = await asyncio.to_thread(self.database.rows)
                last = await asyncio.to_thread(self._last, rows[-1].feed if rows else 0)
                kept = rooms <= {row.room for row in rows}
                if kept and await asyncio.to_thread(self._rated, last, games):
                    return last
                await asyncio.sleep(0.5)

    def _last(self, least: int) -> int:
        """The last number of the feed; amendments are no rooms."""
        lines = Archive(self.api).games(after=str(least))
        return int(max([least, *(line["feed"] for line in lines)]))

    def _rated(self, last: int, games: list[str]) -> bool:
        archive = Archive(self.api)
        try:
            return all(archive.top(game)["through"] >= last for game in games)
        except ArchiveError:
            return False

    def void(self, room: str) -> None:
        """An operator voids the result of a game, again if the database was away just then."""
        where = ("--store", self.store.url, "--archive", self.database.url)
        how = ("--reason", "a test", "--yes", "--as", "op")
        for _ in range(TRIES):
            with suppress(RuntimeError):
                _pierule("admin", "rooms", "close", room, *where, *how)
                return
            time.sleep(2)
        raise RuntimeError(f"the result of {room} cannot be voided")

    def dump(self, folder: Path) -> None:
        """Publish everything."""
        _pierule("archive", "dump", str(folder), "--archive", self.database.url)


class Api:
    """`pierule api`, which rates, on a port of its own."""

    def __init__(self, database: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._command = [str(PROGRAM), "api", "--archive", database, "--api-port", str(port)]
        self._command += ["--api-rate", "0", "--log-level", "error"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(self._answers, "the archive's API", BOUND)

    def kill(self) -> None:
        """Kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            Archive(self.url, timeout=BOUND).top("loose")
        except (ArchiveError, OSError):
            return False
        return True


def _pierule(*arguments: str) -> None:
    done = subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, timeout=BOUND)
    if done.returncode:
        raise RuntimeError(f"{arguments[:3]}: {done.stderr}")


def _start(node: Serving) -> None:
    """As a supervisor would."""
    node.patience = BOUND
    try:
        node.start()
    except AssertionError as error:
        raise RuntimeError(f"a node does not start: {node.output[-2_000:]}") from error


@asynccontextmanager
async def places(faketime: Path | None, folder: Path) -> AsyncIterator[Places]:
    """Start everything; end everything."""
    async with AsyncExitStack() as stack:
        clock = None
        environment = {}
        if faketime is not None:
            clock = folder / "clock"
            clock.write_text(f"-{DAYS * DAY}\n")
            environment = {
                "LD_PRELOAD": str(faketime), "FAKETIME_TIMESTAMP_FILE": str(clock),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
                "FAKETIME_CACHE_DURATION": "1", "NO_FAKE_STAT": "1",
            }  # fmt: skip
        store = stack.enter_context(stores.single(environment=environment))
        database = Database(stack.enter_context(database_folder()))
        stack.callback(database.close)
        await asyncio.to_thread(database.make)
        nodes = []
        for number in range(3):
            home = folder / f"node{number}"
            home.mkdir()
            nodes.append(
                Serving(
                    home, "--archive", database.url, "--port", str(free_port()),
                    store=store.url, environment={"PIERULE_KEYS": KEYS},
                )
            )  # fmt: skip
            stack.callback(nodes[-1].clear)
            await asyncio.to_thread(_start, nodes[-1])
        apis = [Api(database.url) for _ in range(2)]
        for api in apis:
            stack.callback(api.kill)
            await asyncio.to_thread(api.start)
        yield Places(folder, store, database, nodes, apis, clock)

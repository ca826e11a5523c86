"""Three nodes over a store, or supervisors with workers, with proxies between all parts, and the
faults that hit them.

Every process is a real one, on a free port of this machine, in a temporary folder. Only these are
killed or stopped, by their own pids. Faults of the same part wait for each other.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from chaos.database import Database, database
from chaos.schedule import DOORS, JUMPS, KINDS, NODES, Fault, Store
from chaos.storage import STORAGES, Outage, Storage
from support.crew import end, workers_of
from support.proxy import WAYS, Proxy, proxied
from support.serving import Serving
from support.stores import free_port

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""The library that sets the clock of one process (Debian: `faketime`); without it no clock
jumps."""

SHARED = Path("/dev/shm")
"""The folder of its shared memory, which stays when processes are killed."""

KEYS = "chaos:" + "0123456789abcdef" * 4
START_TRIES = 20
REPLACED = 60.0
"""Seconds in which all workers of a supervisor must be replaced."""
CUT_SECONDS, LOOK = 2.0, 0.01

RESTARTS = 1_000
"""How often in a row a worker may end and be started again."""

FLAGS = (
    "--store-seconds", "2", "--ping-seconds", "3", "--connections-per-address", "0",
    "--address-budget", "0", "--user-budget", "0", "--abandoned-per-address", "0",
    "--handshakes-per-address", "0",
    "--put-away-after", "20", "--operations-port", "off",
)  # fmt: skip
"""Settings that make slow things quick, so that they happen in the time of a test."""


@dataclass(frozen=True, slots=True)
class Happened:
    """A fault that was done: from when to when (seconds since 1970), and the ports of the doors
    whose clients it can affect. `outage` is when the whole store was certainly away, `ahead` by how
    many seconds the store's clock was set forward meanwhile (negative: back)."""

    kind: str
    target: str
    began: float
    ended: float
    ports: list[int]
    outage: Outage | None = None
    ahead: float = 0.0


class Node:
    """One node, its link to the store, and its doors."""

    def __init__(self, number: int, serving: Serving, port: int, clock: Path) -> None:
        self.name = f"node {number}"
        self.serving = serving
        self.port = port
        self.clock = clock
        self.links: list[Proxy] = []
        self.doors: list[Proxy] = []
        self._outlive: set[int] = set()

    @property
    def ports(self) -> list[int]:
        return [door.port for door in self.doors]

    @property
    def workers(self) -> list[int]:
        """The processes of its workers; none if it is no supervisor, or does not run."""
        process = self.serving.process
        return [] if process is None or process.poll() is not None else workers_of(process.pid)

    def start(self) -> None:
        """Start it as a supervisor would: again and again, if the store cannot be reached just
        now."""
        for _ in range(START_TRIES):
            try:
                self.serving.start()
            except AssertionError:
                self.kill()  # It may only have been slow.
                time.sleep(0.2)
            else:
                return
        raise AssertionError(f"{self.name} does not start:\n{self.serving.output[-3000:]}")

    def kill(self) -> None:
        """Kill -9, and remove what libfaketime leaves behind; does nothing if it does not run.
        Workers notice that and end by themselves."""
        process = self.serving.process
        self._outlive |= {*self.workers}
        if process is not None:
            self.serving.kill()
            for kept in ("faketime_shm", "sem.faketime_sem"):
                (SHARED / f"{kept}_{process.pid}").unlink(missing_ok=True)

    def end(self) -> None:
        """Kill it, and all its workers."""
        self.kill()
        end(self._outlive)

    def signal(self, number: signal.Signals) -> None:
        assert self.serving.process is not None
        self.serving.process.send_signal(number)


P = TypeVar("P", Node, Proxy)


@dataclass(eq=False)
class World:
    """All parts of a run. `happened` lists what was done to them."""

    nodes: list[Node]
    storage: Storage
    database: Database | None = None
    """The archive's database; only with a single store."""
    happened: list[Happened] = field(default_factory=list)
    busy: Callable[[list[int]], bool] = lambda _: True
    """Whether any client is connected through one of these doors."""
    _locks: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )

    @property
    def doors(self) -> list[Proxy]:
        return [door for node in self.nodes for door in node.doors]

    @property
    def urls(self) -> list[str]:
        return [f"ws://127.0.0.1:{door.port}/ws" for door in self.doors]

    async def do(self, fault: Fault) -> None:
        """Do the fault, wait for its end, and repair the damage."""
        kind, _, rest = fault.kind.partition(" ")
        if kind == "client":
            door = self._with_clients(self.doors, fault, lambda door: [door.port])
            await self._network(fault, f"door {door.port}", rest, [door], [door.port])
        elif fault.kind.startswith("store link") or fault.kind == "lost message":
            node = self._busy_node(fault)
            what = rest.removeprefix("link ")
            await self._network(fault, f"link of {node.name}", what, node.links, node.ports)
        elif kind.startswith("worker"):
            await self._workers(fault)
        elif kind == "node":
            await (self._kill if rest == "kill" else self._pause)(fault)
        elif kind == "clock":
            await self._jump(fault)
        elif kind == "database":
            await self._database(fault)
        else:
            await self._store(fault)

    def _busy_node(self, fault: Fault) -> Node:
        return self._with_clients(self.nodes, fault, lambda node: node.ports)

    def _with_clients(self, parts: list[P], fault: Fault, ports: Callable[[P], list[int]]) -> P:
        """The fault's target, or the next part that has clients: a node that has just come back has
        none, and a fault that hits nobody does not count."""
        turned = parts[fault.target :] + parts[: fault.target]
        return next((part for part in turned if self.busy(ports(part))), turned[0])

    async def _network(
        self, fault: Fault, name: str, what: str, proxies: list[Proxy], ports: list[int]
    ) -> None:
        async with self._locks[name]:
            began = time.time()
            try:
                for proxy in proxies:
                    _disturb(proxy, what, fault.chance)
                await asyncio.sleep(fault.seconds)
                if what == "cut":
                    await _until(lambda: not any(proxy._cuts for proxy in proxies))
                    if fault.chance % 0.5 < 0.25:  # and all the others with it
                        for proxy in proxies:
                            proxy.cut()
                if what == "message":
                    await _until(lambda: all(proxy.dropped for proxy in proxies))
            finally:
                for proxy in proxies:
                    proxy.heal()
            self.happened.append(Happened(fault.kind, name, began, time.time(), ports))

    async def _store(self, fault: Fault) -> None:
        ports = [door.port for door in self.doors]
        node = self.nodes[fault.target]
        async with self._locks["store"], self._locks[node.name]:
            began = time.time()
            try:
                outage = await self.storage.do(fault, node.kill)
                ended = time.time()
                self.happened.append(Happened(fault.kind, "store", began, ended, ports, outage))
            finally:
                if node.serving.process is None or node.serving.process.poll() is not None:
                    await asyncio.to_thread(node.start)

    async def _database(self, fault: Fault) -> None:
        assert self.database is not None
        ports = [door.port for door in self.doors]
        async with self._locks["database"]:
            began = time.time()
            await self.database.do(fault)
            self.happened.append(Happened(fault.kind, "database", began, time.time(), ports))

    async def _kill(self, fault: Fault) -> None:
        node = self._busy_node(fault)
        async with self._locks[node.name]:
            began = time.time()
            await asyncio.to_thread(node.kill)
            self.happened.append(Happened(fault.kind, node.name, began, began, node.ports))
            await asyncio.sleep(fault.seconds)
            await asyncio.to_thread(node.start)

    async def _pause(self, fault: Fault) -> None:
        node = self._busy_node(fault)
        async with self._locks[node.name]:
            began = time.time()
            node.signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(fault.seconds)
            finally:
                node.signal(signal.SIGCONT)
            self.happened.append(Happened(fault.kind, node.name, began, time.time(), node.ports))

    async def _workers(self, fault: Fault) -> None:
        """Kill or stop one worker of a node, or let all of them be replaced in turn."""
        node = self._busy_node(fault)
        async with self._locks[node.name]:
            began, workers = time.time(), node.workers
            if not workers:
                return
            pid = workers[int(len(workers) * fault.chance)]
            if fault.kind == "workers restart":
                node.signal(signal.SIGHUP)
            else:
                _send(pid, signal.SIGKILL if fault.kind == "worker kill" else signal.SIGSTOP)
            await asyncio.sleep(fault.seconds)
            if fault.kind == "worker pause":
                _send(pid, signal.SIGCONT)
        if fault.kind == "workers restart":  # Meanwhile they may be killed.
            await _until(lambda: not {*workers} & {*node.workers}, REPLACED)
        ended = began if fault.kind == "worker kill" else time.time()
        self.happened.append(Happened(fault.kind, node.name, began, ended, node.ports))

    async def _jump(self, fault: Fault) -> None:
        """Set the node's clock, and set it right again afterwards, which is another jump."""
        node = self._busy_node(fault)
        jump = JUMPS[int(len(JUMPS) * fault.chance)]
        async with self._locks[f"clock of {node.name}"]:
            began = time.time()
            node.clock.write_text(f"{jump:+.0f}\n")
            await asyncio.sleep(fault.seconds)
            node.clock.write_text("+0\n")
            self.happened.append(Happened(fault.kind, node.name, began, time.time(), node.ports))


def _disturb(proxy: Proxy, what: str, chance: float) -> None:
    way = WAYS[int(2 * chance)]
    match what:
        case "delay":
            proxy.delay = dict.fromkeys(WAYS, 0.05 + 0.25 * chance)
        case "cut":
            proxy.cut_in_mid_frame(way)
        case "black hole":
            proxy.black_hole()
        case "one way":
            proxy.black_hole(way)
        case "message":
            proxy.drop_next(b"\nentry ")


def _send(pid: int, number: signal.Signals) -> None:
    """Signal a worker, which may have ended meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


async def _until(condition: Callable[[], bool], seconds: float = CUT_SECONDS) -> None:
    """Wait for the condition, but not for ever: there may be nothing to cut."""
    for _ in range(int(seconds / LOOK)):
        if condition():
            return
        await asyncio.sleep(LOOK)


@asynccontextmanager
async def world(
    store: Store, overlay: str = "", workers: int = 1, nodes: int = NODES, *, archives: bool = True
) -> AsyncIterator[World]:
    """Start everything, and end everything. `overlay` comes first on the PYTHONPATH of the nodes,
    each of which has so many workers. A single store has an archive beside it, if `archives`."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pr-chaos-")))
        storage = await stack.enter_async_context(STORAGES[store]())
        archive, flags = None, storage.flags
        if archives and store == "single":
            archive = await stack.enter_async_context(database())
            flags = (*flags, "--archive", archive.url)
        if workers > 1:
            flags = (*flags, "--workers", str(workers), "--worker-restarts", str(RESTARTS))
        started = []
        for number in range(nodes):
            place = folder / f"node{number}"
            place.mkdir()
            clock = place / "clock"
            clock.write_text("+0\n")
            url, links = await storage.link(stack)
            port = free_port()
            serving = Serving(
                place, *FLAGS, *flags, "--port", str(port),
                store=url,
                environment=_environment(clock if "clock jump" in KINDS[store] else None, overlay),
            )  # fmt: skip
            node = Node(number, serving, port, clock)
            stack.push_async_callback(asyncio.to_thread, node.end)
            node.links = links
            started.append(node)
            await asyncio.to_thread(node.start)
            node.doors = [await stack.enter_async_context(proxied(port)) for _ in range(DOORS)]
        yield World(started, storage, archive)


def _environment(clock: Path | None, overlay: str) -> Mapping[str, str]:
    """The keys that all nodes share, and a clock for each node if clocks jump and the machine has
    libfaketime."""
    path = os.environ.get("PYTHONPATH", "")
    environment = {"PIERULE_KEYS": KEYS}
    if overlay:
        environment["PYTHONPATH"] = f"{overlay}:{path}"
    if FAKETIME is not None and clock is not None:
        environment |= {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_CACHE_DURATION": "1",
        }
    return environment

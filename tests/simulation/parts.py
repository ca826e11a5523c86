"""The parts of a simulation that can be harmed: the store, and whole nodes, as `pierule serve` runs
them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pierule_server.node import running_node
from pierule_server.settings import Settings
from pierule_server.store.buckets import BUCKETS, slot_of
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from simulation.loop import Process
from simulation.model.cluster import Cluster
from simulation.model.server import Replica, Store
from simulation.network import Link, NetworkedLoop
from simulation.surroundings import belonging, wall

KEYS = "k1:" + "0123456789abcdef" * 4
STORE = "10.0.1.1"
STORES = (STORE, "10.0.1.2")
"""A cluster has two members."""
PORT = 6379
LAG = 0.3
"""The most seconds by which a replica is behind for which nobody waits."""


class StoreServer:
    """The store, at its address. When it is replaced, what listens there is another one."""

    def __init__(
        self, loop: NetworkedLoop, seed: int | str, replicas: int, always: bool,
        cluster: bool = False, lazy: bool = False,
    ) -> None:  # fmt: skip
        self._loop, self._seed = loop, seed
        self._lazy = lazy
        self.offset = 0.0
        self.store = Store(lambda: int((wall(loop) + self.offset) * 1e6))
        self.store.always = always
        self._replicas = replicas
        self._replicate()
        self.processes: list[Process] = []
        self.starts = 0
        if cluster:
            slots = [slot_of(bucket) for bucket in range(BUCKETS)]
            self.store.cluster = Cluster([(host, PORT) for host in STORES], slots)

    async def start(self) -> None:
        self.starts += 1
        self.processes = []
        for door, host in enumerate(STORES if self.store.cluster else STORES[:1]):
            process = self._loop.process(f"store.{self.starts}.{door}", host)
            self.processes.append(process)
            with belonging(self._loop, process, self._seed):
                await self._loop.create_server(partial(self.store.accept, door), host, PORT)
                if not self.store.always and not door:
                    self._loop.call_later(1.0, self._sync)

    def _replicate(self) -> None:
        rng = self._loop.rng

        def lag() -> Callable[[], float]:
            seconds = rng.uniform(0.02, LAG)
            return (lambda: seconds) if self._lazy else (lambda: rng.expovariate(200.0))

        self.store.replicas = [Replica(self.store, lag()) for _ in range(self._replicas)]

    def fail_over(self) -> None:
        """The replica that has the least takes the place of the store, and gets replicas anew."""
        self.store.restart(min(replica.has for replica in self.store.replicas))
        self._replicate()

    def _sync(self) -> None:
        self.store.synced = len(self.store.units)
        self._loop.call_later(1.0, self._sync)

    def kill(self) -> None:
        """It is gone, and so is what its replicas were about to be told."""
        for process in self.processes:
            process.kill()
            self._loop.network.cut_off(process)
        for replica in self.store.replicas:
            replica.online = False

    def freeze(self, seconds: float) -> None:
        """It hangs for so long."""
        for process in self.processes:
            process.freeze(seconds)


class SimulatedNode:
    """A node, at its address; it may die and start again, under the same address."""

    def __init__(
        self, loop: NetworkedLoop, seed: int | str, number: int, flags: dict[str, Any],
        log: Callable[[str, str], None],
    ) -> None:  # fmt: skip
        self._loop, self._seed, self._log = loop, seed, log
        self.name = f"node {number}"
        self.address = f"10.0.2.{number + 1}"
        self.port = 8_001 + number
        self.settings = Settings(
            host=self.address, port=self.port, operations_port="off", keys=KEYS,
            store=f"redis://{STORE}:{PORT}", data=Path("/nowhere"), **flags,
        )  # fmt: skip
        self.process: Process
        self.task: asyncio.Task[None]
        self.serving = asyncio.Event()
        self.stopping = asyncio.Event()
        self.starts = 0

    @property
    def url(self) -> str:
        return f"ws://{self.address}:{self.port}/ws"

    def start(self) -> None:
        """Begin to start; `serving` tells when it serves."""
        self.starts += 1
        self.process = self._loop.process(f"{self.name}.{self.starts}", self.address)
        self.serving.clear()
        with belonging(self._loop, self.process, self._seed):
            self.task = self._loop.create_task(self._serve())

    def kill(self, *, silent: bool) -> list[Link]:
        """See `Network.cut_off`."""
        self.serving.clear()
        self.process.kill()
        return self._loop.network.cut_off(self.process, silent=silent)

    async def _serve(self) -> None:
        """As a supervisor would: again and again, if the store cannot be reached just now."""
        while True:
            try:
                async with running_node(self.settings):
                    self.serving.set()
                    await self.stopping.wait()
                    return
            except (StoreUnavailable, StoreUnusable) as error:
                self._log(self.process.name, f"does not start: {error}")
                await asyncio.sleep(0.2)

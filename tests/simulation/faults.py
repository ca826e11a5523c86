"""The faults of simulations. Kinds have the same names as in `chaos`, if it has them.

To add a kind: a method of `Harm`, a line in the table of `Harm.do`, and one in `KINDS` with the
shortest and the longest time that it lasts. What it does must end by itself, and be noted in
`happened`. The README says what else changes.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from chaos.schedule import JUMPS
from chaos.world import Happened
from simulation.model.keyspace import Effect
from simulation.model.server import Session
from simulation.network import Link
from simulation.parts import STORES, SimulatedNode
from simulation.surroundings import wall

if TYPE_CHECKING:
    from simulation.run import Simulation

KINDS: dict[str, tuple[float, float]] = {
    "client delay": (0.3, 1.5),
    "client cut": (0.0, 0.0),
    "client black hole": (0.2, 9.0),
    "client one way": (0.2, 9.0),
    "node kill": (0.0, 3.0),
    "node kill midway": (0.0, 3.0),
    "node pause": (0.1, 4.0),
    "clock jump": (1.0, 4.0),
    "store link delay": (0.3, 1.5),
    "store link cut": (0.0, 0.0),
    "store link black hole": (0.1, 6.0),
    "store link one way": (0.1, 6.0),
    "lost message": (0.0, 0.0),
    "lost messages": (1.0, 9.0),
    "doubled message": (0.0, 0.0),
    "store kill": (0.0, 3.5),
    "store pause": (0.1, 3.5),
    "store full": (0.1, 3.0),
    "store read-only": (0.1, 3.0),
    "store slow disk": (0.5, 4.0),
    "store clock": (1.0, 4.0),
    "late message": (0.0, 0.0),
    "database away": (0.5, 6.0),
    "database mute": (0.5, 3.0),
}
DIES_SILENTLY = 0.3
"""How often a node dies together with its machine."""
FORGETFUL = {"store fail-over": (0.0, 2.0)}
"""Kinds that only a store with replicas survives; other stores do not get them."""
OFTEN = {"store fail-over": 5}
"""How many times as often as another kind one is drawn: whatever is lost is lost there."""
SLEEPS = 0.5
"""How often a node sleeps while that happens."""
MISSED = 2.2
"""Seconds that this takes longer then: so long that other nodes give them back to clocks."""
ASLEEP = 1.0
"""Seconds for which it goes on sleeping."""
CLUSTERED = {"slot move": (0.0, 1.0), "slots move": (0.0, 0.3)}
CLOCK_JUMPS = (-1.5, -0.3, 0.3, 1.5)
"""Seconds by which the store's clock is set; what it takes from clocks, players have not had."""
LOADS = 0.5
"""How often a store that starts again loads for a while."""
UNDER_WAY = 12.0
"""The most seconds for which an answer gets stuck on a link."""
MIDWAY = (b"}pairings", b"}pairings", b"}unarchived", b"}log:")
"""After what has been written a node dies, before it hears so: a part of the key."""
BLACKOUT = 0
"""With the first of these, everybody's devices lose power, too: nobody asks again for what they
sought."""
ARMED = 5.0
"""Seconds in which a node has to write that."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that begins `at` seconds after the start and lasts so many; `chance` settles the
    rest."""

    at: float
    kind: str
    seconds: float
    chance: float

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:.3f} for {self.seconds:.3f} s"


def drawn(
    rng: Random, count: int, seconds: float, *, replicas: bool, cluster: bool
) -> tuple[Fault, ...]:
    """So many faults, in the order of their times."""
    kinds = dict(KINDS)
    if replicas:
        del kinds["store kill"]
        kinds |= FORGETFUL
    if cluster:
        kinds |= CLUSTERED
    found = []
    weights = [OFTEN.get(kind, 1) for kind in kinds]
    for kind in rng.choices(list(kinds), weights, k=count):
        shortest, longest = kinds[kind]
        lasts = shortest + (longest - shortest) * rng.random() ** 2
        found.append(Fault(rng.uniform(0.5, seconds), kind, lasts, rng.random()))
    return tuple(sorted(found, key=lambda each: each.at))


class Harm:
    """Does faults to the parts of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self.happened: list[Happened] = []
        self._all = simulation
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.forgotten: list[tuple[float, float]] = []
        """Times in which acknowledged writes of the store may be lost."""
        self._drop = self._double = self._delay = self._mute = 0
        self._midway: tuple[bytes, asyncio.Future[SimulatedNode]] | None = None
        self._units: list[float] = []
        """When each unit of the store was written."""
        simulation.store.store.published = self._published

    async def do(self, fault: Fault) -> None:
        """Do the fault, wait for its end, and repair the damage."""
        kind, _, rest = fault.kind.partition(" ")
        if kind == "client":
            await self._disturb_client(fault, rest)
        elif fault.kind.startswith("store link"):
            await self._disturb_store_link(fault, rest.removeprefix("link "))
        else:
            await {
                "node kill": self._kill, "node kill midway": self._kill_midway,
                "node pause": self._pause, "clock jump": self._jump,
                "lost message": self._lose, "lost messages": self._lose_all,
                "doubled message": self._say_twice,
                "store kill": self._kill_store, "store pause": self._pause_store,
                "store full": self._fill_store, "store fail-over": self._fail_over,
                "store read-only": self._refuse_writes, "store slow disk": self._slow_disk,
                "store clock": self._set_store_clock, "late message": self._say_late,
                "database away": self._archive_away, "database mute": self._archive_mute,
                "slot move": self._move_slot, "slots move": self._move_slots,
            }[fault.kind](fault)  # fmt: skip

    @contextmanager
    def _noted(
        self, fault: Fault, target: str, ports: list[int], *,
        outage: bool = False, ahead: float = 0.0,
    ) -> Iterator[None]:  # fmt: skip
        loop = self._all.loop
        began = wall(loop)
        self._all.tell("fault", f"{fault.kind} of {target} for {fault.seconds:.3f} s")
        try:
            yield
        finally:
            ended = wall(loop)
            away = (began, ended) if outage else None
            self.happened.append(Happened(fault.kind, target, began, ended, ports, away, ahead))
            if ended > began:
                self._all.tell("fault", f"{fault.kind} of {target} is over")

    @property
    def _ports(self) -> list[int]:
        return [node.port for node in self._all.nodes]

    def _node(self, fault: Fault) -> SimulatedNode:
        return self._all.nodes[int(fault.chance * len(self._all.nodes))]

    # --- links -------------------------------------------------------------------------------

    async def _disturb_client(self, fault: Fault, what: str) -> None:
        links = [
            link for link in self._all.loop.network.links.values() if link.far.address not in STORES
        ]
        if links:
            link = links[int(fault.chance * len(links))]
            ports = [link.ends[0].names["peername"][1]]
            await self._disturb(fault, what, [link], f"link of {link.near}", ports)

    async def _disturb_store_link(self, fault: Fault, what: str) -> None:
        node = self._node(fault)
        links = [
            link for link in self._all.loop.network.links.values()
            if link.near is node.process and link.far.address in STORES
        ]  # fmt: skip
        if links:
            await self._disturb(fault, what, links, f"store links of {node.name}", [node.port])

    async def _disturb(
        self, fault: Fault, what: str, links: list[Link], name: str, ports: list[int]
    ) -> None:
        way = fault.chance * 997 % 1
        with self._noted(fault, name, ports):
            for link in links:
                match what:
                    case "delay":
                        link.latency += 0.05 + 0.25 * way
                    case "cut":
                        link.cut()
                    case "black hole":
                        link.silence(near=True, far=True)
                    case "one way":
                        link.silence(near=way < 0.5, far=way >= 0.5)
            await asyncio.sleep(fault.seconds)
            for link in links:
                if what == "delay":
                    link.latency = max(0.0005, link.latency - 0.05 - 0.25 * way)
                elif what != "cut":
                    link.heal()

    def _published(self, channel: bytes, text: bytes) -> Sequence[float]:
        if (self._drop or self._mute) and text.startswith(b"entry "):
            self._drop -= not self._mute
            return ()
        if self._double:
            self._double -= 1
            return 0.0, 0.0
        if self._delay:
            self._delay -= 1
            return (self._all.loop.rng.uniform(0.05, 2.0),)
        return (0.0,)

    async def _lose(self, fault: Fault) -> None:
        with self._noted(fault, "store", self._ports):
            self._drop += 1

    async def _lose_all(self, fault: Fault) -> None:
        """So that nothing that comes afterwards shows the hole."""
        with self._noted(fault, "store", self._ports):
            self._mute += 1
            await asyncio.sleep(fault.seconds)
            self._mute -= 1

    async def _say_twice(self, fault: Fault) -> None:
        with self._noted(fault, "store", self._ports):
            self._double += 1

    async def _say_late(self, fault: Fault) -> None:
        """Behind what is published later, too, as after a change of the connection."""
        with self._noted(fault, "store", self._ports):
            self._delay += 3

    # --- nodes -------------------------------------------------------------------------------

    async def _kill(self, fault: Fault) -> None:
        """Kill a node. Where its machine died, too, nobody is told before it is up again."""
        await self._kill_node(self._node(fault), fault)

    async def _kill_midway(self, fault: Fault) -> None:
        """Kill a node that has written something, before it hears so."""
        written: asyncio.Future[SimulatedNode] = self._all.loop.create_future()
        which = int(fault.chance * len(MIDWAY))
        async with self._locks["midway"]:
            self._midway = MIDWAY[which], written
            await asyncio.wait([written], timeout=ARMED)
            self._midway = None
        if written.done():
            if which == BLACKOUT:
                self._all.tell("fault", "everybody leaves without a word")
                for person in self._all.neighbors:
                    person.break_off()
            await self._kill_node(written.result(), fault)

    def wrote(self, effects: Sequence[Effect], by: Session | None) -> None:
        """The store has written this for a connection."""
        count = len(self._all.store.store.units)
        self._units[count - 1 :] = [wall(self._all.loop)]
        if self._midway is None or by is None:
            return
        part, written = self._midway
        if not written.done() and any(part in effect[1] for effect in effects):
            near = by.peer
            for node in self._all.nodes:
                if node.process is near and node.serving.is_set():
                    written.set_result(node)

    async def _kill_node(self, node: SimulatedNode, fault: Fault) -> None:
        async with self._locks[node.name]:
            with self._noted(fault, node.name, [node.port]):
                links = node.kill(silent=fault.chance * 983 % 1 < DIES_SILENTLY)
            await asyncio.sleep(fault.seconds)
            for link in links:
                link.heal()
            node.start()

    async def _pause(self, fault: Fault) -> None:
        node = self._node(fault)
        async with self._locks[node.name]:
            with self._noted(fault, node.name, [node.port]):
                node.process.freeze(fault.seconds)
                await asyncio.sleep(fault.seconds)

    async def _jump(self, fault: Fault) -> None:
        """Set a node's clock; afterwards it is right again, which is another jump."""
        node = self._node(fault)
        jump = JUMPS[int(fault.chance * 991 % 1 * len(JUMPS))]
        with self._noted(fault, f"{node.name} by {jump} s", [node.port]):
            process = node.process
            process.offset += jump
            await asyncio.sleep(fault.seconds)
            process.offset -= jump

    # --- the store ---------------------------------------------------------------------------

    async def _kill_store(self, fault: Fault) -> None:
        """It keeps what the disk has."""
        server = self._all.store
        async with self._locks["store"]:
            with self._noted(fault, "store", self._ports, outage=True):
                if not server.store.always:
                    self._forget(server.store.synced)
                server.kill()
                await asyncio.sleep(fault.seconds)
                server.store.restart()
                if fault.chance * 977 % 1 < LOADS:
                    server.store.refusal = "LOADING Redis is loading the dataset in memory"
                await server.start()
                if server.store.refusal:
                    await asyncio.sleep(fault.chance)
                    server.store.refusal = ""

    async def _refuse_writes(self, fault: Fault) -> None:
        async with self._locks["store"]:
            with self._noted(fault, "store", self._ports):
                store = self._all.store.store
                store.refusal = "READONLY You can't write against a read only replica."
                await asyncio.sleep(fault.seconds)
                store.refusal = ""

    async def _slow_disk(self, fault: Fault) -> None:
        """Each write may keep the store busy for a while."""
        server, rng = self._all.store, self._all.loop.rng

        def work() -> None:
            if rng.random() < 0.2:
                server.freeze(rng.expovariate(50.0))

        with self._noted(fault, "store", self._ports):
            server.store.worked = work
            await asyncio.sleep(fault.seconds)
            server.store.worked = lambda: None

    async def _set_store_clock(self, fault: Fault) -> None:
        jump = CLOCK_JUMPS[int(fault.chance * 991 % 1 * len(CLOCK_JUMPS))]
        with self._noted(fault, f"store by {jump} s", self._ports, ahead=jump):
            self._all.store.offset += jump
            await asyncio.sleep(fault.seconds)
            self._all.store.offset -= jump

    async def _move_slot(self, fault: Fault) -> None:
        """Half of its keys go first, and for a while nobody does anything with several of them."""
        await self._move(fault, 1)

    async def _move_slots(self, fault: Fault) -> None:
        await self._move(fault, 4)

    async def _move(self, fault: Fault, most: int) -> None:
        store = self._all.store.store
        cluster = store.cluster
        assert cluster is not None
        slots = list(cluster.owners)
        first = int(fault.chance * len(slots))
        for slot in (slots[first:] + slots[:first])[:most]:
            async with self._locks["store"]:
                with self._noted(fault, f"slot {slot}", self._ports):
                    cluster.migrating[slot] = None
                    await asyncio.sleep(fault.seconds)
                    del cluster.migrating[slot]
                    owner = cluster.owners[slot]
                    cluster.owners[slot] = 1 - owner
                    store.leave(owner, slot)

    # --- the archive -------------------------------------------------------------------------

    async def _archive_away(self, fault: Fault) -> None:
        async with self._locks["archive"]:
            with self._noted(fault, "archive", self._ports):
                self._all.database.away = True
                await asyncio.sleep(fault.seconds)
                self._all.database.away = False

    async def _archive_mute(self, fault: Fault) -> None:
        """It keeps what it is given, and nobody hears so."""
        async with self._locks["archive"]:
            with self._noted(fault, "archive", self._ports):
                self._all.database.mute = True
                await asyncio.sleep(fault.seconds)
                self._all.database.mute = False

    async def _pause_store(self, fault: Fault) -> None:
        async with self._locks["store"]:
            with self._noted(fault, "store", self._ports, outage=True):
                self._all.store.freeze(fault.seconds)
                await asyncio.sleep(fault.seconds)

    async def _fill_store(self, fault: Fault) -> None:
        async with self._locks["store"]:
            with self._noted(fault, "store", self._ports):
                self._all.store.store.full = True
                await asyncio.sleep(fault.seconds)
                self._all.store.store.full = False

    async def _fail_over(self, fault: Fault) -> None:
        """A replica takes the place of the store. If a node sleeps meanwhile, it alone may know
        what the store has lost, and others write something else before it wakes."""
        if fault.chance * 971 % 1 < SLEEPS:
            longer = replace(fault, seconds=fault.seconds + MISSED)
            sleep = replace(fault, kind="node pause", seconds=longer.seconds + ASLEEP)
            await asyncio.gather(self._pause(sleep), self._replace_store(longer))
        else:
            await self._replace_store(fault)

    async def _replace_store(self, fault: Fault) -> None:
        """The replica may be the one that has the least."""
        server = self._all.store
        async with self._locks["store"]:
            with self._noted(fault, "store", self._ports, outage=True):
                if self._all.plan.replicas > self._all.plan.waits:
                    self._forget(min(replica.has for replica in server.store.replicas))
                server.kill()
                await asyncio.sleep(fault.seconds)
                server.fail_over()
                await server.start()

    def _forget(self, kept: int) -> None:
        """Only so many units are kept. What was acknowledged since may be lost, also if the answer
        is under way for long."""
        now = wall(self._all.loop)
        self.forgotten.append((min([now, *self._units[kept : kept + 1]]) - 0.01, now + UNDER_WAY))

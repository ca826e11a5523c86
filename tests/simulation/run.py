"""Runs one seed: a world, people who play in it, faults, and then the check."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import pierule
from chaos.checker import Verdict, check, fail_overs
from chaos.database import finished
from chaos.journal import Journal, journaled, writing
from chaos.players import Crowd, Table, Watcher, insist
from chaos.recovery import hits
from pierule_protocol.log.record import read_record
from pierule_protocol.messages import LogEntry, LogQuery
from pierule_server.rooms import place_check
from simulation.archive import CAUGHT_UP, NOT_OVER, OTHER, Database, SimulatedWriter
from simulation.diagram import drawn as drawn_story
from simulation.faults import Fault, Harm, drawn
from simulation.leftovers import kept_for_nothing, left_over, queued
from simulation.loop import BEGIN, Process
from simulation.model.keyspace import Effect
from simulation.model.server import Session
from simulation.network import NetworkedLoop
from simulation.parts import PORT, STORE, SimulatedNode, StoreServer
from simulation.parts import STORES as ADDRESSES
from simulation.society import RECEIVER, Absentee, Neighbor, look_on, operate
from simulation.surroundings import belonging, replaced, wall
from simulation.watch import Watch
from social.checker import check as check_society
from social.crowd import Crowd as Society
from social.run import empty
from social.run import export as export_society

PING_SECONDS = 3.0
NOTICED = place_check.INTERVAL + 2.0
"""Seconds after which a node must have noticed and told what it missed (SPEC 6.6)."""
QUIET = NOTICED + 1.0
"""Seconds without faults at the end: the position check has been everywhere by then."""
LAST_WORD = 30.0
"""Seconds after the last fault, and that quiet time, in which everybody must be served."""
GOOD_NIGHT = 200.0
"""The same for whoever waits to be called, and goes on once they are."""
LEASE = 25.0
"""Seconds for which a user who left may still be paired: the store may be away as long."""
START = 60.0
"""Seconds in which nodes must serve."""
STORES = (
    (0, 0, True, False), (0, 0, True, False), (0, 0, True, False), (1, 1, True, False),
    (2, 2, True, False), (1, 0, True, False), (0, 0, True, True), (0, 0, True, True),
    (0, 0, False, False),
)  # fmt: skip
"""What stores there are: how many replicas it has, and how many of them must have a write, whether
the disk must, and whether it is a cluster."""
BORNE = frozenset({"full"})
LOST = frozenset({"unknown_room", "seat_taken", "not_seated"})
"""Refusals that end a table's game: a store may be full, and one that forgets may lose the room."""
OURS = ("work in the background failed", "a room could not be repaired")
"""What a node logs about faults of its own."""

LATE = "is told of their turn once the store is back"
"""What a node logs if it holds a note for a store that is away."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed comes to. With `replicas`, fail-overs forget what `waits` of them had not."""

    seed: int
    nodes: int
    tables: int
    watchers: int
    replicas: int
    seconds: float
    pace: float
    faults: tuple[Fault, ...]
    people: int = 0
    """With people there is an operator, too, and somebody who is called."""
    always: bool = True
    """Whether the disk has everything that the store acknowledges."""
    cluster: bool = False
    waits: int = 0
    """How many replicas must have a write."""

    @property
    def sure(self) -> bool:
        """Whether nothing acknowledged is ever lost."""
        return self.always and self.waits == self.replicas


class Size(NamedTuple):
    """What worlds of a size draw from: numbers of people, of tables, and so on."""

    share: int
    seconds: tuple[float, float]
    nodes: tuple[int, ...]
    tables: tuple[int, ...]
    watchers: tuple[int, ...]
    people: tuple[int, ...]
    faults: tuple[int, ...]


SIZES = (
    Size(40, (1.0, 4.0), (1, 2, 2, 3), (1, 1, 1, 2), (0, 0, 0, 1), (0,) * 9 + (3,),
         (0, *range(6, 12))),
    Size(4, (2.0, 8.0), (1, 2, 3), (1, 2, 3), (0, 1, 2), (0, 0, 4), (0, *range(4, 13))),
    Size(1, (3.0, 12.0), (1, 2, 3), (1, 2, 3, 4), (0, 1, 2), (0, 4, 7), (0, *range(4, 15))),
)  # fmt: skip
"""Most worlds are small: of many small ones more is found than of few large ones."""


def plan_of(seed: int) -> Plan:
    """The plan that a seed draws."""
    rng = Random(f"{seed} plan")
    (size,) = rng.choices(SIZES, [each.share for each in SIZES])
    seconds = rng.uniform(*size.seconds)
    replicas, waits, always, cluster = rng.choice(STORES)
    faults = drawn(
        rng, rng.choice(size.faults), seconds, replicas=bool(replicas), cluster=cluster
    )  # fmt: skip
    people = rng.choice(size.people) if always and waits == replicas else 0
    tables = rng.choice((0, *size.tables) if people else size.tables)
    return Plan(
        seed, nodes=rng.choice(size.nodes), tables=tables, watchers=rng.choice(size.watchers),
        replicas=replicas, seconds=seconds, pace=rng.choice((0.03, 0.1, 0.3)), faults=faults,
        people=people, always=always, cluster=cluster, waits=waits,
    )  # fmt: skip


@dataclass
class Outcome:
    """The outcome of a seed. `failures` are broken promises and faults."""

    plan: Plan
    failures: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    met: Counter[str] = field(default_factory=Counter)
    """Faults that met something, by kind."""
    seconds: float = 0.0
    looked: int = 0
    """Steps that were looked at."""
    trace: str = ""
    diagram: str = ""
    """Of a failure (Mermaid)."""


class Simulation:
    """All parts of a run."""

    def __init__(self, plan: Plan, *, traced: bool = False) -> None:
        self.plan = plan
        self.outcome = Outcome(plan)
        self.loop = NetworkedLoop(plan.seed)
        self.loop.traced = traced
        self.loop.network.latency = self._latency
        self.store = StoreServer(
            self.loop, plan.seed, plan.replicas, plan.always, plan.cluster, lazy=not plan.waits
        )
        self.database = Database()
        flags: dict[str, Any] = {
            "replicas": plan.waits, "webhooks": "any", "chat_rate": 5, "chat_burst": 20,
        }  # fmt: skip
        self.nodes = [
            SimulatedNode(self.loop, plan.seed, number, flags, self.tell)
            for number in range(plan.nodes)
        ]
        urls = [node.url for node in self.nodes]
        self.crowd = Crowd(
            urls, plan.seed, plan.pace, access="unlisted" if plan.people else "public"
        )
        self.crowd.bears = BORNE if plan.sure else BORNE | LOST
        self.society = Society(urls, plan.seed, plan.pace, patient=False)
        self.neighbors = [Neighbor(self.society, number) for number in range(plan.people)]
        self.harm = Harm(self)
        self._late: list[str] = []
        self.watch = Watch(self.store.store, self._wrong, sure=plan.sure)
        self.store.store.wrote = self._wrote

    def tell(self, who: str, what: str) -> None:
        """Add to the story."""
        self.outcome.story.append(f"{self.loop.time() - BEGIN:9.4f} {who}: {what}")
        if LATE in what:
            self._late.append(who)
        if any(fault in what for fault in OURS):
            self.outcome.failures.append(f"{who}: {what}")

    def _wrote(self, effects: list[Effect], by: Session | None) -> None:
        """The store has written this."""
        self.watch.wrote(effects, by)
        self.harm.wrote(effects, by)

    def _wrong(self, what: str) -> None:
        """Something was seen that must not be."""
        self.tell("watch", what)
        self.outcome.failures.append(what)

    def run(self) -> Outcome:
        """Run the seed, and clean up."""
        loop, outcome, seed = self.loop, self.outcome, self.plan.seed
        writer = SimulatedWriter(self.database)
        with replaced(loop, seed, self.tell, writer), journaled(PING_SECONDS, self.watch.line):
            try:
                with belonging(loop, loop.outside, seed):
                    logs, records, over, calm = loop.run_until_complete(self._live())
                    self._judge(logs, records, over, calm)
            except Exception as error:  # noqa: BLE001 - a simulation that breaks has found something
                outcome.failures.append(f"it broke: {error!r}")
                outcome.story += traceback.format_exception(error)
            outcome.failures += [_told(fault) for fault in loop.faults]
            outcome.seconds = loop.time() - BEGIN
            outcome.trace = loop.trace
            outcome.looked = self.watch.seen
            if outcome.failures:
                journals = self.crowd.journals + self.society.journals
                began = wall(loop) - outcome.seconds
                outcome.diagram = drawn_story(journals, self.harm.happened, outcome.failures, began)
            loop.bury()
            loop.close()
        return outcome

    def _judge(
        self, logs: dict[str, list[LogEntry]], records: dict[str, bytes], over: dict[str, bytes],
        calm: float,
    ) -> None:  # fmt: skip
        outcome, crowd, happened = self.outcome, self.crowd, self.harm.happened
        verdict = outcome.verdict = check(
            crowd.journals, logs, happened, calm, self.harm.forgotten, NOTICED
        )
        manners = check_society(
            self.society.journals, records, LEASE, fail_overs(happened), self.watch.written
        )
        verdict.violations += manners.violations
        verdict.counts += manners.counts
        verdict.accounts += manners.accounts
        verdict.truths |= manners.truths
        outcome.failures += crowd.failures + self.society.failures
        outcome.failures += [
            flaw
            for flaw in self.database.flaws(over, self.store.store.space)
            if not (self.harm.forgotten and flaw.endswith((NOT_OVER, OTHER)))
        ]
        outcome.failures += [
            f"{each.promise}: {each.room} {each.text}" for each in verdict.violations
        ]
        outcome.met.update(
            hit.kind for hit in hits(happened, verdict.accounts, verdict.truths) if hit.counts
        )

    def _latency(self, near: Process, far: Process) -> float:
        return 0.0003 if far.address in ADDRESSES else self.loop.rng.uniform(0.001, 0.05)

    # --- the run -----------------------------------------------------------------------------

    async def _live(
        self,
    ) -> tuple[dict[str, list[LogEntry]], dict[str, bytes], dict[str, bytes], float]:
        """The logs and records of all rooms, which of them are over, and when all was calm."""
        plan, crowd, society, loop = self.plan, self.crowd, self.society, self.loop
        await self.store.start()
        for node in self.nodes:
            node.start()
        await self._serving()
        close = asyncio.Event()
        tasks = self._begin_people(close)
        reader = self._begun("reader", "10.4.0.1", self.database.follow())
        visits, helpers = self._begin_society()
        async with asyncio.TaskGroup() as group:
            began = loop.time()
            for fault in plan.faults:
                await asyncio.sleep(began + fault.at - loop.time())
                group.create_task(self.harm.do(fault))
            await asyncio.sleep(began + plan.seconds - loop.time())
        await self._serving()
        await asyncio.sleep(QUIET)
        calm = wall(loop)
        crowd.closing.set()
        society.closing.set()
        close.set()
        await self._ended(tasks, LAST_WORD)
        await self._ended(visits, GOOD_NIGHT)
        records = await self._say_good_night() if plan.people else {}
        logs = await self._export()
        entries = {**logs, **entries_of(records)}
        over = finished({room: log for room, log in entries.items() if log})
        await self.database.caught_up(set(over))
        for helper in helpers:
            helper.cancel()
        await asyncio.gather(*helpers, return_exceptions=True)
        for _ in range(int(CAUGHT_UP)):
            if not queued(self.store.store.space):
                break
            await asyncio.sleep(1.0)
        await self._end(set(over))
        reader.cancel()  # until now games could end, by their clocks
        await asyncio.gather(reader, return_exceptions=True)
        return logs, records, over, calm

    async def _ended(self, tasks: list[asyncio.Task[None]], seconds: float) -> None:
        """All of them have to end within this time, and well."""
        failures = self.outcome.failures
        if not tasks:
            return
        _, hung = await asyncio.wait(tasks, timeout=seconds)
        failures += [f"was not served: {task.get_name()}" for task in hung]
        for task in tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                failures.append(f"{task.get_name()}: {task.exception()!r}")

    def _begin_society(self) -> tuple[list[asyncio.Task[None]], list[asyncio.Task[None]]]:
        """Those who live until it is time to close, and those who help until they are ended."""
        society, begun = self.society, self._begun
        if not self.neighbors:
            return [], []
        absentee = Absentee(society, self._lost_notes)
        visits = [
            begun(f"person {number}", f"10.2.1.{number + 1}", person.live())
            for number, person in enumerate(self.neighbors)
        ]
        visits.append(begun("absentee", "10.2.2.1", absentee.live()))
        helpers = [
            begun(f"onlooker {number}", f"10.2.3.{number + 1}", look_on(society, number))
            for number in range(2)
        ]
        helpers.append(begun("receiver", RECEIVER, absentee.listen()))
        store = f"redis://{STORE}:{PORT}"
        helpers.append(begun("operator", "10.4.0.2", operate(society, store)))
        return visits, helpers

    def _lost_notes(self) -> int:
        """How often notes may have been lost: a store that forgets lost them, or a node died that
        could not give them to a store that was away (SPEC 23.12)."""
        living = {node.process.name for node in self.nodes}
        return len(self.harm.forgotten) + sum(who not in living for who in self._late)

    def _begun(self, name: str, address: str, work: Any) -> asyncio.Task[None]:
        """A task of a process of its own."""
        loop = self.loop
        with belonging(loop, loop.process(name, address), self.plan.seed):
            return loop.create_task(work, name=name)

    async def _say_good_night(self) -> dict[str, bytes]:
        """Everybody ends what they had begun; then the lobby is empty. All records."""
        urls = [node.url for node in self.nodes]
        tidying = [
            self._begun(f"tidy {number}", f"10.2.1.{number + 1}", person.tidy())
            for number, person in enumerate(self.neighbors)
        ]
        await self._ended(tidying, LAST_WORD)
        await asyncio.gather(*(empty(url, self.society) for url in urls))
        return await export_society(self.society)

    async def _serving(self) -> None:
        async with asyncio.timeout(START):
            for node in self.nodes:
                await node.serving.wait()

    def _begin_people(self, close: asyncio.Event) -> list[asyncio.Task[None]]:
        plan, crowd = self.plan, self.crowd
        people = [(f"table {n}", Table(crowd, n).run(close)) for n in range(plan.tables)]
        people += [(f"watcher {n}", Watcher(crowd, n).run(close)) for n in range(plan.watchers)]
        return [
            self._begun(name, f"10.1.0.{number + 1}", work)
            for number, (name, work) in enumerate(people)
        ]

    async def _export(self) -> dict[str, list[LogEntry]]:
        """All rooms, as the protocol gives them to anybody."""
        logs: dict[str, list[LogEntry]] = {}
        with writing(Journal("exporter")):
            async with pierule.connect(list(self.crowd.urls), name="exporter") as client:
                for room in self.crowd.made():
                    logs[room] = []
                    ask = LogQuery(id=0, room=room, first=1)
                    with suppress(pierule.Refused):  # what is not given is not kept
                        ok = await insist(lambda ask=ask: client._session.request(ask))  # type: ignore[misc]
                        logs[room] = ok.log or []
        return logs

    async def _end(self, over: set[str]) -> None:
        """End the nodes in order: nothing may be left."""
        for node in self.nodes:
            node.stopping.set()
        await asyncio.gather(*(node.task for node in self.nodes))
        await asyncio.sleep(1.0)
        self.outcome.failures += left_over(self.nodes, self.store.store)
        self.outcome.failures += kept_for_nothing(
            self.store.store.space, over, calm=not self.plan.faults
        )
        self.store.kill()


def entries_of(records: Mapping[str, bytes]) -> dict[str, list[LogEntry]]:
    """The logs in these records."""
    return {room: read_record(data).events for room, data in records.items()}


def _told(fault: dict[str, Any]) -> str:
    return f"{fault.get('message')}: {fault.get('exception')!r}"

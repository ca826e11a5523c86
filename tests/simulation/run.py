"""One seed: a world, people who play in it, faults, and then the truth."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pierule
from chaos.checker import Verdict, check
from chaos.journal import Journal, journaled, writing
from chaos.players import Crowd, Table, Watcher, insist
from chaos.recovery import hits
from pierule_protocol.messages import LogEntry, LogQuery
from simulation.faults import Fault, Harm, drawn
from simulation.loop import BEGIN, Process
from simulation.network import NetworkedLoop
from simulation.parts import STORE, SimulatedNode, StoreServer
from simulation.surroundings import belonging, replaced, wall

PING_SECONDS = 3.0
QUIET = 14.0
"""Seconds without faults at the end: the position check has been everywhere by then."""
LAST_WORD = 30.0
"""Seconds after the last fault, and that quiet time, in which everybody must be served."""
START = 60.0
"""Seconds in which nodes must serve."""
OURS = ("work in the background failed", "a room could not be repaired")
"""What a node logs about faults of its own."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed comes to. With `replicas`, so many must have a write, and fail-overs forget."""

    seed: int
    nodes: int
    tables: int
    watchers: int
    replicas: int
    seconds: float
    pace: float
    faults: tuple[Fault, ...]


def plan_of(seed: int) -> Plan:
    """The plan that a seed draws."""
    rng = Random(f"{seed} plan")
    seconds = rng.uniform(3.0, 10.0)
    replicas = rng.choice((0, 0, 0, 1, 2))
    faults = drawn(rng, rng.randint(4, 12), seconds, replicas=bool(replicas))
    return Plan(
        seed, nodes=rng.randint(1, 3), tables=rng.randint(1, 3), watchers=rng.randint(0, 2),
        replicas=replicas, seconds=seconds, pace=rng.choice((0.1, 0.2, 0.4)), faults=faults,
    )  # fmt: skip


@dataclass
class Outcome:
    """What happened. `failures` are what must not be."""

    plan: Plan
    failures: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    met: Counter[str] = field(default_factory=Counter)
    """Faults that met something, by kind."""
    seconds: float = 0.0
    trace: str = ""


class Simulation:
    """All parts of a run."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.outcome = Outcome(plan)
        self.loop = NetworkedLoop(plan.seed)
        self.loop.network.latency = self._latency
        self.store = StoreServer(self.loop, plan.seed, plan.replicas, always=True)
        flags: dict[str, Any] = {"archive": "off", "webhooks": "off", "replicas": plan.replicas}
        self.nodes = [
            SimulatedNode(self.loop, plan.seed, number, flags, self.tell)
            for number in range(plan.nodes)
        ]
        self.crowd = Crowd([node.url for node in self.nodes], plan.seed, plan.pace)
        self.harm = Harm(self)

    def tell(self, who: str, what: str) -> None:
        """Add to the story."""
        self.outcome.story.append(f"{self.loop.time() - BEGIN:9.4f} {who}: {what}")
        if any(fault in what for fault in OURS):
            self.outcome.failures.append(f"{who}: {what}")

    def run(self) -> Outcome:
        """Do it all; nothing is left of it."""
        loop, outcome, seed = self.loop, self.outcome, self.plan.seed
        with replaced(loop, seed, self.tell), journaled(PING_SECONDS):
            try:
                with belonging(loop, loop.outside, seed):
                    logs, calm = loop.run_until_complete(self._live())
                    self._judge(logs, calm)
            except Exception as error:  # noqa: BLE001 - a simulation that breaks has found something
                outcome.failures.append(f"it broke: {error!r}")
            outcome.failures += [_told(fault) for fault in loop.faults]
            outcome.seconds = loop.time() - BEGIN
            outcome.trace = loop.trace
            loop.bury()
            loop.close()
        return outcome

    def _judge(self, logs: dict[str, list[LogEntry]], calm: float) -> None:
        outcome, crowd, happened = self.outcome, self.crowd, self.harm.happened
        verdict = outcome.verdict = check(crowd.journals, logs, happened, calm)
        outcome.failures += crowd.failures
        outcome.failures += [
            f"{each.promise}: {each.room} {each.text}" for each in verdict.violations
        ]
        outcome.met.update(
            hit.kind for hit in hits(happened, verdict.accounts, verdict.truths) if hit.counts
        )

    def _latency(self, near: Process, far: Process) -> float:
        return 0.0003 if far.address == STORE else self.loop.rng.uniform(0.001, 0.05)

    # --- the run -----------------------------------------------------------------------------

    async def _live(self) -> tuple[dict[str, list[LogEntry]], float]:
        plan, crowd, loop = self.plan, self.crowd, self.loop
        await self.store.start()
        for node in self.nodes:
            node.start()
        await self._serving()
        close = asyncio.Event()
        tasks = self._begin_people(close)
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
        close.set()
        _, hung = await asyncio.wait(tasks, timeout=LAST_WORD)
        crowd.failures += [f"was not served: {task.get_name()}" for task in hung]
        for task in tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                crowd.failures.append(f"{task.get_name()}: {task.exception()!r}")
        logs = await self._export()
        await self._end()
        return logs, calm

    async def _serving(self) -> None:
        async with asyncio.timeout(START):
            for node in self.nodes:
                await node.serving.wait()

    def _begin_people(self, close: asyncio.Event) -> list[asyncio.Task[None]]:
        plan, crowd, loop = self.plan, self.crowd, self.loop
        people = [(f"table {n}", Table(crowd, n).run(close)) for n in range(plan.tables)]
        people += [(f"watcher {n}", Watcher(crowd, n).run(close)) for n in range(plan.watchers)]
        tasks = []
        for number, (name, work) in enumerate(people):
            with belonging(loop, loop.process(name, f"10.1.0.{number + 1}"), plan.seed):
                tasks.append(loop.create_task(work, name=name))
        return tasks

    async def _export(self) -> dict[str, list[LogEntry]]:
        """All rooms, as the protocol gives them to anybody."""
        logs: dict[str, list[LogEntry]] = {}
        with writing(Journal("exporter")):
            async with pierule.connect(list(self.crowd.urls), name="exporter") as client:
                for room in self.crowd.rooms:
                    logs[room] = []
                    ask = LogQuery(id=0, room=room, first=1)
                    with suppress(pierule.Refused):  # what is not given is not kept
                        ok = await insist(lambda ask=ask: client._session.request(ask))  # type: ignore[misc]
                        logs[room] = ok.log or []
        return logs

    async def _end(self) -> None:
        """End the nodes in order: nothing may be left."""
        for node in self.nodes:
            node.stopping.set()
        await asyncio.gather(*(node.task for node in self.nodes))
        await asyncio.sleep(1.0)
        failures = self.outcome.failures
        for node in self.nodes:
            failures += [
                f"{node.name} left the task {task}" for task in node.process.tasks.values()
            ]
        failures += ["a node left a connection to the store"] * len(self.store.store.sessions)
        failures += [f"nobody has left {name!r}" for name in self.store.store.subscribers]
        self.store.kill()


def _told(fault: dict[str, Any]) -> str:
    return f"{fault.get('message')}: {fault.get('exception')!r}"

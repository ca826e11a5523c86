"""One phase: a world, a crowd that plays in it, a schedule of faults, and then the truth."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pierule
from chaos.checker import Verdict, check
from chaos.database import finished, flaws
from chaos.explain import explain
from chaos.journal import Journal, journaled, writing
from chaos.players import Crowd, Table, Watcher
from chaos.recovery import Hit, hits
from chaos.schedule import Fault, Store
from chaos.world import FAKETIME, Happened, World, world
from pierule_protocol.messages import LogEntry, LogQuery

AT_ONCE = 6
"""Faults under way at the same time."""
PING_SECONDS = 3.0
QUIET = 14.0
"""Seconds without faults at the end, in which the place check gets to every room."""
LAST_WORD = 60.0
SHOW = 20.0
BEGIN = 600
"""Tenths of a second that the first games may take to begin."""
MOST_EXPLAINED = 12
EXPORTERS = 16
EXPORT = 5.0
"""Seconds in which to ask for a room, once nothing goes wrong any more."""
EXPORTED = 60.0
"""Seconds after which all rooms must be exported, however slow the machine."""
GONE = {"unknown_room", "damaged"}
"""Answers after which a room counts as lost, and is not asked for again."""


@dataclass(frozen=True, slots=True)
class Phase:
    """How to try one store. It ends when all faults have happened and `actions` are played, or
    after `seconds`."""

    store: Store
    faults: list[Fault]
    actions: int = 0
    seconds: float = 600.0
    tables: int = 300
    watchers: int = 30
    pace: float = 0.4
    overlay: str = ""
    quiet: float = QUIET
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Played:
    """Everything that was done and seen, before the check."""

    phase: Phase
    crowd: Crowd
    logs: dict[str, list[LogEntry]]
    happened: list[Happened]
    nodes: dict[int, str]
    """The node behind each door's port."""
    calm: float
    seconds: float


@dataclass
class Outcome:
    """The outcome of a phase."""

    phase: Phase
    verdict: Verdict
    hits: list[Hit]
    happened: list[Happened]
    seconds: float
    failures: list[str]
    explained: list[dict[str, Any]]
    """The first violations, with their evidence."""


async def run(phases: Sequence[Phase], seed: int) -> list[Outcome]:
    """Run all phases side by side, since they mostly wait; then check each."""
    began = time.monotonic()
    with journaled(PING_SECONDS):
        played = await asyncio.gather(*(_play(phase, seed) for phase in phases))
    print(f"  {time.monotonic() - began:4.0f} s: all is played; checking", flush=True)
    return [_check(each) for each in played]


async def _play(phase: Phase, seed: int) -> Played:
    """Play, break, mend, export."""
    began = time.monotonic()
    async with world(phase.store, phase.overlay, workers=phase.workers) as here:
        crowd = Crowd(here.urls, seed, phase.pace)
        here.busy = crowd.is_at
        close = asyncio.Event()
        people = [Table(crowd, n).run(close) for n in range(phase.tables)]
        people += [Watcher(crowd, n).run(close) for n in range(phase.watchers)]
        tasks = [asyncio.create_task(person) for person in people]
        try:
            await _begun(crowd, phase, tasks)
            await _trouble(phase, here, crowd)
            await asyncio.sleep(phase.quiet)
            calm = time.time()
            crowd.closing.set()
            close.set()
            _, hung = await asyncio.wait(tasks, timeout=LAST_WORD)
            crowd.failures += [f"hung: {task}" for task in hung]
            logs = await _export(crowd, crowd.made())
            if here.database is not None:
                await here.database.caught_up(finished(logs))
                rows = await asyncio.to_thread(here.database.rows)
                await here.database.caught_up(row.room for row in rows)
                # Flags go on falling after everybody has left: the archive may know more by now.
                logs |= await _export(crowd, {row.room for row in rows} - finished(logs).keys())
                followed = here.database.followed[: len(rows)]
                crowd.failures += flaws(finished(logs), rows, followed)
                print(f"  {len(rows)} games in the archive", flush=True)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled() and task.exception() is not None:
            crowd.failures.append(repr(task.exception()))
    took = time.monotonic() - began
    nodes = {port: node.name for node in here.nodes for port in node.ports}
    return Played(phase, crowd, logs, here.happened, nodes, calm, took)


def _check(played: Played) -> Outcome:
    crowd = played.crowd
    verdict = check(crowd.journals, played.logs, played.happened, played.calm)
    found = hits(played.happened, verdict.accounts, verdict.truths)
    journals = {journal.name: journal for journal in crowd.journals}
    explained = [
        explain(each, journals, played.logs, played.happened, played.nodes)
        for each in verdict.violations[:MOST_EXPLAINED]
    ]
    return Outcome(played.phase, verdict, found, played.happened, played.seconds, crowd.failures,
                   explained)  # fmt: skip


async def _begun(crowd: Crowd, phase: Phase, tasks: list[asyncio.Task[None]]) -> None:
    """Wait until most tables play."""
    for _ in range(BEGIN):
        if len(crowd.running) >= 0.8 * phase.tables:
            return
        if all(task.done() for task in tasks):
            raise AssertionError(f"nobody plays: {crowd.failures[:3]}")
        await asyncio.sleep(0.1)


async def _trouble(phase: Phase, here: World, crowd: Crowd) -> None:
    """Do each fault at its time, and wait until enough was played."""
    began = time.monotonic()
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(fault: Fault) -> None:
        try:
            await here.do(fault)
        finally:
            slots.release()

    shown = began
    async with asyncio.TaskGroup() as group:
        for fault in phase.faults:
            if fault.kind == "clock jump" and FAKETIME is None:
                continue
            await asyncio.sleep(began + fault.at - time.monotonic())
            await slots.acquire()
            if time.monotonic() - began > phase.seconds:
                slots.release()
                break
            group.create_task(one(fault))
            if time.monotonic() - shown > SHOW:
                shown = time.monotonic()
                _show(phase, here, crowd, shown - began)
    with suppress(TimeoutError):
        async with asyncio.timeout(began + phase.seconds - time.monotonic()):
            await crowd.reach(phase.actions)
    _show(phase, here, crowd, time.monotonic() - began)


def _show(phase: Phase, here: World, crowd: Crowd, seconds: float) -> None:
    print(
        f"  {seconds:4.0f} s, {phase.store}: {len(here.happened)} faults, {crowd.actions} actions, "
        f"{len(crowd.running)} rooms running, {len(crowd.failures)} failures",
        flush=True,
    )


async def _export(crowd: Crowd, rooms: Iterable[str]) -> dict[str, list[LogEntry]]:
    """These rooms, as the protocol gives them to anybody."""
    logs: dict[str, list[LogEntry]] = {}
    wanted = iter(list(rooms))
    until = time.monotonic() + EXPORTED

    async def export() -> None:
        with writing(Journal("exporter")):
            async with pierule.connect(list(crowd.urls), name="exporter") as client:
                for room in wanted:
                    entries: list[LogEntry] = []
                    while True:
                        ask = LogQuery(id=0, room=room, first=len(entries) + 1)
                        try:
                            ok = await client._session.request(ask, limit=EXPORT)
                        except pierule.PieruleError as error:
                            lost = isinstance(error, pierule.Refused) and error.code in GONE
                            if not lost and time.monotonic() < until:
                                await asyncio.sleep(0.2)  # the store may only be slow
                                continue
                            print(f"  {room} is not given: {error}", flush=True)
                            logs[room] = []  # a room that is not given counts as lost
                            break
                        entries += ok.log or []
                        if len(ok.log or []) < 1_000:
                            logs[room] = entries
                            break

    await asyncio.gather(*(export() for _ in range(EXPORTERS)))
    return logs

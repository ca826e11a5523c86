"""A run: two nodes over one store, a crowd, perhaps the death of a node, and then the truth."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pierule
from chaos.checker import Verdict
from chaos.journal import Journal, journaled, writing
from pierule_protocol.log.record import write_record
from pierule_terminal.commands.export import record_room
from social.checker import check
from social.crowd import Crowd
from social.people import Person
from social.reading import rooms_of
from support import stores
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
PING_SECONDS = 20.0
EMPTY = 60.0
"""Seconds in which the lobby must be empty once everybody has ended their rooms and seeks."""
EXPORTERS = 8
SLOW = 5
AWAY, LEASE = 2.0, 6.0
"""Seconds in which a user who left may still be paired; more if a node is killed (SPEC 23.2)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many people do things, and for how long; `kill` is when a node is killed, in seconds. A
    slow machine goes on until `frames` frames for each person were sent or received, but no longer
    than `SLOW` times the `seconds`."""

    people: int
    seconds: float
    pace: float
    seed: int = 1
    kill: float | None = None
    frames: int = 0
    overlay: str = ""
    """The first entry of the nodes' PYTHONPATH."""

    @property
    def patient(self) -> bool:
        """Whether there is time to wait for a claim: at least 30 s (SPEC 25.2)."""
        return self.seconds > 90


async def soak(plan: Plan) -> tuple[Verdict, Crowd]:
    """Run a plan, and check it. Errors in the nodes' logs are failures, too."""
    with _nodes(plan.overlay) as nodes, journaled(PING_SECONDS):
        crowd = Crowd([node.url for node in nodes], plan.seed, plan.pace, plan.patient)
        await _live(plan, crowd, nodes)
        await asyncio.gather(*(empty(node.url, crowd) for node in nodes))
        records = await export(crowd)
        crowd.failures += [
            f"{entry}" for node in nodes for entry in node.logged if entry["level"] == "error"
        ]
    lease = AWAY if plan.kill is None else AWAY + LEASE
    return await asyncio.to_thread(check, crowd.journals, records, lease), crowd


@contextmanager
def _nodes(overlay: str) -> Iterator[list[Serving]]:
    """Two nodes over a store of their own."""
    with stores.single() as store, tempfile.TemporaryDirectory(prefix="pr-social-") as folder:
        nodes = []
        try:
            for name in ("first", "second"):
                home = Path(folder) / name
                home.mkdir()
                flags = ("--chat-rate", "5", "--chat-burst", "20", "--store-seconds", "30")
                path = os.pathsep.join(filter(None, (overlay, os.environ.get("PYTHONPATH", ""))))
                environment = {"PIERULE_KEYS": KEYS, "PYTHONPATH": path}
                nodes.append(Serving(home, *flags, store=store.url, environment=environment))
                nodes[-1].start()
            yield nodes
        finally:
            for node in nodes:
                node.clear()


async def _live(plan: Plan, crowd: Crowd, nodes: list[Serving]) -> None:
    people = [Person(crowd, number) for number in range(plan.people)]
    watchers = [asyncio.create_task(_watch(crowd, number)) for number in (0, 1)]
    began = time.monotonic()
    lives = asyncio.gather(*(person.live() for person in people))
    if plan.kill is not None:
        await asyncio.sleep(plan.kill)
        await asyncio.to_thread(nodes[1].kill)
        await asyncio.to_thread(nodes[1].start)  # at another port
        crowd.urls[1] = nodes[1].url
    await asyncio.sleep(began + plan.seconds - time.monotonic())
    while (  # noqa: ASYNC110 - journals wake nobody
        sum(len(journal.lines) for journal in crowd.journals) < plan.frames * plan.people
        and time.monotonic() < began + SLOW * plan.seconds
    ):
        await asyncio.sleep(0.2)
    crowd.closing.set()
    await lives
    await asyncio.gather(*(person.tidy() for person in people))
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)


async def _watch(crowd: Crowd, number: int) -> None:
    """Watch the lobby of a node all the time, and watch it anew now and then."""
    journal = Journal(f"lobby{number}")
    crowd.journals.append(journal)
    with writing(journal):
        async with pierule.connect(list(crowd.urls), name=journal.name) as client:
            while True:
                try:
                    async with asyncio.timeout(2):
                        async for _ in client.lobby():
                            pass
                except TimeoutError:
                    continue


async def empty(url: str, crowd: Crowd) -> None:
    """Wait until the lobby of a node is empty."""
    view: pierule.LobbyView | None = None
    with writing(Journal("janitor")):
        async with pierule.connect(url) as client:
            try:
                async with asyncio.timeout(EMPTY):
                    async for view in client.lobby():
                        if not view.rooms and not view.pools:
                            return
            except TimeoutError:
                crowd.failures.append(f"after {EMPTY} s the lobby is not empty: {view}")


async def export(crowd: Crowd) -> dict[str, bytes]:
    """The records of all rooms that anybody ever heard of, exported over the protocol."""
    records: dict[str, bytes] = {}
    rooms = iter(sorted(rooms_of(crowd.journals)))

    async def export(number: int) -> None:
        with writing(Journal("exporter")):
            async with pierule.connect(crowd.urls[number % len(crowd.urls)]) as client:
                for id_ in rooms:
                    room = await client.join(id_)
                    records[id_] = write_record(await record_room(client, room))
                    await room.leave()

    await asyncio.gather(*(export(number) for number in range(EXPORTERS)))
    return records

"""What idle people cost: memory while they watch, processor time when they come back.

In a storm the clients of a dead node come to a freshly started node, all at once: each says hello
with its token and joins its room with `since`; it lacks the latest two events. It is placed when it
has these, and the presence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from urllib.parse import urlsplit

from bench.lean import Lean
from bench.load import Marker, Member, Plan, handshake, loading
from bench.machine import Machine, processor_seconds, resident
from bench.ours import ERROR, KINDS, SETTERS, SUBPROTOCOL, Pierule, Table, chosen, say
from bench.peer import Audience
from bench.rounds import Contender, started
from bench.rounds import say as tell
from pierule_protocol.messages import Act, Since

IDLE = 2_000
TABLES = 500

WATCHING = 18
"""Spectators of a room in a storm: one in ten plays."""

STORM = 4_000

PLAYED, MISSED = 10, 2
"""Actions before the node died, and how many of them the crowd missed."""

PLACED = Marker(b"\xa4type\xa8presence", 1)
UNHEARD = Marker(b"\xa4type\xa7no such", 1)


def spectator(machine: Machine, contender: Contender) -> float:
    """What an idle spectator adds to a server, in kB."""
    with started(machine, contender):
        plan = contender.plan(Audience(1, IDLE, 1, actors=1))
        before = resident(contender.pids)
        with loading(machine, plan):
            return (resident(contender.pids) - before) / IDLE / 1_000


def table(machine: Machine, contender: Contender) -> float:
    """What a room with its two players adds to a server, in kB."""
    with started(machine, contender):
        before = resident(contender.pids)
        plan = contender.plan(Audience(TABLES, 2, 1))
        with loading(machine, plan):
            return (resident(contender.pids) - before) / TABLES / 1_000


@dataclass(frozen=True)
class Came:
    """A storm: processor ms of the node and of the store for each client, and the ms after which 50
    % and 99 % of them were placed."""

    node: float
    store: float
    half: float
    nearly_all: float


class Crowd:
    """Clients that follow the rooms of a node, and come back after its death."""

    def __init__(self, pierule: Pierule, people: int) -> None:
        self._pierule = pierule
        self._rooms = people // (WATCHING + 2)
        self._prologues: list[list[bytes]] = []

    @property
    def _url(self) -> str:
        return self._pierule.nodes[0].url

    async def gather(self) -> None:
        """Make rooms with running games, and people who know a slightly older state of them."""
        choice = cycle(chosen(KINDS))
        numbers = iter(range(self._rooms))

        async def some() -> None:
            for _ in numbers:
                await self._gather(await Table.lay(self._url, 2, iter([next(choice)]), 1))

        await asyncio.gather(*(some() for _ in range(SETTERS)))

    async def _gather(self, table: Table) -> None:
        ((room, game),) = table.rooms
        players = [await Lean.open(self._url, token) for token in table.tokens]

        async def play(turns: range) -> None:
            for turn in turns:
                seat = game.positions[turn].to_act
                assert seat is not None
                await players[seat].ask(Act, room=room, turn=turn, action=game.actions[turn])

        await play(range(PLAYED))
        snapshot = await players[0].join(room)
        await play(range(PLAYED, PLAYED + MISSED))
        place = snapshot.state.place
        since = Since(epoch=place.epoch, seq=place.seq, chain=place.chain, proof=snapshot.proof)
        watching = [await Lean.open(self._url) for _ in range(WATCHING)]
        for each in (*players, *watching):
            hello = say("hello", 0, token=each.welcome.token)
            self._prologues.append([hello, say("join", 1, room=room, since=since)])
            await each.close()

    def storm(self, machine: Machine) -> Came:
        """Kill the node, start another one, and let the crowd come."""
        pierule = self._pierule
        (node,) = pierule.nodes
        with machine.on(machine.server_core):
            node.terminate()
            node.start()
        url = urlsplit(self._url)
        assert url.port is not None
        request = handshake(url.path, SUBPROTOCOL)
        members = [Member(0, url.port, request, prologue) for prologue in self._prologues]
        before = processor_seconds(pierule.pids), processor_seconds(pierule.store_pids)
        plan = Plan(PLACED, UNHEARD, members, [[]], ERROR)
        with loading(machine, plan, len(members)) as load:
            after = processor_seconds(pierule.pids), processor_seconds(pierule.store_pids)
        node_ms, store_ms = (
            (new - old) * 1e3 / len(members) for old, new in zip(before, after, strict=True)
        )
        return Came(node_ms, store_ms, *load.placed)


Figure = tuple[str, Callable[[Came], float]]
"""The format of a figure, and its value."""

FIGURES: dict[str, Figure] = {
    "CPU of the node a client, ms": (".3f", lambda came: came.node),
    "CPU of the store a client, ms": (".3f", lambda came: came.store),
    "half of them are placed after, ms": (".0f", lambda came: came.half),
    "99 of 100 are placed after, ms": (".0f", lambda came: came.nearly_all),
}


MEMORY: dict[str, Callable[[Machine, Contender], float]] = {
    "an idle spectator, kB": spectator, "a room with its two players, kB": table,
}  # fmt: skip


def storms(
    machine: Machine, contenders: Sequence[Pierule], rounds: int, people: int = STORM
) -> list[list[Came]]:
    """The storms of each contender, by turns."""
    found: list[list[Came]] = [[] for _ in contenders]
    with ExitStack() as stack:
        crowds = []
        for each in contenders:
            stack.enter_context(started(machine, each))
            crowds.append(Crowd(each, people))
            asyncio.run(crowds[-1].gather())
        for number in range(rounds):
            for crowd, own, each in zip(crowds, found, contenders, strict=True):
                own.append(crowd.storm(machine))
                tell(f"  storm {number + 1}, {each.name}: {own[-1].node:.3f} ms a client")
    return found

"""Measurements of Pierule alone: how costs grow with the length of games, and the number of rooms
and nodes."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from statistics import median

import redis

from bench.lean import Lean, fresh_nonce, used
from bench.machine import processor_seconds
from bench.memory import game
from bench.ours import Pierule
from bench.peer import Audience
from bench.rounds import Kind, started
from bench.targets import EARLY, FEW, LATE, MANY
from bench.workloads import Bench
from pierule_protocol.messages import Act, Create, Join, Leave
from pierule_server.store.buckets import log_key
from support.stores import Server, cluster, single

PLIES = 300
LONG_ROOMS = 16
JOINS = 30
SPANS = {EARLY: range(10, 60), LATE: range(240, 290)}
ROOMS = {FEW: 10, MANY: 1_000}
IN_FLIGHT = 10
NODES = (1, 2, 3)
PLAYED = 200
"""Rooms that several nodes serve."""


class Long:
    """A room of Loose, 19 by 19, whose player holds both seats."""

    def __init__(self, lean: Lean, room: str) -> None:
        self.lean, self.room = lean, room

    @classmethod
    async def make(cls, url: str) -> Long:
        lean = await Lean.open(url)
        made = await lean.ask(Create, nonce=fresh_nonce(), game="loose", size=19, seat=0)
        assert made.room is not None
        await lean.ask(Join, room=made.room, seat=1, nonce=fresh_nonce())
        return cls(lean, made.room)

    async def play(self, actions: list[str], turns: range) -> None:
        for turn in turns:
            await self.lean.ask(Act, room=self.room, turn=turn, action=actions[turn])


def length(bench: Bench) -> None:
    """Long games: the cost of an early and a late action, the size in the store, and the time of a
    join, at a node that has the room and at a freshly started one."""
    pierule = Pierule(store_core=bench.options.store_core)
    with started(bench.machine, pierule):
        rooms = asyncio.run(_lengthen(bench, pierule))
        with redis.Redis.from_url(pierule.store_urls[0]) as store:
            kept = median(int(store.memory_usage(log_key(room), samples=0) or 0) for room in rooms)
        bench.fact("store", f"log of a room with {PLIES} plies", kept / 1_000, "kB")
        warm = asyncio.run(_join(pierule.nodes[0].url, [rooms[0]] * JOINS))
        bench.fact(f"join, {PLIES} plies", "known to the node", warm * 1e3, "ms")
        (node,) = pierule.nodes
        with bench.machine.on(bench.machine.server_core):
            node.terminate()
            node.start()
        cold = asyncio.run(_join(node.url, rooms))
        bench.fact(f"join, {PLIES} plies", "read from the store", cold * 1e3, "ms")
    bench.note([pierule])


async def _lengthen(bench: Bench, pierule: Pierule) -> list[str]:
    actions = game(PLIES)
    longs = [await Long.make(pierule.nodes[0].url) for _ in range(LONG_ROOMS)]

    async def all_play(turns: range) -> None:
        await asyncio.gather(*(long.play(actions, turns) for long in longs))

    done = 0
    for name, turns in SPANS.items():
        await all_play(range(done, turns.start))
        before = processor_seconds(pierule.pids)
        await all_play(turns)
        taken = processor_seconds(pierule.pids) - before
        cost = taken * 1e6 / (LONG_ROOMS * len(turns))
        bench.fact("length", name, cost, "µs an action")
        done = turns.stop
    await all_play(range(done, PLIES))
    for long in longs:
        await long.lean.close()
    return [long.room for long in longs]


async def _join(url: str, rooms: list[str]) -> float:
    """The median time from the request to the snapshot."""
    taken = []
    lean = await Lean.open(url)
    for room in rooms:
        start = time.perf_counter()
        await lean.join(room)
        taken.append(time.perf_counter() - start)
        await lean.ask(Leave, room=room)
    await lean.close()
    return median(taken)


class Variant(Pierule):
    """Pierule under its own name, to be compared with other variants."""

    def __init__(
        self, name: str, store_core: str, nodes: int = 1, stores: list[Server] | None = None
    ) -> None:
        super().__init__(nodes, stores, store_core)
        self.name, self.title = name, f"Pierule, {name}"


def number(bench: Bench) -> None:
    """Few rooms and many, equally busy: the cost of an action, and the size in the store."""
    span = bench.options.rounds * bench.options.seconds + 1
    bench.side_by_side(
        [Variant(name, bench.options.store_core) for name in ROOMS],
        lambda each: Audience(ROOMS[each.name], 2, int(span * 4_000 / ROOMS[each.name])),
        [Kind("number of rooms, 10 in flight", bench.options.seconds, IN_FLIGHT)],
    )
    pierule = Pierule()
    with started(bench.machine, pierule), redis.Redis.from_url(pierule.store_urls[0]) as store:
        before = used(store)
        pierule.plan(Audience(ROOMS[MANY], 2, 1))
        kept = (used(store) - before) / ROOMS[MANY] / 1_000
        bench.fact("store", "room before its first action", kept, "kB")


def nodes(bench: Bench) -> None:
    """One, two and three nodes over one store and over a cluster of three: players of a room sit at
    different nodes. All nodes share one core, so this shows the cost of one more node."""
    span = bench.options.rounds * bench.options.seconds + 1
    for several in NODES:
        with ExitStack() as stack:
            one = [stack.enter_context(single())]
            three = stack.enter_context(cluster()).servers
            for store in (*one, *three):
                store.command("CONFIG", "SET", "appendfsync", "always")
            named = f"{several} node{'s' if several > 1 else ''} over"
            bench.side_by_side(
                [
                    Variant(f"{named} {what}", bench.options.store_core, several, stores)
                    for what, stores in (("one store", one), ("a cluster", three))
                ],
                lambda _each: Audience(PLAYED, 2, int(span * 6_000 / PLAYED) + 10),
                [Kind("nodes, 64 in flight", bench.options.seconds, 64)],
            )

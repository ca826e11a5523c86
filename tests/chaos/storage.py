"""The three forms of the store, and the faults of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from random import Random
from typing import Protocol, TypeAlias

import redis

from chaos.schedule import Fault, Store
from pierule_server.store.buckets import BUCKETS, slot_of
from support.proxy import Proxy, proxied
from support.replicated import SERVICE, Replicated, replicated
from support.stores import Cluster, Server, cluster, single_on_port, wait_for

Outage: TypeAlias = tuple[float, float]

SETTLED = 40.0
"""Seconds in which a replicated store must be whole again."""

DURABLE = ("--appendfsync", "always")


class Storage(Protocol):
    """A store that can be hurt. `flags` are the nodes' settings for it."""

    flags: tuple[str, ...]

    async def link(self, stack: AsyncExitStack) -> tuple[str, list[Proxy]]:
        """The URL for one more node, and the proxies on its way there."""
        ...

    async def do(self, fault: Fault, also: Callable[[], None]) -> Outage | None:
        """Do the fault, and wait for its end; if it takes a machine, call `also` for everything
        else on it. Return when all of the store was certainly away (seconds since 1970), if it
        was."""
        ...


async def _links(stack: AsyncExitStack, servers: Sequence[Server]) -> list[Proxy]:
    """A node's own proxies to servers that tell each other's addresses: the node gets the proxies'
    addresses instead."""
    links = [await stack.enter_async_context(proxied(server.port)) for server in servers]
    told: dict[bytes, bytes] = {}
    for server, link in zip(servers, links, strict=True):
        assert len(f"{server.port}{link.port}") == 10, "a text of another length has another header"
        # As in the answers of Sentinel, in CLUSTER SLOTS and in redirections.
        for form in (b"127.0.0.1\r\n$5\r\n%d\r\n", b"127.0.0.1\r\n:%d\r\n", b" 127.0.0.1:%d\r\n"):
            told[form % server.port] = form % link.port
    for link in links:
        link.rewrites = told
    return links


class Single:
    """One server, with a proxy for each node."""

    flags: tuple[str, ...] = ()

    def __init__(self, server: Server) -> None:
        self._server = server

    async def link(self, stack: AsyncExitStack) -> tuple[str, list[Proxy]]:
        proxy = await stack.enter_async_context(proxied(self._server.port))
        return f"redis://127.0.0.1:{proxy.port}", [proxy]

    async def do(self, fault: Fault, also: Callable[[], None]) -> Outage | None:
        if fault.kind == "store kill":
            await asyncio.to_thread(self._server.kill)
            began = time.time()
            await asyncio.sleep(fault.seconds)
            await asyncio.to_thread(self._server.start)
        else:
            self._server.pause()
            began = time.time()
            try:
                await asyncio.sleep(fault.seconds)
            finally:
                self._server.resume()
        return began, time.time()


class Sentinels:
    """A primary and its replica. An action counts when the replica has it, so that no fail-over
    loses one; but unacknowledged actions may be seen, and taken back. (With two replicas both would
    have to have it: Sentinel may promote the one that is behind.)"""

    flags: tuple[str, ...] = ("--replicas", "1")

    def __init__(self, replicas: Replicated) -> None:
        self._all = replicas

    async def link(self, stack: AsyncExitStack) -> tuple[str, list[Proxy]]:
        links = await _links(stack, self._all.servers)
        (sentinel,) = self._all.sentinels
        guide = await stack.enter_async_context(proxied(sentinel.port))
        guide.rewrites = links[0].rewrites
        return f"redis+sentinel://127.0.0.1:{guide.port}/{SERVICE}", [*links, guide]

    async def do(self, fault: Fault, also: Callable[[], None]) -> Outage | None:
        return await asyncio.to_thread(self._fail_over, fault.chance, also)

    def _fail_over(self, chance: float, also: Callable[[], None]) -> Outage:
        """Kill the primary. Two times in three the replica lacks its latest entries, which were
        seen; every second time everything else on its machine dies, too."""
        whole = self._all
        old, replicas = whole.primary(), whole.replicas()
        behind = chance < 2 / 3
        try:
            if behind:
                for replica in replicas:
                    whole.hold(replica)
                time.sleep(0.2 + 0.6 * chance)
            old.kill()
            began = time.time()
            if int(12 * chance) % 2:
                also()
            whole.promoted(old)
            ended = time.time()
        finally:
            if behind:
                for replica in replicas:
                    whole.let_go(replica)
        old.start()
        time.sleep(0.2)  # For a moment it believes that it is still the primary.
        wait_for(self._whole_again, "the replica's return", SETTLED)
        return began, ended

    def _whole_again(self) -> bool:
        with suppress(redis.ConnectionError):  # Sentinel has all clients of a new replica cut off
            return self._follows()
        return False

    def _follows(self) -> bool:
        """Whether the primary that Sentinel names has its replica. Sentinel would tolerate a second
        self-declared primary for eight seconds; an operator would fix that at once."""
        primary = self._all.primary()
        if primary.command("ROLE")[0] != b"master":
            return False
        for server in self._all.replicas():
            if server.command("ROLE")[0] == b"master":
                server.command("REPLICAOF", "127.0.0.1", primary.port)
        time.sleep(0.1)
        return all(server.command("ROLE")[3:4] == [b"connected"] for server in self._all.replicas())


class Clustered:
    """Three primaries, with slots that move between them."""

    flags: tuple[str, ...] = ()

    def __init__(self, whole: Cluster) -> None:
        self._cluster = whole

    async def link(self, stack: AsyncExitStack) -> tuple[str, list[Proxy]]:
        links = await _links(stack, self._cluster.servers)
        return f"redis://127.0.0.1:{links[0].port}", links

    async def do(self, fault: Fault, also: Callable[[], None]) -> Outage | None:
        await asyncio.to_thread(self._migrate, Random(fault.chance))
        return None

    def _migrate(self, rng: Random) -> None:
        slot = slot_of(rng.randrange(BUCKETS))
        wait_for(lambda: self._owner(slot) is not None, "an owner of the slot")
        owner = self._owner(slot)
        target = rng.choice([each for each in self._cluster.servers if each is not owner])
        migrate = rng.choice([self._cluster.migrate, self._cluster.migrate_at_once])
        with suppress(StopIteration):  # for a moment no server claims the slot
            migrate(slot, target)
        wait_for(lambda: self._owner(slot) is target, "the end of the migration")

    def _owner(self, slot: int) -> Server | None:
        with suppress(StopIteration):
            return self._cluster.owner(slot)
        return None


@asynccontextmanager
async def _single() -> AsyncIterator[Storage]:
    started = single_on_port()
    server = await asyncio.to_thread(started.__enter__)
    await asyncio.to_thread(server.command, "CONFIG", "SET", "appendfsync", "always")
    server._command += DURABLE
    try:
        yield Single(server)
    finally:
        await asyncio.to_thread(started.__exit__, None, None, None)


@asynccontextmanager
async def _sentinels() -> AsyncIterator[Storage]:
    # One Sentinel, because three may disagree for seconds who leads.
    started = replicated(replicas=1, sentinels=1)
    whole = await asyncio.to_thread(started.__enter__)
    for sentinel in whole.sentinels:
        sentinel.command("SENTINEL", "SET", SERVICE, "failover-timeout", 1_000)
    try:
        yield Sentinels(whole)
    finally:
        await asyncio.to_thread(started.__exit__, None, None, None)


@asynccontextmanager
async def _cluster() -> AsyncIterator[Storage]:
    started = cluster()
    whole = await asyncio.to_thread(started.__enter__)
    try:
        yield Clustered(whole)
    finally:
        await asyncio.to_thread(started.__exit__, None, None, None)


STORAGES: dict[Store, Callable[[], AbstractAsyncContextManager[Storage]]] = {
    "single": _single,
    "sentinel": _sentinels,
    "cluster": _cluster,
}

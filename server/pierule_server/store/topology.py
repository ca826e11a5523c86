"""Which primary serves which bucket. A single server is the case of one primary for all.

Here redirections are followed, so that nobody above has to know whether the store is a cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from redis import exceptions as redis_errors

from pierule_server.store.buckets import BUCKETS, slot_of
from pierule_server.store.log import StoreUnusable
from pierule_server.store.primary import Primary, Reply, Timeouts

REDIRECTIONS = 8
MIGRATION_PAUSE = 0.05


class Topology:
    """The primaries of the store at a URL. Of a cluster, any member's URL will do."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        self._seed = Primary.of_url(url, timeouts)
        self._known: dict[tuple[str, int], Primary] = {}
        self._serving = [self._seed] * BUCKETS
        self._clustered = False
        self._refreshing: asyncio.Task[None] | None = None
        self.changed: Callable[[], None] = lambda: None
        """Called after a bucket has moved to another primary."""

    def primary(self, bucket: int) -> Primary:
        return self._serving[bucket]

    @property
    def primaries(self) -> set[Primary]:
        return set(self._serving)

    async def discover(self) -> None:
        """Find out whether the store is a cluster, and which primaries it has."""
        info = await self._seed.ask("INFO", "cluster")
        self._clustered = b"cluster_enabled:1" in info
        if self._clustered and self._seed.local:
            raise StoreUnusable(f"{self._seed} is a member of a cluster: give its redis:// URL.")
        await self.refresh()

    async def request(self, bucket: int, *command: str | bytes | int) -> Reply:
        """The reply of the primary that serves the bucket. Redirections are followed: a command
        that was redirected was not carried out. No other failure is a reason to repeat it.
        Unbounded in time. Raises `redis_errors.RedisError` or `OSError`."""
        primary = self._serving[bucket]
        asking = False
        redirections = 0
        while redirections <= REDIRECTIONS:
            try:
                return await (_asking(primary, command) if asking else primary.ask(*command))
            except redis_errors.TryAgainError:  # Half of the keys have migrated; soon all have.
                await asyncio.sleep(MIGRATION_PAUSE)
                primary, asking = self._serving[bucket], False
            except redis_errors.AskError as error:
                redirections += 1
                primary = self._at(error.host or primary.host, error.port)
                asking = not isinstance(error, redis_errors.MovedError)
                if not asking:
                    self._serving[bucket] = primary
                    self.changed()
                    self.refresh_soon()
        raise redis_errors.ClusterDownError(f"bucket {bucket} is redirected in circles")

    def refresh_soon(self) -> asyncio.Task[None]:
        """Begin to ask for the layout of the cluster anew, unless that is under way."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh(), name="topology of the store")
            self._refreshing.add_done_callback(_forgive)
        return self._refreshing

    async def refresh(self) -> None:
        """Ask for the layout of the cluster anew. Whoever asks meanwhile shares the answer.
        Raises `RedisError` or `OSError` if nobody gives it."""
        await asyncio.shield(self.refresh_soon())

    async def _refresh(self) -> None:
        if not self._clustered:
            return
        for asked in {*self._serving, *self._known.values()}:
            try:
                reply = await asked.ask("CLUSTER", "SLOTS")
            except (redis_errors.RedisError, OSError):
                continue
            await self._adopt(reply, asked)
            return
        await self._adopt(await self._seed.ask("CLUSTER", "SLOTS"), self._seed)

    async def _adopt(self, reply: list[Any], asked: Primary) -> None:
        """Take over the answer to CLUSTER SLOTS: [[first, last, [host, port, …], …], …]."""
        serving = list(self._serving)
        for bucket in range(BUCKETS):
            slot = slot_of(bucket)
            for first, last, (host, port, *_), *_ in reply:
                if first <= slot <= last:
                    serving[bucket] = self._at(host.decode() if host else asked.host, port)
        if serving != self._serving:
            self._serving = serving
            self.changed()
        for address, primary in list(self._known.items()):
            if primary not in serving:
                del self._known[address]
                await primary.close()

    def _at(self, host: str, port: int) -> Primary:
        if (host, port) not in self._known:
            self._known[host, port] = self._seed.at(host, port)
        return self._known[host, port]

    async def close(self) -> None:
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        for primary in {self._seed, *self._known.values()}:
            await primary.close()


async def _asking(primary: Primary, command: tuple[str | bytes | int, ...]) -> Reply:
    _, reply = await primary.run(("ASKING",), command)
    if isinstance(reply, redis_errors.ResponseError):
        raise reply
    return reply


def _forgive(task: asyncio.Task[None]) -> None:
    """The next request will fail, too, and ask again."""
    if not task.cancelled():
        task.exception()

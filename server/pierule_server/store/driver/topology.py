"""Knows which primary serves which bucket: of a single server, behind Sentinel, or of a cluster.

It follows redirections and finds out about fail-overs, so no caller needs to know which of the
three the store is. With a single server, one primary serves all buckets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from redis import exceptions as redis_errors

from pierule_protocol import world
from pierule_server.store.buckets import BUCKETS, slot_of
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.errors import AWAY, DISK, Trouble, for_players
from pierule_server.store.driver.pipeline import Command, Reply
from pierule_server.store.driver.primary import Primary, Timeouts
from pierule_server.store.driver.sentinel import SCHEMES, Sentinels
from pierule_server.store.driver.urls import check_url, likely_cause
from pierule_server.store.room_log import StoreUnusable

REDIRECTIONS = 8
MIGRATION_PAUSE = 0.05

REFRESH = 5.0
"""Seconds between two looks at the layout even if nothing fails: a replaced primary may not know
it, and go on answering."""

REFRESH_PAUSE = 0.1
"""The least seconds between two looks, however many requests fail."""


class TooFewReplicas(redis_errors.ResponseError):
    """Too few replicas have confirmed a write, so its fate is unknown."""


class Topology:
    """The primaries of the store at a URL. For a cluster, use the URL of any member.

    With `replicas`, a write counts only once that many replicas have confirmed it. `disk` is that
    of an embedded store, which ends when the disk is full.
    """

    def __init__(
        self, url: str, timeouts: Timeouts, replicas: int = 0, disk: Disk | None = None
    ) -> None:
        check_url(url)
        self._url = url
        self._sentinels: Sentinels | None = None
        if url.partition("://")[0] in SCHEMES:
            self._sentinels = Sentinels(url, timeouts)
            self._seed = self._sentinels.template
        else:
            self._seed = Primary.of_url(url, timeouts)
        self._seed.health.changed = self._health_changed
        self._timeouts = timeouts
        self._replicas = replicas
        self._disk = disk
        self._known: dict[tuple[str, int], Primary] = {}
        self._serving = [self._seed] * BUCKETS
        self.clustered = False
        """Whether the store is a cluster. Then all keys of a script must be in one bucket."""
        self._refreshing: asyncio.Task[None] | None = None
        self._refreshed = -REFRESH_PAUSE
        self._watching: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self.changed: Callable[[], None] = lambda: None
        """Called after a bucket has moved to another primary."""
        self.health_changed: Callable[[], None] = lambda: None
        """Called when `troubles` may have changed."""

    def primary(self, bucket: int) -> Primary:
        return self._serving[bucket]

    @property
    def primaries(self) -> set[Primary]:
        return set(self._serving)

    @property
    def troubles(self) -> dict[str, Trouble]:
        """The primaries in trouble, by address, sorted, and what is wrong with each."""
        ailing = ((str(each), each.health.trouble) for each in self.primaries)
        return dict(sorted((name, self._cause(trouble)) for name, trouble in ailing if trouble))

    def _cause(self, trouble: Trouble) -> Trouble:
        """The trouble; if the store is away because its disk is full, that."""
        why = self._disk.trouble if self._disk and trouble.kind == AWAY else None
        return Trouble(DISK, why) if why else trouble

    @property
    def trouble(self) -> str | None:
        """What to tell players about the troubles; None if there are none."""
        return for_players(self.troubles.values(), len(self.primaries))

    async def discover(self) -> None:
        """Find out what the store is and which primaries it has. From then on, check its layout
        every `REFRESH` seconds. Raises `StoreUnusable`, `RedisError` or `OSError`."""
        try:
            await self._discover()
        except (redis_errors.RedisError, OSError) as error:
            cause = likely_cause(self._url, str(error))
            if not cause:
                raise
            why = str(error).rstrip(".")
            raise redis_errors.ConnectionError(f"{why}: {cause}") from error

    async def _discover(self) -> None:
        if self._sentinels is not None:
            await self.refresh()
        self.clustered = await _is_cluster(self._serving[0])
        if self.clustered and self._sentinels is not None:
            raise StoreUnusable("Sentinel names a member of a cluster: use its redis:// URL.")
        if self.clustered and self._seed.local:
            raise StoreUnusable(f"{self._seed} is a member of a cluster: use its redis:// URL.")
        if self.clustered:
            await self.refresh()
        if self.clustered or self._sentinels is not None:
            self._watching = asyncio.create_task(self._watch(), name="watch on the store")

    def request(
        self, bucket: int, *command: str | bytes | int, write: bool = False
    ) -> Coroutine[Any, Any, Reply]:
        """See `ask`."""
        return self.ask(bucket, command, write=write)

    async def ask(self, bucket: int, command: Command, *, write: bool = False) -> Reply:
        """The reply of the primary that serves the bucket. It follows redirections, because a
        redirected command was not carried out, but repeats a command after no other failure. Set
        `write` for a command that keeps something: if the reply is not None, enough replicas have
        it. Raises `redis_errors.RedisError` or `OSError`, within the time-out."""
        try:
            return await self._ask(self._serving[bucket], command, write=write)
        except (redis_errors.TryAgainError, redis_errors.AskError) as elsewhere:
            async with asyncio.timeout(self._timeouts.request):
                return await self._follow(bucket, command, elsewhere, write=write)

    async def _follow(
        self, bucket: int, command: Command, elsewhere: redis_errors.ResponseError, *, write: bool
    ) -> Reply:
        """Follow redirections to the final reply. It has no time bound of its own."""
        primary, redirections = self._serving[bucket], 0
        while redirections <= REDIRECTIONS:
            if isinstance(elsewhere, redis_errors.AskError):
                redirections += 1
                asking = not isinstance(elsewhere, redis_errors.MovedError)
                primary = self._at(elsewhere.host or primary.host, elsewhere.port)
                if not asking:
                    self._serving[bucket] = primary
                    self._moved()
                    self.refresh_soon()
            else:  # only some of the keys have migrated; wait for the rest
                await asyncio.sleep(MIGRATION_PAUSE)
                primary, asking = self._serving[bucket], False
            try:
                return await self._ask(primary, command, asking=asking, write=write)
            except (redis_errors.TryAgainError, redis_errors.AskError) as error:
                elsewhere = error
        raise redis_errors.ClusterDownError(f"bucket {bucket} is redirected in circles")

    async def _ask(
        self, primary: Primary, command: Command, *, asking: bool = False, write: bool
    ) -> Reply:
        commands: list[Command] = [("ASKING",), command] if asking else [command]
        waits = write and self._replicas > 0
        if waits:
            *replies, confirmed = await primary.run_confirmed(self._replicas, *commands)
        else:
            replies = await primary.run(*commands)
        reply = replies[-1]
        if isinstance(reply, redis_errors.ResponseError):
            raise reply
        if (
            waits
            and reply is not None
            and (not isinstance(confirmed, int) or confirmed < self._replicas)
        ):
            raise TooFewReplicas(f"{confirmed} of {self._replicas} replicas confirmed a write")
        return reply

    # --- the layout --------------------------------------------------------------------------

    def refresh_soon(self) -> asyncio.Task[None]:
        """Begin to read the layout again, unless that is under way."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh(), name="topology of the store")
            self._refreshing.add_done_callback(_forgive)
        return self._refreshing

    async def refresh(self) -> None:
        """Read the layout again. Concurrent callers share the answer. Raises `RedisError` or
        `OSError` if no server gives it."""
        await asyncio.shield(self.refresh_soon())

    async def close(self) -> None:
        """Close all connections and tasks."""
        tasks = [task for task in (self._watching, self._refreshing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._leaving, return_exceptions=True)
        primaries = {self._seed, *self._serving, *self._known.values()}
        await asyncio.gather(*(primary.close() for primary in primaries))
        if self._sentinels is not None:
            await self._sentinels.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(REFRESH)
            self.refresh_soon()

    async def _refresh(self) -> None:
        if self._sentinels is None and not self.clustered:
            return
        await asyncio.sleep(self._refreshed + REFRESH_PAUSE - world.monotonic())
        try:
            if self._sentinels is not None:
                serving = [self._at(*await self._sentinels.primary())] * BUCKETS
            else:
                serving = await self._ask_cluster()
        finally:
            self._refreshed = world.monotonic()
        if serving != self._serving:
            self._serving = serving
            self._moved()
        for address, primary in list(self._known.items()):
            if primary not in serving:
                del self._known[address]
                self._let_go(primary)

    async def _ask_cluster(self) -> list[Primary]:
        """The primaries of the buckets, as a member in the majority knows them. A member that is
        cut off still believes the old layout."""
        members = {*self._serving, *self._known.values(), self._seed}
        for asked in sorted(members, key=lambda member: member.health.away):
            try:
                async with asyncio.timeout(self._timeouts.connect):
                    info, slots = await asked.run(("CLUSTER", "INFO"), ("CLUSTER", "SLOTS"))
            except (redis_errors.RedisError, OSError):
                continue
            if isinstance(slots, list) and b"cluster_state:ok" in info:
                return self._read_slots(slots, asked)
        raise redis_errors.ClusterDownError("no member of the cluster serves")

    def _read_slots(self, slots: list[Any], asked: Primary) -> list[Primary]:
        """The primaries of the buckets, from a reply to CLUSTER SLOTS: [[first, last, [host, port,
        …], …], …]."""
        serving = list(self._serving)
        for bucket in range(BUCKETS):
            slot = slot_of(bucket)
            for first, last, (host, port, *_), *_ in slots:
                if first <= slot <= last:
                    serving[bucket] = self._at(host.decode() if host else asked.host, port)
        return serving

    def _at(self, host: str, port: int) -> Primary:
        if (host, port) not in self._known:
            primary = self._known[host, port] = self._seed.at(host, port)
            primary.health.changed = self._health_changed
        return self._known[host, port]

    def _let_go(self, primary: Primary) -> None:
        """Close a primary in the background, because a hanging connection may close slowly."""
        task = asyncio.create_task(primary.close(), name=f"end of store {primary}")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        task.add_done_callback(_forgive)

    def _moved(self) -> None:
        self.changed()
        self.health_changed()

    def _health_changed(self) -> None:
        """Tell listeners. If a primary is in trouble, look for another that took its place."""
        self.health_changed()
        if self.troubles:
            self.refresh_soon()


async def _is_cluster(member: Primary) -> bool:
    try:
        return b"cluster_enabled:1" in await member.ask("INFO", "cluster")
    except redis_errors.ResponseError:  # an ACL forbids INFO
        try:
            return isinstance(await member.ask("CLUSTER", "SLOTS"), list)
        except redis_errors.ResponseError:  # not a cluster, or an ACL forbids that, too
            return False


def _forgive(task: asyncio.Task[None]) -> None:
    """Ignore the error of a task: the next request fails in the same way, and tries again."""
    if not task.cancelled():
        task.exception()

"""Sends commands and scripts to one bucket or to all, within time bounds. Errors of the store
become `StoreUnavailable`."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from hashlib import sha1
from importlib.resources import files
from math import inf
from typing import Any, TypeAlias

from redis.exceptions import NoScriptError, RedisError

from pierule_server.store import scripts
from pierule_server.store.buckets import BUCKETS
from pierule_server.store.driver.errors import KINDS, kind_of, trouble_of
from pierule_server.store.driver.pipeline import Reply
from pierule_server.store.driver.primary import Primary, Timeouts
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import StoreRefused, StoreUnavailable

SWEEP_SECONDS = 1.0
"""Seconds that a sweep waits for a primary. While one primary hangs, the sweep writes no heartbeats
at the others, and these must not become stale."""

_FAILURES = (RedisError, OSError)
"""TimeoutError is an OSError."""

Rest: TypeAlias = tuple[str | bytes | int, ...]
"""The number of keys, the keys and the arguments of a script."""

RestOf: TypeAlias = Callable[..., Rest]
"""Gives these for a bucket, or for all buckets of a joint script."""


class Script:
    """A Lua script of `store.scripts`: its `text`, the SHA-1 by which a store knows it, and how a
    command that runs it `begins`."""

    def __init__(self, file: str) -> None:
        self.text = files(scripts).joinpath(file).read_bytes()
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest()
        self.begins = ("EVALSHA", self.sha)

    async def run(
        self,
        request: Callable[..., Awaitable[Any]],
        bucket: int,
        *rest: Any,
        write: bool = False,
    ) -> Any:
        """Run the script at the primary of a bucket, by `request(bucket, *command, write=…)`.
        `rest` is the number of keys, the keys and the arguments."""
        try:
            return await request(bucket, *self.begins, *rest, write=write)
        except NoScriptError:  # a new or restarted primary, or SCRIPT FLUSH: nothing was done
            return await request(bucket, "EVAL", self.text, *rest, write=write)


class _Asking:
    """A context that turns errors of the store into `StoreUnavailable`, or `StoreRefused` for an
    error reply that is in `KINDS`. It leaves an unknown script to `Script.run`, which loads it."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _FAILURES) and not isinstance(error, NoScriptError):
            self._topology.refresh_soon()
            kind = kind_of(error)
            if kind in KINDS:
                raise StoreRefused(f"{kind}: {error}", kind) from error
            raise StoreUnavailable(str(error) or "no answer in time") from error


class Access:
    """Asks the store, for its tables. Everything raises StoreUnavailable."""

    def __init__(self, topology: Topology, timeouts: Timeouts) -> None:
        self.asking = _Asking(topology)
        self._topology = topology
        self._timeouts = timeouts

    @asynccontextmanager
    async def bounded(self, most: float = inf) -> AsyncIterator[None]:
        """A context for several requests. All of them together get the time of one request, or at
        most this many seconds."""
        with self.asking:
            async with asyncio.timeout(min(most, self._timeouts.request)):
                yield

    async def request(self, bucket: int, *command: str | bytes | int, write: bool = False) -> Reply:
        """The reply of the primary of a bucket to one command."""
        with self.asking:
            return await self._topology.request(bucket, *command, write=write)

    async def run(self, script: Script, bucket: int, rest: Rest, *, write: bool = False) -> Reply:
        """Run a script as `Script.run` does. This takes fewer steps, because every action of a game
        passes here, and builds the command only once."""
        with self.asking:
            try:
                command: Rest = ("EVALSHA", script.sha, *rest)
                return await self._topology.ask(bucket, command, write=write)
            except NoScriptError:
                return await self._topology.ask(bucket, ("EVAL", script.text, *rest), write=write)

    async def everywhere(
        self,
        script: Script,
        rest_of: RestOf,
        among: Iterable[int] = range(BUCKETS),
        *,
        joint: bool = False,
        shows_health: bool = False,
    ) -> list[Reply]:
        """Run a script for every bucket, or for those in `among`, and return the replies. The
        replies lack unreachable buckets; raises `StoreUnavailable` if all are unreachable. One call
        of a `joint` script serves all buckets of a primary, unless the store is a cluster. With
        `shows_health`, an error of the script tells that the primary refuses writes."""
        buckets: defaultdict[Primary, list[int]] = defaultdict(list)
        for bucket in among:
            buckets[self._topology.primary(bucket)].append(bucket)
        joint = joint and not self._topology.clustered
        found = await asyncio.gather(
            *(
                self._at_one(primary, script, rest_of, each, joint, shows_health)
                for primary, each in buckets.items()
            ),
            return_exceptions=True,
        )
        replies = [reply for part in found if not isinstance(part, BaseException) for reply in part]
        if not replies:
            raise next(part for part in found if isinstance(part, BaseException))
        return replies

    async def _at_one(
        self,
        primary: Primary,
        script: Script,
        rest_of: RestOf,
        buckets: list[int],
        joint: bool,
        shown: bool,
    ) -> list[Reply]:
        """The replies of a primary for its buckets, in one round trip. They lack refused buckets
        (for example, one that has just moved away). Raises `StoreUnavailable` if it refuses all."""
        async with self.bounded(SWEEP_SECONDS):
            replies = [] if not joint else await _run(primary, script, [rest_of(*buckets)])
            # An error in one bucket must not hurt all the others.
            if not joint or isinstance(replies[0], RedisError):
                replies = await _run(primary, script, [rest_of(bucket) for bucket in buckets])
            refused = [reply for reply in replies if isinstance(reply, RedisError)]
            if shown:
                known = [error for error in refused if kind_of(error) in KINDS]
                primary.health.wrote(trouble_of(known[0]) if known else None)
            if len(refused) == len(replies):
                raise refused[0]
        if refused:
            self._topology.refresh_soon()
        return [reply for reply in replies if not isinstance(reply, RedisError)]


async def _run(primary: Primary, script: Script, rests: list[Rest]) -> list[Reply]:
    """The replies of a primary to a script with each of these keys and arguments. Loads the script
    if the primary does not know it."""
    commands = [("EVALSHA", script.sha, *rest) for rest in rests]
    replies = await primary.run(*commands)
    if any(isinstance(reply, NoScriptError) for reply in replies):
        _, *replies = await primary.run(("SCRIPT", "LOAD", script.text), *commands)
    return replies

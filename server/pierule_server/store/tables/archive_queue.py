"""What the archive has yet to learn: games that are over, results that were voided, and users whose
names it is to forget.

An entry stays until somebody has written it to the archive, so nothing is lost while that is away.
While a room is in here, `RoomLog.archive` does not let it expire, if any node of the store has ever
had an archive. Otherwise games are forgotten with their rooms, and leave the queue with them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pierule_protocol.messages import CHANNELS
from pierule_server.store.buckets import (
    archivist_key,
    bucket_of,
    messages_key,
    put_away_key,
    unarchived_key,
)
from pierule_server.store.driver.access import Script

EACH = 16
"""Entries of a bucket that one look names."""


@dataclass(frozen=True, slots=True)
class Unarchived:
    """A room that was over at a time, in the store's ms, or a user to forget, `@USER`."""

    name: str
    at: int

    @property
    def user(self) -> str | None:
        """The user to forget, if it is one."""
        return self.name[1:] if self.name.startswith("@") else None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many entries wait, whether a node of the store has ever had an archive, and the oldest
    entries in order. Without a gap: nothing that is not among them is older."""

    count: int
    wanted: bool
    oldest: list[Unarchived]


class ArchiveQueue(Protocol):
    """The queue of a store. Every method may raise `StoreUnavailable`."""

    async def look(self, *, archives: bool, more: int = 0) -> Backlog:
        """What waits. From a look of somebody who `archives` on, nothing is forgotten before it is
        archived. `more` is how many entries the caller will pass over. Unreachable parts of the
        store are left out."""
        ...

    async def give_up(self) -> None:
        """The store has no archive any more: what waits is forgotten in time."""
        ...

    async def forget(self, user: str) -> None:
        """The archive is to forget the name of a user."""
        ...

    async def done(self, entry: Unarchived, retention: int) -> bool:
        """The archive knows: the room may be forgotten in `retention` milliseconds, if it is put
        away. False if something has happened since: then the entry waits again."""
        ...

    async def lease(self, node: str, ms: int) -> bool:
        """Be the node that writes for so long (0: no longer); False if another is."""
        ...


class RedisArchiveQueue:
    """In Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket, `everywhere`
    runs a script for all of them."""

    def __init__(
        self, request: Callable[..., Awaitable[Any]], everywhere: Callable[..., Awaitable[Any]]
    ) -> None:
        self._request = request
        self._everywhere = everywhere

    async def look(self, *, archives: bool, more: int = 0) -> Backlog:
        return await self._look(int(archives), EACH + more)

    async def give_up(self) -> None:
        await self._look(-1, 0)

    async def _look(self, archives: int, limit: int) -> Backlog:
        replies = await self._everywhere(
            _UNARCHIVED, lambda bucket: (1, unarchived_key(bucket), "look", archives, limit)
        )
        found, whole = list[Unarchived](), float("inf")
        for count, _, flat in replies:
            pairs = zip(flat[::2], flat[1::2], strict=True)
            part = [Unarchived(name.decode(), int(at)) for name, at in pairs]
            if part and len(part) < count:
                whole = min(whole, part[-1].at)
            found += part
        return Backlog(
            count=sum(count for count, *_ in replies),
            wanted=any(wanted for _, wanted, _ in replies),
            oldest=in_order(each for each in found if each.at <= whole),
        )

    async def forget(self, user: str) -> None:
        bucket = bucket_of(user)
        await self._run(bucket, [unarchived_key(bucket)], "put", f"@{user}")

    async def done(self, entry: Unarchived, retention: int) -> bool:
        name = entry.name
        bucket = bucket_of(entry.user or name)
        keys = [unarchived_key(bucket)]
        if entry.user is None:
            keys += [put_away_key(name), *(messages_key(name, each) for each in CHANNELS)]
        return bool(await self._run(bucket, keys, "done", name, entry.at, retention))

    async def lease(self, node: str, ms: int) -> bool:
        return bool(await self._run(0, [archivist_key()], "lease", node, ms))

    async def _run(self, bucket: int, keys: list[str], *arguments: str | int) -> Any:
        return await _UNARCHIVED.run(
            self._request, bucket, len(keys), *keys, *arguments, write=True
        )


def in_order(entries: Iterable[Unarchived]) -> list[Unarchived]:
    """The oldest first."""
    return sorted(entries, key=lambda each: (each.at, each.name))


_UNARCHIVED = Script("unarchived.lua")

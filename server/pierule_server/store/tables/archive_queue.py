"""The queue for the archive: finished games, voided results, and users whose names it must forget.

An entry stays until a node has written it to the archive, so nothing is lost while the archive is
away. If any node of the store ever had an archive, a room in the queue does not expire
(`RoomLog.archive`). Otherwise games leave the queue when their rooms are forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pierule_protocol.messages import CHANNELS
from pierule_server.store.buckets import (
    archivist_key,
    bucket_of,
    messages_key,
    put_away_key,
    unarchived_key,
)
from pierule_server.store.driver.access import Access, Script

EACH = 16
"""The most entries of a bucket that one look names."""


@dataclass(frozen=True, slots=True)
class Unarchived:
    """A room that was over at `at`, in the store's ms since 1970; or a user to forget, `@USER`."""

    name: str
    at: int

    @property
    def user(self) -> str | None:
        """The user to forget; None for a room."""
        return self.name[1:] if self.name.startswith("@") else None


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: how many entries, whether a node of the store ever had an archive, and the oldest
    entries in order. They have no gap: every other entry is younger."""

    count: int
    wanted: bool
    oldest: list[Unarchived]


class ArchiveQueue:
    """The queue of a store. Every method may raise `StoreUnavailable`."""

    def __init__(self, store: Access) -> None:
        self._store = store

    async def look(self, *, archives: bool, more: int = 0) -> Backlog:
        """What waits. Once a node that `archives` has looked, the store forgets nothing before it
        is archived. `more` is how many entries the caller will skip. The answer lacks unreachable
        parts of the store."""
        return await self._look(int(archives), EACH + more)

    async def give_up(self) -> None:
        """The store has no archive any more: it may forget what waits."""
        await self._look(-1, 0)

    async def _look(self, archives: int, limit: int) -> Backlog:
        replies = await self._store.everywhere(
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
            oldest=sorted(
                (each for each in found if each.at <= whole), key=lambda each: (each.at, each.name)
            ),
        )

    async def forget(self, user: str) -> None:
        """Queue a user whose name the archive must forget."""
        bucket = bucket_of(user)
        await self._run(bucket, [unarchived_key(bucket)], "put", f"@{user}")

    async def done(self, entry: Unarchived, retention: int) -> bool:
        """The archive has this entry: remove it. The store may forget a room that is put away after
        `retention` milliseconds. False if the entry has changed since: then it stays."""
        name = entry.name
        bucket = bucket_of(entry.user or name)
        keys = [unarchived_key(bucket)]
        if entry.user is None:
            keys += [put_away_key(name), *(messages_key(name, each) for each in CHANNELS)]
        return bool(await self._run(bucket, keys, "done", name, entry.at, retention))

    async def lease(self, node: str, ms: int) -> bool:
        """Become the node that writes to the archive, for `ms` milliseconds (0: give that up).
        False if another node is it."""
        return bool(await self._run(0, [archivist_key()], "lease", node, ms))

    async def _run(self, bucket: int, keys: list[str], *arguments: str | int) -> Any:
        return await _UNARCHIVED.run(
            self._store.request, bucket, len(keys), *keys, *arguments, write=True
        )


_UNARCHIVED = Script("unarchived.lua")

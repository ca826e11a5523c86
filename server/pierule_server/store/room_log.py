"""The interface of the room log.

`append` is the only way in which a room changes (law 3). In one step it compares the place that the
caller expects with the log's end, stamps the time, continues the chain, appends and publishes. This
happens completely or not at all. An error means *unknown*: read, then answer. `put_away` changes no
room, only where and how long the log of a finished room is kept. It also compares, packs and
removes in one step, and `read` gives the same entries before and after.

To join a room without missing anything: subscribe, then read, then merge by seq (law 6).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from pierule_protocol.log.events import EMPTY, Entry, Place
from pierule_protocol.messages import Channel, ChatMessage
from pierule_server.terms import AppendOptions


class Conflict(Exception):
    """The log does not end where the caller expects; nothing was written."""


class TooLate(Exception):
    """The room's deadline had passed when the store received the entry; nothing was written."""

    def __init__(self, by: int) -> None:
        super().__init__(f"{by} ms after the deadline")
        self.by = by


class TooEarly(Exception):
    """The room's deadline has not passed; nothing was written."""


class Returned(Exception):
    """The player was seen since; nothing was written."""


class StillAwaited(Exception):
    """The player is not gone long enough yet; nothing was written."""

    def __init__(self, left: int) -> None:
        super().__init__(f"{left} ms too early")
        self.left = left


class Uncredited(Exception):
    """An outage must be given back to the room first; nothing was written."""


class StoreUnavailable(Exception):
    """The store cannot be reached or did not answer. A write may or may not have happened."""


class StoreRefused(StoreUnavailable):
    """The store refuses this now, with an error of a known `kind` (see `store.driver.errors`).
    Nothing was written."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class StoreUnusable(Exception):
    """The store cannot be started, or must not be used. The message tells an operator why."""


FINISHED_LEASE_MS = 60_000
"""Milliseconds for which a finished room belongs to the node that leased it."""


class Listener(Protocol):
    """Gets the reports of a log's subscriptions. Its methods run in the event loop and must not
    block."""

    def entry(self, room: str, entry: Entry) -> None:
        """An event was appended to a subscribed room. Reports may repeat, or be missing."""

    def note(self, room: str, text: str) -> None:
        """`announce` published a text about a subscribed room. Nothing keeps it."""

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        """A chat message came in a subscribed room, after the event with number `after`. Reports
        may repeat, or be missing."""

    def aside(self, room: str) -> None:
        """A subscribed room was put into quarantine: its log is damaged."""

    def gap(self, rooms: Collection[str]) -> None:
        """Reports about these rooms may be missing: catch up from the log."""

    def unnamed(self, room: str) -> None:
        """The log of this room was read without names of players, because the part of the store
        that knows whether they may be shown is away."""

    def reachable(self, yes: bool, trouble: str | None) -> None:
        """The store, or a part of it, does not serve, and `trouble` tells players why; or all of it
        is back (`yes`)."""


class _Nobody:
    """Ignores everything."""

    def entry(self, room: str, entry: Entry) -> None:
        pass

    def note(self, room: str, text: str) -> None:
        pass

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        pass

    def aside(self, room: str) -> None:
        pass

    def gap(self, rooms: Collection[str]) -> None:
        pass

    def unnamed(self, room: str) -> None:
        pass

    def reachable(self, yes: bool, trouble: str | None) -> None:
        pass


NOBODY: Listener = _Nobody()
"""The listener of a log that nobody uses yet."""


def holds(entries: list[Entry], place: Place, *, last: bool) -> bool:
    """The answer of `RoomLog.confirm`, from the entries read from `place.seq` on."""
    if place == EMPTY:
        return not entries
    return bool(entries) and entries[0].place == place and not (last and entries[1:])


class RoomLog(Protocol):
    """The logs of rooms in a store. Every method but `close` may raise `StoreUnavailable`."""

    def listen(self, listener: Listener) -> None:
        """Report to this listener from now on. Call this before you subscribe to anything."""
        ...

    @property
    def troubles(self) -> list[str]:
        """What an operator should fix: what is wrong with the parts of the store now, including
        parts that can be used. One sentence each."""
        ...

    def serves(self, room: str) -> bool:
        """Whether the part of the store that keeps this room answers and takes writes, as far as
        this node knows."""
        ...

    def measure(self) -> None:
        """Update the metrics of the store."""
        ...

    def now(self) -> int:
        """The store's time in ms since 1970, as the sweeps have shown it."""
        ...

    @property
    def short(self) -> bool:
        """Whether the store is so short of memory that the rest is for running games
        (`store.driver.memory_reserve`)."""
        ...

    async def append(
        self, room: str, expected: Place, record: bytes, terms: AppendOptions
    ) -> Entry:
        """Append `record` (JSON) to the log that ends at `expected` (`EMPTY` to make a room), and
        publish it.

        Raises `Conflict` if the log ends elsewhere or `terms.credit` is not what the room has lost;
        then, by `terms.timing`, `Uncredited`, `TooLate` or `TooEarly`; then, by `terms.absence`,
        `Returned` or `StillAwaited`.
        """
        ...

    def begin(
        self,
        room: str,
        expected: Place,
        record: bytes,
        terms: AppendOptions,
        then: Callable[[Entry | None], None],
    ) -> bool:
        """Begin to `append` without waiting for the store. `then` gets the entry, or None for any
        other outcome, known or not: to learn it, append again. Returns False and begins nothing if
        the store is away, or if replicas must confirm the entry."""
        ...

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        """The entries with `seq >= first`, in order, even if the room is put away; empty if there
        are none, or no such room. They lack names of users who have deleted their accounts (SPEC
        24.4). Raises CorruptLog for data that cannot be entries."""
        ...

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        """Whether the log holds the entry at `place`, as safely as an entry that was just appended.
        With `last`: whether it is the last entry. For `EMPTY`: whether there is no log. A primary
        that was replaced and does not know it still answers readers, but confirms nothing. So ask
        this before you acknowledge an entry that another node appended or whose outcome was
        unknown, and before you refuse something, or report a loss, because of the log."""
        ...

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where the logs of these rooms end, at little cost. `EMPTY` stands for a room that is put
        away or does not exist. The answer lacks unreachable parts of the store."""
        ...

    async def lease_finished(self, after: int, limit: int) -> list[str]:
        """Rooms that have been over for `after` milliseconds and are not put away, about `limit` at
        most. The caller must put them away: no other node gets them for `FINISHED_LEASE_MS`."""
        ...

    async def put_away(self, room: str, entries: list[Entry], retention: int | None) -> None:
        """Compress the log of a finished room. `entries` is the whole log. The store keeps it for
        `retention` more milliseconds (None: it deletes it), but not before the archive has it
        (`tables.archive_queue`). After that nobody can append to it. Raises `Conflict` if the log
        does not end with these entries."""
        ...

    async def recard(self, room: str, change: Callable[[bytes], bytes]) -> None:
        """If listings show the room, replace its card by what `change` makes of it. If the card has
        changed meanwhile, this calls `change` again."""
        ...

    async def subscribe(self, room: str, /) -> None:
        """Report the room's entries to the listener from now on. Returns once the store has
        confirmed the subscription."""
        ...

    async def unsubscribe(self, room: str, /) -> None:
        """Stop reporting the room's entries."""
        ...

    async def announce(self, room: str, text: str) -> None:
        """Publish a text to every subscriber of the room (presence). Nothing keeps it."""
        ...

    async def close(self) -> None:
        """Close all connections and tasks."""
        ...

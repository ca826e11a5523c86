"""The interface of the room log, and its law.

`append` is the only way in which a room changes (law 3). It compares the place that the caller
expects with the log's end, stamps the time, continues the chain, appends and publishes, in one step
that happens either completely or not at all. An error from it means *unknown*: read, then answer.
`put_away` changes no room, only where and how long the log of a finished room is kept: it compares,
packs and removes in one step as well, and `read` gives the same entries before and after.

To join a room without missing anything: subscribe, then read, then merge by seq (law 6).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from pierule_protocol.log.events import EMPTY, Entry, Place
from pierule_protocol.messages import Channel, ChatMessage, Seat
from pierule_server.terms import AppendOptions, Outage


class Conflict(Exception):
    """The log's end is not where the caller expected it; nothing was written."""


class TooLate(Exception):
    """The room's deadline had passed when the store received the entry; nothing was written."""

    def __init__(self, by: int) -> None:
        super().__init__(f"{by} ms after the deadline")
        self.by = by


class TooEarly(Exception):
    """The room's deadline has not passed; nothing was written."""


class Returned(Exception):
    """The player has been seen since; nothing was written."""


class StillAwaited(Exception):
    """The player has not been gone long enough; nothing was written."""

    def __init__(self, left: int) -> None:
        super().__init__(f"{left} ms too early")
        self.left = left


class Uncredited(Exception):
    """The room has not got back the time of an outage; nothing was written."""


class StoreUnavailable(Exception):
    """The store could not be asked or did not answer. A write may or may not have happened."""


class StoreRefused(StoreUnavailable):
    """The store refuses this now, with an error of a known `kind` (see `store.driver.errors`).
    Nothing was written."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class StoreUnusable(Exception):
    """The store cannot be started, or must not be used. The message tells an operator why."""


HEARTBEAT_MS = 500
"""Milliseconds between the heartbeats that nodes write for each bucket that has deadlines."""

STALE_MS = 2_000
"""The age in milliseconds from which a heartbeat shows that the store or all nodes were away."""

FINISHED_LEASE_MS = 60_000
"""Milliseconds for which a finished room is left to the node that leased it."""


REMEMBER_MS = 86_400_000
"""Milliseconds for which the store remembers when a player was there; longer than any bound."""


SEEN_MS = 60_000
"""Milliseconds after which a node must say again that somebody waits in an open room."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep over the deadlines found: the store's time in milliseconds, rooms whose deadline
    has passed, and rooms that get time back."""

    now: int
    due: list[str]
    lost: list[str]


class Listener(Protocol):
    """What the subscriptions of a log report to. Called in the event loop; must not block."""

    def entry(self, room: str, entry: Entry) -> None:
        """An event was appended to a subscribed room. May repeat, may leave holes."""

    def note(self, room: str, text: str) -> None:
        """`announce` said something about a subscribed room; it is kept nowhere."""

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        """A chat message came in a subscribed room, after the event whose number is `after`. May
        repeat, may leave holes."""

    def aside(self, room: str) -> None:
        """A subscribed room was put into quarantine: its log is damaged."""

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms may have been missed: catch up from the log."""

    def reachable(self, yes: bool, trouble: str | None) -> None:
        """The store, or a part of it, has not served for a moment, and `trouble` tells players why;
        or all of it is back."""


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

    def reachable(self, yes: bool, trouble: str | None) -> None:
        pass


NOBODY: Listener = _Nobody()
"""The listener of a log that nobody uses yet."""


def holds(entries: list[Entry], place: Place, *, last: bool) -> bool:
    """`RoomLog.confirm`, by what was read from `place.seq` on."""
    if place == EMPTY:
        return not entries
    return bool(entries) and entries[0].place == place and not (last and entries[1:])


class RoomLog(Protocol):
    """Rooms' logs in a store. Every method but `close` may raise `StoreUnavailable`."""

    def listen(self, listener: Listener) -> None:
        """Report to this listener from now on; call it before you subscribe to anything."""
        ...

    @property
    def troubles(self) -> list[str]:
        """What an operator should fix, in words: what is wrong with which part of the store now,
        including parts that can be used."""
        ...

    def serves(self, room: str) -> bool:
        """Whether the part of the store that keeps this room answers and takes writes, as far as is
        known."""
        ...

    def measure(self) -> None:
        """Update the metrics of the store."""
        ...

    def now(self) -> int:
        """The store's time in milliseconds, as the sweeps have shown it."""
        ...

    @property
    def short(self) -> bool:
        """Whether the remaining memory is kept for running games
        (`store.driver.memory_reserve`)."""
        ...

    async def append(
        self, room: str, expected: Place, record: bytes, terms: AppendOptions
    ) -> Entry:
        """Append `record` (JSON) to the log that ends at `expected` (`EMPTY` to make a room), and
        publish it.

        Raises `Conflict` if the log ends elsewhere or `terms.credit` is not what the room has
        lost, then `Uncredited`, `TooLate` or `TooEarly` as `terms.timing` demands, then `Returned`
        or `StillAwaited` as `terms.absence` does.
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
        """Begin to `append` without waiting for the store; `then` gets the entry, or None for any
        other outcome, known or not: append again to learn it. False, and nothing was begun, if the
        entry can only be waited for."""
        ...

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        """The entries with `seq >= first`, in order, also of a room that was put away; empty if
        there are none (or no such room). Names of users who have deleted their accounts are removed
        (SPEC 24.4). Raises CorruptLog for data that cannot be entries."""
        ...

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        """Whether the log holds the entry at `place` (with `last`: as its last one; `EMPTY`: there
        is no log), as safely as an appended one. Ask it before you acknowledge an entry that
        somebody else has appended, or whose outcome was unknown, and before you refuse something,
        or report a loss, because of what the log says: a primary that was replaced without knowing
        it answers readers, but confirms nothing."""
        ...

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where the logs of these rooms end, at little cost; `EMPTY` for a room that is put away or
        does not exist. Unreachable parts of the store are left out."""
        ...

    async def lease_finished(self, after: int, limit: int) -> list[str]:
        """Rooms that have been over for `after` milliseconds and are not put away, at most about
        `limit`. The caller has to put them away: nobody else gets them for `FINISHED_LEASE_MS`."""
        ...

    async def put_away(self, room: str, entries: list[Entry], retention: int | None) -> None:
        """Keep the log of a finished room, all of which the caller has read, in compressed form for
        `retention` more milliseconds (None: nobody wants it), or until the archive has it if that
        is still to happen (`tables.archive_queue`). From then on nothing can be appended to it.
        Raises `Conflict` if the log does not end with these entries."""
        ...

    async def recard(self, room: str, change: Callable[[bytes], bytes]) -> None:
        """If listings show the room, show it by the card that `change` makes of the present one;
        `change` is called again if the card has changed meanwhile."""
        ...

    async def sweep(self, more: int = 0) -> Sweep:
        """Write the due heartbeats and look for rooms whose time is up (law 3: this changes no
        room). Up to `more` additional rooms are returned, which the caller passes over: otherwise
        rooms that cannot be settled would hide those that can. Unreachable parts of the store are
        left out; raises `StoreUnavailable` if that is all of it."""
        ...

    async def outage(self, room: str) -> Outage | None:
        """The time that the room has lost and not got back yet."""
        ...

    async def mark_seen(self, players: Mapping[str, Collection[Seat]]) -> None:
        """Note that the players of these seats of rooms are there now. Unreachable parts of the
        store are left out."""
        ...

    async def extend(self, rooms: Mapping[str, int]) -> None:
        """Make open rooms due this many milliseconds from now, or at their later time. Unreachable
        parts of the store are left out."""
        ...

    async def seen(self, room: str) -> tuple[int, int]:
        """When the player of each seat was last there, in the store's milliseconds, or may have
        been without our knowledge (an outage); 0: never."""
        ...

    async def subscribe(self, room: str, /) -> None:
        """Report the room's entries to the listener. Returns when the store has confirmed."""
        ...

    async def unsubscribe(self, room: str, /) -> None:
        """Stop reporting them."""
        ...

    async def announce(self, room: str, text: str) -> None:
        """Publish something to every subscriber of the room that is not kept (presence)."""
        ...

    async def close(self) -> None:
        """Close all connections and tasks."""
        ...

"""The interface of the room log, and the law at it.

`append` is the only way in which a room changes (law 3): it compares the place that the caller
expects with the log's end, stamps the time, carries the chain on, appends and publishes, in one
step that either happens whole or not at all. An error from it means *unknown*: read, then answer.
`archive` changes no room, only where and how long the log of one that is over is kept: compared,
put away and removed in one step as well, and `read` gives the same entries before and after.

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
    """The player is not gone for long enough; nothing was written."""

    def __init__(self, left: int) -> None:
        super().__init__(f"{left} ms too early")
        self.left = left


class Uncredited(Exception):
    """Time was lost to an outage, and the room has not been given it back; nothing was written."""


class StoreUnavailable(Exception):
    """The store could not be asked or did not answer. A write may or may not have happened."""


class StoreRefused(StoreUnavailable):
    """The store answered that it does not do this now, by an error of a known `kind` (see
    `store.errors`). Nothing was written."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class StoreUnusable(Exception):
    """The store cannot be started, or must not be used. The message tells an operator why."""


HEARTBEAT_MS = 500
"""Milliseconds between the heartbeats that nodes write for each bucket that has deadlines."""

STALE_MS = 2_000
"""The age in milliseconds from which a heartbeat shows that the store or all nodes were away."""

ARCHIVE_LEASE_MS = 60_000
"""Milliseconds for which a finished room is left to the node that was told of it."""


REMEMBER_MS = 86_400_000
"""Milliseconds for which it is remembered when a player was there; longer than any bound."""


SEEN_MS = 60_000
"""Milliseconds for which a node need not say again that somebody waits in an open room."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep over the deadlines found: the store's time in milliseconds, rooms whose
    deadline has passed, and rooms that are to be credited."""

    now: int
    due: list[str]
    lost: list[str]


class Listener(Protocol):
    """What the subscriptions of a log report to. Called in the event loop; must not block."""

    def entry(self, room: str, entry: Entry) -> None:
        """An event was appended to a subscribed room. May repeat, may leave holes."""

    def note(self, room: str, text: str) -> None:
        """Something passing was said about a subscribed room by `announce`; kept nowhere."""

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        """A line was said in a subscribed room, after the event whose number is `after`. May
        repeat, may leave holes."""

    def aside(self, room: str) -> None:
        """A subscribed room was set aside: its log is damaged."""

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms may have been missed: catch up from the log."""

    def reachable(self, yes: bool, trouble: str | None) -> None:
        """The store, or a part of it, has not served for a moment, and `trouble` tells players why;
        or all of it is back."""


class _Nobody:
    """Hears nothing."""

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
"""Who listens to a log that nobody has begun to use."""


def holds(entries: list[Entry], place: Place, *, last: bool) -> bool:
    """`RoomLog.confirm`, by what was read from `place.seq` on."""
    if place == EMPTY:
        return not entries
    return bool(entries) and entries[0].place == place and not (last and entries[1:])


class RoomLog(Protocol):
    """Rooms' logs in a store. Every method but `close` may raise `StoreUnavailable`."""

    def listen(self, listener: Listener) -> None:
        """Tell this listener from now on; before anything is subscribed to."""
        ...

    @property
    def troubles(self) -> list[str]:
        """What an operator should mend, in words: what ails which part of the store now, and what
        is wrong with it although it can be used."""
        ...

    def serves(self, room: str) -> bool:
        """Whether the part of the store that keeps this room answers and takes writes, as far as
        is known."""
        ...

    def measure(self) -> None:
        """Bring the metrics of the store up to date."""
        ...

    def now(self) -> int:
        """The store's time in milliseconds, as the sweeps have shown it."""
        ...

    @property
    def short(self) -> bool:
        """Whether the memory that is left is kept for games that run (`store.reserve`)."""
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

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        """The entries with `seq >= first`, in order, also of an archived room; empty if there are
        none (or no such room). What users were called who have deleted their accounts is not in
        them any more (SPEC 24.4). Raises CorruptLog for what cannot be entries."""
        ...

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        """Whether the log holds the entry at `place` (with `last`: as its last one; `EMPTY`: there
        is no log), as safely as an appended one. To be asked before an entry is acknowledged that
        somebody else has appended, or that was unknown; and before anybody is refused something,
        or told of a loss, for what the log says: a primary that was replaced and does not know
        answers whoever reads, but nothing that it says is confirmed."""
        ...

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where the logs of these rooms end, at little cost; `EMPTY` for one that is archived or
        does not exist. What part of the store cannot be reached is left out."""
        ...

    async def lease_finished(self, after: int, limit: int) -> list[str]:
        """Rooms that have been over for `after` milliseconds and are not archived, at most about
        `limit`. They are the caller's to archive: nobody is told of them again for
        `ARCHIVE_LEASE_MS`."""
        ...

    async def archive(self, room: str, entries: list[Entry], retention: int) -> None:
        """Keep the log of a room that is over, all of which the caller has read, in compressed
        form for `retention` more milliseconds. From then on nothing can be appended to it.
        Raises `Conflict` if the log does not end with these entries."""
        ...

    async def recard(self, room: str, change: Callable[[bytes], bytes]) -> None:
        """Have listings show the room by the card that `change` makes of the one that they show,
        if they do; `change` is asked again when the card has become another one meanwhile."""
        ...

    async def sweep(self, more: int = 0) -> Sweep:
        """Write the heartbeats that are due and look for rooms whose time is up (law 3: this
        changes no room). So many `more` of them are named as the caller passes over: else what
        cannot be settled would hide what can. What part of the store cannot be reached is left
        out; raises `StoreUnavailable` if all of it."""
        ...

    async def outage(self, room: str) -> Outage | None:
        """What the room has lost and was not given back yet."""
        ...

    async def mark_seen(self, players: Mapping[str, Collection[Seat]]) -> None:
        """Note that the players of these seats of rooms are there now. What part of the store
        cannot be reached is left out."""
        ...

    async def extend(self, rooms: Mapping[str, int]) -> None:
        """Have open rooms not be due for so many milliseconds from now, or later, as it was. What
        part of the store cannot be reached is left out."""
        ...

    async def seen(self, room: str) -> tuple[int, int]:
        """When the player of each seat was last there, in the store's milliseconds, or might have
        been without our knowing (an outage); 0: never."""
        ...

    async def subscribe(self, room: str, /) -> None:
        """Have the listener told of the room's entries. Returns when the store has confirmed."""
        ...

    async def unsubscribe(self, room: str, /) -> None:
        """No longer."""
        ...

    async def announce(self, room: str, text: str) -> None:
        """Tell every subscriber of the room something that is not kept (presence)."""
        ...

    async def close(self) -> None:
        """Let go of all connections and tasks."""
        ...

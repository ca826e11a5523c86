"""The interface of the room log, and the law at it.

`append` is the only way in which a room changes (law 3): it compares the place that the caller
expects with the log's end, stamps the time, carries the chain on, appends and publishes, in one
step that either happens whole or not at all. An error from it means *unknown*: read, then answer.

To join a room without missing anything: subscribe, then read, then merge by seq (law 6).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from pierule_protocol.events import Entry, Place


class Conflict(Exception):
    """The log's end is not where the caller expected it; nothing was written."""


class StoreUnavailable(Exception):
    """The store could not be asked or did not answer. A write may or may not have happened."""


class StoreUnusable(Exception):
    """The store cannot be started, or must not be used. The message tells an operator why."""


class Listener(Protocol):
    """What the subscriptions of a log report to. Called in the event loop; must not block."""

    def entry(self, room: str, entry: Entry) -> None:
        """An event was appended to a subscribed room. May repeat, may leave holes."""

    def note(self, room: str, text: str) -> None:
        """Something passing was said about a subscribed room by `announce`; kept nowhere."""

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms may have been missed: catch up from the log."""


class Log(Protocol):
    """Rooms' logs in a store. Every method but `close` may raise `StoreUnavailable`."""

    async def append(
        self,
        room: str,
        expected: Place,
        record: bytes,
        *,
        card: bytes | None,
        renew: bool = False,
    ) -> Entry:
        """Append `record` (JSON) to the log that ends at `expected`, and publish it.

        `expected` is `EMPTY` to make a room. With `renew` the entry begins a new epoch. `card` is
        what listings show of the room from now on, None takes it out of them.
        Raises `Conflict` if the log ends elsewhere.
        """
        ...

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        """The entries with `seq >= first`, in order; empty if there are none (or no such room)."""
        ...

    async def cards(self, limit: int) -> list[tuple[int, bytes]]:
        """The rooms with the latest events, newest first, at most `limit`: when, and the card."""
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

"""Delivers the inboxes of users who are connected here (SPEC 23.4).

A note that is put while a user is connected comes over the store's pub/sub. A note that was put
before, or may have been missed, is read from the inbox. So a note may come twice, but always at
least once.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

import msgspec
import structlog

from pierule_protocol.messages import Challenged, Notice, Paired
from pierule_server.connections.connection import Connection
from pierule_server.lobby.turns import KIND, OFF
from pierule_server.rooms.fair_play import MARKS, fair_from
from pierule_server.store.buckets import TOPICS
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.inboxes import Inboxes

logger = structlog.get_logger()

PAUSE = 1.0
"""Seconds between two tries while the store is away."""

AT_ONCE = 32
"""Inboxes that are read at the same time."""

_messages: msgspec.json.Decoder[Paired | Challenged | Notice] = msgspec.json.Decoder(
    Paired | Challenged | Notice
)
TOLD = ("paired:", "challenge:", "declined:", "withdrawn:", KIND, OFF)
"""The kinds of notes whose text is a message to the user."""


class InboxDelivery:
    """The connections of this node by user; learns of what is put into any inbox. `told(connection,
    names)` is called with the your-turn notes that were sent to a connection. Whether they reach
    the client is another matter."""

    def __init__(self, inboxes: Inboxes, told: Callable[[Connection, list[str]], None]) -> None:
        self._inboxes = inboxes
        self._told = told
        self._connections: defaultdict[str, set[Connection]] = defaultdict(set)
        self._due: set[Connection] = set()
        self._wake = asyncio.Event()

    def enter(self, connection: Connection) -> None:
        """A connection has said hello."""
        if connection.user is not None:
            self._connections[connection.user.id].add(connection)
            self._due.add(connection)
            self._wake.set()

    def leave(self, connection: Connection) -> None:
        """It has ended."""
        self._due.discard(connection)
        if connection.user is not None:
            here = self._connections.get(connection.user.id, set())
            here.discard(connection)
            if not here:
                self._connections.pop(connection.user.id, None)

    def note(self, user: str, name: str, message: str) -> None:
        """A note was put."""
        for connection in self.of(user):
            _tell(connection, name, message)
            if name.startswith(KIND):
                self._told(connection, [name])
            elif name.startswith(MARKS):  # What follows depends on the others, too.
                self._due.add(connection)
                self._wake.set()

    def users(self) -> set[str]:
        """The users who are connected here."""
        return set(self._connections)

    def of(self, user: str) -> Collection[Connection]:
        """The connections that a user has here."""
        return self._connections.get(user, ())

    def gap(self) -> None:
        """Notes may have been missed."""
        for here in self._connections.values():
            self._due |= here
        self._wake.set()

    async def run(self, subscribe: Callable[[str], Awaitable[None]]) -> None:
        """Until cancelled."""
        await asyncio.gather(*(_subscribe(subscribe, topic) for topic in TOPICS))
        self.gap()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._due:
                some = [self._due.pop() for _ in range(min(AT_ONCE, len(self._due)))]
                if not all(await asyncio.gather(*map(self._deliver, some))):
                    await asyncio.sleep(PAUSE)

    async def _deliver(self, connection: Connection) -> bool:
        """Send what the inbox holds; False if it has to be tried again."""
        if connection.user is None or connection not in self.of(connection.user.id):
            return True  # it left before
        try:
            notes = await self._inboxes.read(connection.user.id)
        except StoreUnavailable:
            self._due.add(connection)
            return False
        for name, text in notes.items():
            _tell(connection, name, text)
        until = fair_from(notes)
        if until is not None:
            connection.send(Notice(kind="rated_from", at=until))
        turns = [name for name in notes if name.startswith(KIND)]
        if turns:
            self._told(connection, turns)
        return True


def _tell(connection: Connection, name: str, text: str) -> None:
    if name.startswith(TOLD):
        connection.send(_messages.decode(text))


async def _subscribe(subscribe: Callable[[str], Awaitable[None]], topic: str) -> None:
    while True:
        with suppress(StoreUnavailable):
            return await subscribe(topic)
        await asyncio.sleep(PAUSE)

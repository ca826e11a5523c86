"""Delivers inboxes to users who are connected here (SPEC 23.4).

If a user is connected when somebody puts a note into their inbox, the note comes by the store's
pub/sub. Older notes, and notes that may have been missed, are read from the inbox. So a note comes
at least once, and perhaps twice.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress

import msgspec
import structlog

from pierule_protocol.messages import Challenged, Notice, Paired
from pierule_server.connections.connection import Connection
from pierule_server.lobby.sessions import ENDED, check_session, send_away
from pierule_server.lobby.turns import KIND, OFF
from pierule_server.rooms.fair_play import MARKS, fair_from
from pierule_server.store.buckets import TOPICS
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Account
from pierule_server.store.tables.inboxes import Inboxes

logger = structlog.get_logger()

PAUSE = 1.0
"""Seconds between two attempts while the store does not answer."""

AT_ONCE = 32
"""Inboxes to read in parallel."""

_messages: msgspec.json.Decoder[Paired | Challenged | Notice] = msgspec.json.Decoder(
    Paired | Challenged | Notice
)
_pairing = msgspec.json.Decoder(Paired)

PAIRED = "paired:"
"""The names of notes about pairings begin with this."""

TOLD = (PAIRED, "challenge:", "declined:", "withdrawn:", KIND, OFF)
"""The text of a note is a message to the user if the note's name begins with one of these."""


class InboxDelivery:
    """Knows the connections of this node by user, and hears of all notes. It calls
    `told(connection, names)` with the your-turn notes that it sent to a connection; they may not
    reach the client. `deadline(room)` is None if the room is neither open nor running."""

    def __init__(
        self,
        inboxes: Inboxes,
        told: Callable[[Connection, list[str]], None],
        deadline: Callable[[str], Awaitable[float | None]],
    ) -> None:
        self._inboxes = inboxes
        self._told = told
        self._deadline = deadline
        self._connections: defaultdict[str, set[Connection]] = defaultdict(set)
        self._due: set[Connection] = set()
        self._entered: set[Connection] = set()
        """Those that have heard nothing yet. What these clients wait for, they ask again."""
        self._wake = asyncio.Event()

    def enter(self, connection: Connection) -> None:
        """A client has said hello."""
        if connection.user is not None:
            self._connections[connection.user.id].add(connection)
            self._due.add(connection)
            self._entered.add(connection)
            self._wake.set()

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._due.discard(connection)
        self._entered.discard(connection)
        if connection.user is not None:
            here = self._connections.get(connection.user.id, set())
            here.discard(connection)
            if not here:
                self._connections.pop(connection.user.id, None)

    def note(self, user: str, name: str, message: str) -> None:
        """Somebody has put a note into a user's inbox."""
        for connection in self.of(user):
            _tell(connection, name, message)
            if name.startswith(KIND):
                self._told(connection, [name])
            elif name.startswith(MARKS):  # what to tell depends on the user's other notes, too
                self._due.add(connection)
                self._wake.set()

    def users(self) -> set[str]:
        """The users who are connected here."""
        return set(self._connections)

    def of(self, user: str) -> Collection[Connection]:
        """The connections that a user has here."""
        return self._connections.get(user, ())

    def check_sessions(self, accounts: Mapping[str, Account]) -> None:
        """Send away the connections whose sessions have ended, by these accounts."""
        for user, account in accounts.items():
            for connection in self.of(user):
                check_session(connection, account)

    def gap(self) -> None:
        """The node may have missed notes: read all inboxes again. Clients do not ask again then, so
        they are also told of rooms that are over already."""
        for here in self._connections.values():
            self._due |= here
        self._entered.clear()
        self._wake.set()

    async def run(self, subscribe: Callable[[str], Awaitable[None]]) -> None:
        """Subscribe to the topics, then deliver inboxes until cancelled."""
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
        """Send what the inbox holds. False if the store did not answer: then it is tried again."""
        if connection.user is None or connection not in self.of(connection.user.id):
            return True  # the connection has ended meanwhile
        try:
            notes = await self._inboxes.read(connection.user.id)
            if connection in self._entered:
                notes = await self._current(notes)
        except StoreUnavailable:
            self._due.add(connection)
            return False
        self._entered.discard(connection)
        for name, text in notes.items():
            _tell(connection, name, text)
        until = fair_from(notes)
        if until is not None:
            connection.send(Notice(kind="rated_from", at=until))
        turns = [name for name in notes if name.startswith(KIND)]
        if turns:
            self._told(connection, turns)
        return True

    async def _current(self, notes: Mapping[str, str]) -> dict[str, str]:
        """The notes without the pairings whose rooms are over or forgotten: somebody who plays a
        hundred short games in the life of a note does not want all of them after each hello. If
        the user seeks with one of their nonces, the answer still has the room (SPEC 23.4)."""
        told = [name for name in notes if name.startswith(PAIRED)]
        gone = set()
        for start in range(0, len(told), AT_ONCE):
            part = told[start : start + AT_ONCE]
            rooms = (_pairing.decode(notes[name]).room for name in part)
            due = await asyncio.gather(*map(self._deadline, rooms))
            gone |= {name for name, at in zip(part, due, strict=True) if at is None}
        return {name: text for name, text in notes.items() if name not in gone}


def _tell(connection: Connection, name: str, text: str) -> None:
    if name.startswith(TOLD):
        connection.send(_messages.decode(text))
    elif name.startswith(ENDED):
        send_away(connection, name.removeprefix(ENDED))


async def _subscribe(subscribe: Callable[[str], Awaitable[None]], topic: str) -> None:
    while True:
        with suppress(StoreUnavailable):
            return await subscribe(topic)
        await asyncio.sleep(PAUSE)

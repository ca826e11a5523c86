"""What clients sent and received, frame by frame, with the time: the checker's only source.

The WebSocket below the reference client records each frame before the client handles it. None of
the client's own state may enter here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_websocket

import pierule.connection

What: TypeAlias = Literal["opened", "sent", "got", "closed"]


class JournalEntry(NamedTuple):
    """One thing that happened on a connection of a client, at a time in seconds since 1970.

    `data` is the frame, or the port for `opened`.
    """

    at: float
    connection: int
    what: What
    data: bytes | int = b""


class Journal:
    """The lines of one client, in order, over all its connections."""

    watching: ClassVar[Callable[[Journal, int, What, bytes | int], None] | None] = None
    """A callback for each line of any journal."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[JournalEntry] = []
        self.port: int | None = None
        """The port of its latest connection; None while it has none."""
        self._connections = 0

    def open(self, port: int) -> int:
        """Note a new connection; its number."""
        self._connections += 1
        self.port = port
        self.note(self._connections, "opened", port)
        return self._connections

    def note(self, connection: int, what: What, data: bytes | int = b"") -> None:
        self.lines.append(JournalEntry(time.time(), connection, what, data))
        if Journal.watching is not None:
            Journal.watching(self, connection, what, data)
        if what == "closed" and connection == self._connections:
            self.port = None


_JOURNAL: ContextVar[Journal] = ContextVar("journal")


class JournaledConnection(ClientConnection):
    """A WebSocket that records its frames in the journal of the context in which it was made."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._journal = _JOURNAL.get()
        self._number = 0

    async def handshake(self, *args: Any, **options: Any) -> None:
        await super().handshake(*args, **options)
        self._number = self._journal.open(self.remote_address[1])

    async def send(self, message: Any, *args: Any, **options: Any) -> None:
        self._journal.note(self._number, "sent", bytes(message))
        await super().send(message, *args, **options)

    async def recv(self, *args: Any, **options: Any) -> Any:
        data = await super().recv(*args, **options)
        self._journal.note(self._number, "got", data)
        return data

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._number:
            self._journal.note(self._number, "closed")


@contextmanager
def journaled(
    ping_seconds: float, watching: Callable[[Journal, int, What, bytes | int], None] | None = None
) -> Iterator[None]:
    """Record the connections of the reference client while the context lasts. It pings this often,
    so that it finds half-open connections in the time of a test."""
    Journal.watching = watching
    wire: Any = pierule.connection
    kept = wire.connect_websocket, wire.PING_SECONDS
    wire.connect_websocket = partial(connect_websocket, create_connection=JournaledConnection)
    wire.PING_SECONDS = ping_seconds
    try:
        yield
    finally:
        wire.connect_websocket, wire.PING_SECONDS = kept
        Journal.watching = None


@contextmanager
def writing(journal: Journal) -> Iterator[None]:
    """Connections made in this context, and by tasks started in it, write into the journal."""
    token = _JOURNAL.set(journal)
    try:
        yield
    finally:
        _JOURNAL.reset(token)

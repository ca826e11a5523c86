"""Connecting to a server: its address, your identity, and callbacks for unasked messages."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from ssl import SSLContext
from typing import get_args

from pierule.client import Client
from pierule.connection import Address, CodecName, Identity
from pierule.dialling import BUSY, dial_first
from pierule.news import ConnectionStatus
from pierule.session import Session
from pierule.timekeeping import Timekeeper
from pierule_protocol.messages import (
    Ping,
)


def connect(
    url: str | Sequence[str],
    *,
    name: str | None = None,
    token: str | Callable[[], str] | None = None,
    bot: bool = False,
    recovery: str | None = None,
    codec: CodecName = "msgpack",
    timeout: float = 10.0,
    patience: float = 300.0,
    on_connection: Callable[[ConnectionStatus], None] | None = None,
    on_announcement: Callable[[str, int | None], None] | None = None,
    on_paired: Callable[[str], None] | None = None,
    ssl: SSLContext | None = None,
    room: str | None = None,
) -> AbstractAsyncContextManager[Client]:
    """Connect to a server, until the end of the `async with`.

    Without a `token`, you are a new guest called `name`. `client.token` is then the token that
    makes you the same user again. If the server uses an identity provider, `token` is one of its
    tokens, or a function that returns a fresh one for each connection. `bot` says that you are a
    bot. With a `recovery` code, you are the user registered as `name`.

    A request may take `timeout` seconds, not counting time without a connection. The client makes
    a lost connection again, for up to `patience` seconds. It tries the first connection once, and
    for up to a minute if the server says that it is busy. Several URLs must be nodes of the same
    server; each try takes the next.

    `on_connection` is called when the connection is lost, when it is back, and when a busy server
    delays the first one. `on_announcement` is called with a text and the time of the announced
    event in ms since 1970 (None: no time): what the operators say, and that the server no longer
    calls your webhook, or that you have left too many rated games. `on_paired` is called with the
    id of a room in which you play without following it, because it began when nothing waited for
    it: for example, your opponent accepted a rematch after you left, or you withdrew a seek too
    late. `ssl` replaces the default context for `wss://`, for example to trust your own authority.
    `room` is the room that you want to join, if you know it: a server of several processes then
    connects you to the process where that room's other clients are.

    Entering the context raises ConnectionLost if there is no such server, and Refused if it refuses
    you. Raises ValueError for a `codec` that does not exist.
    """
    if codec not in get_args(CodecName):
        raise ValueError(f"the codec must be {' or '.join(get_args(CodecName))}, not {codec!r}")
    address = Address(deque([url] if isinstance(url, str) else url), codec, timeout, ssl, room)
    listeners = Listeners(on_connection, on_announcement, on_paired)
    return _connected(address, token, Identity(None, name, bot, recovery), patience, listeners)


@dataclass(frozen=True, slots=True)
class Listeners:
    """The callbacks for unasked messages (see `connect`)."""

    connection: Callable[[ConnectionStatus], None] | None
    announcement: Callable[[str, int | None], None] | None
    paired: Callable[[str], None] | None


@asynccontextmanager
async def _connected(
    address: Address,
    token: str | Callable[[], str] | None,
    newcomer: Identity,
    patience: float,
    listeners: Listeners,
) -> AsyncIterator[Client]:
    def who(latest: str | None) -> Identity:
        return Identity(token() if callable(token) else latest, bot=newcomer.bot)

    first = who(None if callable(token) else token)
    identity = dataclasses.replace(newcomer, token=first.token)
    wire, welcome = await dial_first(address, identity, min(patience, BUSY), listeners.connection)
    session = Session(address, wire, welcome, patience, who)
    timekeeper = Timekeeper(lambda: _ask_time(session))
    session.listeners.append(lambda news: timekeeper.restart() if news.connected else None)
    if listeners.connection is not None:
        session.listeners.append(listeners.connection)
    if listeners.announcement is not None:
        session.announcements.append(listeners.announcement)
    if listeners.paired is not None:
        session.pairings.append(listeners.paired)
    try:
        yield Client(session, timekeeper)
    finally:
        await timekeeper.stop()
        await session.close()


async def _ask_time(session: Session) -> int | None:
    return (await session.request(Ping(id=0))).now

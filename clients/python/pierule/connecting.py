"""Connecting to a server: its address, your identity, and listeners to unasked messages."""

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
    """Connect to a server and be its user until the end of the `async with`.

    Without a `token` you are a new guest called `name`; `client.token` then holds the token that
    makes you the same user again. If the server takes tokens of an identity provider, `token` is
    such a token, or a function that gives a fresh one for each connection. `bot` says that you are
    a bot. With a `recovery` code you are the user registered as `name`. A request may take
    `timeout` seconds, not counting time without a connection. A lost connection is made again
    automatically, for up to `patience` seconds; the first one is tried once, and again for up to a
    minute if the server says that it is busy. Of several URLs, which must be nodes of the same
    server, each try takes the next.

    `on_connection` is called when the connection was lost, when it is back, and when a busy server
    delays the first one. `on_announcement` is called with what the operators say, also when your
    webhook is no longer called or you have left too many rated games, and with the time of the
    announced event, in ms since 1970 (None: no time). `on_paired` is called with the id of a room
    in which you play without following it, if it began when nothing waited for it any more: a
    rematch that was accepted after you left, a seek that was withdrawn too late. `ssl` replaces the
    default context for `wss://`, to trust an authority of your own. `room` is the one that you mean
    to join, if you know it: a server of several processes then connects you where its others are.

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
    """Whom a client calls with unasked messages (see `connect`)."""

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

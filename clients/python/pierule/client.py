"""The client: what one user does on a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter, time
from typing import Literal, TypeAlias

from pierule.errors import BadReply, ConnectionLost
from pierule.live import LiveRoom
from pierule.room import Room, new_nonce
from pierule.session import Session
from pierule.wire import Address, Closed, CodecName, Unreachable, dial
from pierule_protocol.events import EMPTY
from pierule_protocol.messages import (
    Card,
    Create,
    Join,
    Ping,
    RoomsQuery,
    Seat,
    Welcome,
)

SeatChoice: TypeAlias = Seat | Literal["any"] | None


@asynccontextmanager
async def connect(
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    codec: CodecName = "msgpack",
    timeout: float = 10.0,  # noqa: ASYNC109 - for every request to come
    patience: float = 300.0,
) -> AsyncIterator[Client]:
    """Connect to a server and be its user until the end of the `async with`.

    Without a `token` one is a new guest called `name`; `client.token` then holds the token by
    which to be the same user again. `timeout` is how many seconds each request may take, not
    counting those without a connection. A connection that breaks off is made again by itself,
    for up to `patience` seconds; the first one is tried once.

    Raises ConnectionLost where there is no such server, and Refused if it does not want us.
    """
    address = Address(url, codec, timeout)
    try:
        wire, welcome = await dial(address, token, name)
    except Unreachable as error:
        raise ConnectionLost(str(error)) from error
    except Closed as error:
        raise ConnectionLost(str(error), error.code) from error
    session = Session(address, wire, welcome, patience)
    try:
        yield Client(session)
    finally:
        await session.close()


class Client:
    """One user's connection to a server, made by `connect`.

    All its requests raise Refused, TimedOut, ConnectionLost and BadReply.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._clock_offset: float | None = None

    @property
    def welcome(self) -> Welcome:
        """What the server said at the latest hello: its limits, its games."""
        return self._session.welcome

    @property
    def user(self) -> str:
        """The id of the user."""
        return self.welcome.user

    @property
    def name(self) -> str:
        """The name of the user."""
        return self.welcome.name

    @property
    def token(self) -> str:
        """Who has it is this user: keep it, and keep it secret."""
        return self.welcome.token

    @property
    def clock_offset(self) -> float | None:
        """How many milliseconds the server's clock is ahead of ours, as the latest `ping` found;
        None before the first."""
        return self._clock_offset

    async def create(self, game: str, size: int | None = None, seat: Seat | None = None) -> Room:
        """Make a room, take `seat` in it (None: none), and follow it. `size` None is the game's
        own default."""
        message = Create(id=0, nonce=new_nonce(), game=game, size=size, seat=seat)
        ok = await self._session.request(message)
        if ok.room is None:
            raise BadReply("the answer to create names no room")
        return await self.join(ok.room)

    async def join(self, room: str, seat: SeatChoice = None) -> Room:
        """Follow a room, and take a seat in it if `seat` says so (`any`: the first free one).

        The seats that one holds already are kept. Raises Desync if the room makes no sense.
        """
        session = self._session
        live = session.rooms.setdefault(room, LiveRoom(room))
        live.joins += 1
        try:
            ok = await session.request(
                Join(
                    id=0,
                    room=room,
                    seat=seat,
                    nonce=None if seat is None else new_nonce(),
                    since=live.follower.since,
                ),
                live,
            )
            async with session.limited():
                await live.reach(ok.place or EMPTY)
        finally:
            live.joins -= 1
            session.forget(live)
        return Room(session, live)

    async def rooms(self, limit: int = 50) -> list[Card]:
        """The rooms that are open or running, the latest first; 1 to 100 of them."""
        ok = await self._session.request(RoomsQuery(id=0, limit=limit))
        return ok.rooms or []

    async def ping(self) -> float:
        """Milliseconds to the server and back. Sets `clock_offset`."""
        begun = perf_counter()
        ok = await self._session.request(Ping(id=0))
        round_trip = (perf_counter() - begun) * 1000
        if ok.now is not None:
            self._clock_offset = ok.now + round_trip / 2 - time() * 1000
        return round_trip

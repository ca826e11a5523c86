"""The requests of players in a room: act, resign, claim, and agree (SPEC 6.3, 19, 25)."""

from __future__ import annotations

from pierule_protocol.messages import (
    Abort,
    Accept,
    Act,
    Agreeing,
    Claim,
    Decline,
    Offer,
    Ok,
    Resign,
    Withdraw,
)
from pierule_server.connections.connection import Connection
from pierule_server.handlers.origins import RoomOrigins
from pierule_server.handlers.table import handles
from pierule_server.identity.tokens import User
from pierule_server.lobby.turns import Turns
from pierule_server.rooms.rooms import OPENING, Rooms


class Play:
    """Handles the requests of players."""

    def __init__(self, rooms: Rooms, turns: Turns, origins: RoomOrigins) -> None:
        self._rooms = rooms
        self._turns = turns
        self._origins = origins

    @handles(Act, appends=True)
    async def act(self, connection: Connection, user: User, request: Act) -> Ok:
        ok = await self._rooms.act(user, request, connection.lag)
        if (ok.turn or 0) <= OPENING:  # pairings have no maker
            await self._origins.note(connection, request.room)
            shares = self._origins.of_games(connection, user)
            await self._rooms.unfinished.played(shares, request.room)
        await self._turns.acted(request.room)
        return ok

    @handles(Resign, appends=True)
    async def resign(self, _: Connection, user: User, request: Resign) -> Ok:
        ok = await self._rooms.resign(user, request)
        await self._turns.acted(request.room)
        return ok

    @handles(Claim, appends=True)
    async def claim(self, _: Connection, user: User, request: Claim) -> Ok:
        ok = await self._rooms.claim(user, request)
        await self._turns.acted(request.room)
        return ok

    @handles(Abort, appends=True)
    async def abort(self, _: Connection, user: User, request: Abort) -> Ok:
        return await self._agree(user, request)

    @handles(Offer, appends=True, grows=lambda request: request.what == "rematch")
    async def offer(self, _: Connection, user: User, request: Offer) -> Ok:
        return await self._agree(user, request)

    @handles(Accept, appends=True)
    async def accept(self, _: Connection, user: User, request: Accept) -> Ok:
        return await self._agree(user, request)

    @handles(Decline, appends=True)
    async def decline(self, _: Connection, user: User, request: Decline) -> Ok:
        return await self._agree(user, request)

    @handles(Withdraw, appends=True)
    async def withdraw(self, _: Connection, user: User, request: Withdraw) -> Ok:
        return await self._agree(user, request)

    async def _agree(self, user: User, request: Agreeing) -> Ok:
        ok = await self._rooms.agree(user, request)
        await self._turns.acted(request.room)
        return ok

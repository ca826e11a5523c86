"""The requests that create, follow and leave rooms (SPEC 6.1 and 6.7)."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pierule_protocol.codes import Code
from pierule_protocol.messages import Create, Join, Leave, Limits, Ok
from pierule_server.connections.affinity import Affinity
from pierule_server.connections.connection import Connection
from pierule_server.handlers.origins import RoomOrigins
from pierule_server.handlers.table import handles
from pierule_server.identity.tokens import User
from pierule_server.lobby.lobby import Lobby
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.block_lists import BlockLists


class RoomRequests:
    """Handles the requests about whole rooms. With `chat`, followers get chat messages."""

    def __init__(
        self,
        hub: Hub,
        rooms: Rooms,
        lobby: Lobby,
        block_lists: BlockLists,
        origins: RoomOrigins,
        limits: Limits,
        affinity: Affinity,
        *,
        chat: bool,
    ) -> None:
        self._hub = hub
        self._rooms = rooms
        self._lobby = lobby
        self._block_lists = block_lists
        self._origins = origins
        self._limits = limits
        self._affinity = affinity
        self._chat = chat

    @handles(Create, appends=True, grows=True)
    async def create(self, connection: Connection, user: User, request: Create) -> Ok:
        ok = await self._rooms.create(user, request, self._origins.of(connection))
        assert ok.room is not None
        await self._origins.note(connection, ok.room)
        return ok

    @handles(Join)
    async def join(self, connection: Connection, user: User, request: Join) -> None:
        def pay(price: float) -> float:
            return connection.allowance.pay(asyncio.get_running_loop().time(), price)

        room = request.room
        most = self._limits.rooms_followed
        if room not in connection.following and len(connection.following) >= most:
            raise Refused(
                Code.LIMIT, f"a connection may follow at most {most} rooms; leave some first"
            )
        if request.goto and self._affinity.sends(connection, room):
            raise Refused(Code.GOTO)
        if self._chat:
            # The room's part of the store may be up while this part is away, and its clock runs.
            with suppress(StoreUnavailable):
                connection.block_list = await self._block_lists.read(user.id)
        while True:
            answer, live, missed = await self._rooms.join(user, request, pay)
            if self._chat and live.chat_history is None:
                await self._hub.chat_recovery.hear(live)
                continue  # the answer lacks what has happened meanwhile
            if self._hub.follow(connection, live, missed, answer):
                break
        if request.seat is not None:  # if this was the last free seat, the game begins
            await self._lobby.turns.acted(room)
            await self._rooms.unfinished.played(self._origins.of_games(connection, user), room)

    @handles(Leave)
    async def leave(self, connection: Connection, _: User, request: Leave) -> Ok:
        self._hub.leave(connection, request.room)
        return Ok(id=request.id, room=request.room)

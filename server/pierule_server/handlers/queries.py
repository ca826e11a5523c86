"""The requests that change nothing (SPEC 6.4 to 6.14), and the report of a board that differs."""

from __future__ import annotations

from collections.abc import Callable

from pierule_protocol.codes import Code
from pierule_protocol.games.writing import documents
from pierule_protocol.messages import (
    BoardMismatch,
    GameQuery,
    LegalQuery,
    LogQuery,
    Ok,
    Ping,
    ReceiptQuery,
    ReplayQuery,
    RoomsQuery,
)
from pierule_server.connections.connection import Connection
from pierule_server.handlers.board_mismatches import BoardMismatches
from pierule_server.handlers.table import handles
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.making import check_game
from pierule_server.rooms.own_games import check_others
from pierule_server.rooms.receipts import Receipts
from pierule_server.rooms.replay import Replays
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.tables.memberships import Memberships


class Queries:
    """Handles the requests that change nothing. `now` gives the store's time in milliseconds."""

    def __init__(
        self, hub: Hub, rooms: Rooms, memberships: Memberships, now: Callable[[], int],
        receipts: Receipts,
    ) -> None:  # fmt: skip
        self._rooms = rooms
        self._hub = hub
        self._memberships = memberships
        self._slices = hub.slices
        self._now = now
        self._receipts = receipts
        self._reports = BoardMismatches(hub)
        self._replays = Replays()

    @handles(LegalQuery)
    async def legal(self, connection: Connection, user: User, request: LegalQuery) -> Ok:
        admitted = request.room in connection.following
        return await self._rooms.legal(user, request, admitted=admitted)

    @handles(LogQuery)
    async def log(self, connection: Connection, user: User, request: LogQuery) -> Ok:
        admitted = request.room in connection.following
        return await self._rooms.log(user, request, admitted=admitted)

    @handles(ReceiptQuery)
    async def receipt(self, connection: Connection, user: User, request: ReceiptQuery) -> Ok:
        admitted = request.room in connection.following
        return await self._receipts.sign(user, request, admitted=admitted)

    @handles(RoomsQuery)
    async def rooms(self, _: Connection, _user: User, request: RoomsQuery) -> Ok:
        return await self._rooms.cards(request)

    @handles(ReplayQuery)
    async def replay(self, _: Connection, user: User, request: ReplayQuery) -> Ok:
        if request.legal is not None:
            await check_others(self._hub, self._memberships, user, request)
        positions = await self._slices.work(self._replays.steps(request))
        return Ok(id=request.id, replay=positions)

    @handles(GameQuery)
    async def game(self, _: Connection, _user: User, request: GameQuery) -> Ok:
        written = documents()[check_game(request.game).id]
        asked = written.lessons if request.lessons else written
        if asked is None:
            raise Refused(Code.BAD_FIELD, f"{request.game} has no lessons", field="lessons")
        return Ok(id=request.id, document=asked.text)

    @handles(Ping)
    async def ping(self, _: Connection, _user: User, request: Ping) -> Ok:
        return Ok(id=request.id, now=self._now())

    @handles(BoardMismatch)
    async def report(self, connection: Connection, user: User, request: BoardMismatch) -> Ok:
        return await self._reports.take(user, connection.following, request, connection.address)

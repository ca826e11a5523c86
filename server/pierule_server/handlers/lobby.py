"""The requests that find a game or span rooms (SPEC 23)."""

from __future__ import annotations

from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    AnswerChallenge,
    CancelSeek,
    Challenge,
    MyRoomsQuery,
    Ok,
    Seek,
    SetWebhook,
    StandIn,
    WatchLobby,
    WithdrawChallenge,
)
from pierule_server.connections.connection import Connection
from pierule_server.handlers.table import handles
from pierule_server.identity.tokens import User, may_be_user
from pierule_server.lobby.lobby import Lobby
from pierule_server.rooms.decisions.decide import Refused


class LobbyRequests:
    """Handles the requests about the lobby."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby

    @handles(WatchLobby)
    async def watch(self, connection: Connection, _: User, request: WatchLobby) -> None:
        await self._lobby.watch(connection, request)

    @handles(Seek, grows=True)
    async def seek(self, connection: Connection, user: User, request: Seek) -> Ok:
        return await self._lobby.seeking.seek(connection, user, request)

    @handles(StandIn)
    async def stand_in(self, connection: Connection, user: User, request: StandIn) -> Ok:
        return await self._lobby.seeking.stand_in(connection, user, request)

    @handles(CancelSeek)
    async def cancel_seek(self, connection: Connection, user: User, request: CancelSeek) -> Ok:
        return await self._lobby.seeking.cancel_seek(connection, user, request)

    @handles(Challenge, grows=True)
    async def challenge(self, _: Connection, user: User, request: Challenge) -> Ok:
        if not (request.named or may_be_user(request.to)):
            raise Refused(Code.NO_ACCOUNT, "no user has this id", field="to")
        return await self._lobby.challenges.challenge(user, request)

    @handles(WithdrawChallenge)
    async def withdraw_challenge(self, _: Connection, user: User, request: WithdrawChallenge) -> Ok:
        return await self._lobby.challenges.withdraw(user, request)

    @handles(AnswerChallenge)
    async def answer_challenge(self, _: Connection, user: User, request: AnswerChallenge) -> Ok:
        ok = await self._lobby.challenges.answer(user, request)
        if ok.room is not None:
            await self._lobby.turns.acted(ok.room)
        return ok

    @handles(MyRoomsQuery)
    async def mine(self, _: Connection, user: User, request: MyRoomsQuery) -> Ok:
        return Ok(id=request.id, my_rooms=await self._lobby.mine(user))

    @handles(SetWebhook, grows=True)
    async def notify(self, _: Connection, user: User, request: SetWebhook) -> Ok:
        if self._lobby.webhooks is None:
            raise Refused(Code.UNKNOWN_TYPE, "this server calls no webhooks")
        return await self._lobby.webhooks.notify(user, request)

"""The requests that find a game or span rooms (SPEC 23)."""

from __future__ import annotations

import asyncio

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
from pierule_server.rooms.decisions.decide import Refused, too_soon

WITHDRAWING = 1
"""The price of a withdrawal, because its note stays for ten minutes, even without a seek."""


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
        await self._pay_for_withdrawing(connection, user, request.nonce, "seek", "unsought")
        return await self._lobby.seeking.cancel_seek(connection, user, request)

    @handles(Challenge, grows=True)
    async def challenge(self, _: Connection, user: User, request: Challenge) -> Ok:
        if not (request.named or may_be_user(request.to)):
            raise Refused(Code.NO_ACCOUNT, "no user has this id", field="to")
        return await self._lobby.challenges.challenge(user, request)

    @handles(WithdrawChallenge)
    async def withdraw_challenge(
        self, connection: Connection, user: User, request: WithdrawChallenge
    ) -> Ok:
        await self._pay_for_withdrawing(connection, user, request.nonce, "sent", "unsent")
        return await self._lobby.challenges.withdraw(user, request)

    async def _pay_for_withdrawing(
        self, connection: Connection, user: User, nonce: str, *kinds: str
    ) -> None:
        """Charge for a withdrawal. It is never refused (SPEC 1.11) if the user's inbox has a note
        of these kinds, or of a pairing: then they wait, or ask again. Raises Refused and
        StoreUnavailable."""
        wait = connection.allowance.pay(asyncio.get_running_loop().time(), WITHDRAWING)
        if wait and not await self._lobby.has_note(user, nonce, "paired", *kinds):
            raise too_soon(wait)

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

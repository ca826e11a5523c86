"""The requests that identify a client: hello, and registered names (SPEC 1.3, 1.6 and 24)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from pierule_games import GAMES
from pierule_protocol.codes import Code
from pierule_protocol.games.writing import documents
from pierule_protocol.messages import (
    PROTOCOL,
    DeleteAccount,
    DownloadAccount,
    EndSessions,
    GameOptions,
    Hello,
    Limits,
    Ok,
    Register,
    Welcome,
)
from pierule_server.connections.connection import Connection
from pierule_server.handlers.table import handles
from pierule_server.identity.bans import Bans
from pierule_server.identity.provider import KeysUnread, Provider, vouched
from pierule_server.identity.tokens import (
    BadName,
    BadToken,
    Keys,
    User,
    clean_name,
    guest_name,
    is_ours,
    new_guest,
)
from pierule_server.lobby.account_data import AccountData
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.names import Names
from pierule_server.lobby.sessions import next_session
from pierule_server.rooms.decisions.decide import Refused

logger = structlog.get_logger()

FEATURES = [
    "access", "accounts", "agreements", "analysis", "archive", "bot_levels", "challenge", "chat",
    "claim", "clocks", "delay", "evaluations", "filters", "goto", "legal", "lobby", "log",
    "presence", "rated_bots", "receipts", "replay", "rooms", "seek", "sessions", "stand_in",
    "webhooks", "why",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class House:
    """What the welcome says about this server, and whom the server accepts. A `provider` vouches
    for its users; without `guests` nobody else may enter. `features` are those that are switched
    on."""

    server: str
    limits: Limits
    features: list[str]
    provider: Provider | None = None
    guests: bool = True


class AccountRequests:
    """Handles hello and the requests about accounts."""

    def __init__(
        self, house: House, keys: Keys, names: Names, bans: Bans, lobby: Lobby, data: AccountData
    ) -> None:
        self._house = house
        self._keys = keys
        self._names = names
        self._bans = bans
        self._lobby = lobby
        self._data = data

    @handles(Hello)
    async def hello(self, connection: Connection, _: User | None, request: Hello) -> None:
        if connection.user is not None:
            raise Refused(Code.HELLO_AGAIN)
        try:
            user = await self._who(request, connection.address)
        except BadToken as error:
            raise Refused(Code.BAD_TOKEN, error.text, field="token") from None
        except KeysUnread as error:
            raise Refused(Code.UNAVAILABLE, str(error)) from None
        except BadName as error:
            raise Refused(Code.BAD_FIELD, str(error), field="name") from None
        banned = self._bans.why(user.id)
        if banned is not None:
            raise Refused(Code.BANNED, banned)
        if not connection.enter(user):
            raise Refused(Code.LIMIT, "you have too many connections at this node")
        # Operators need this to find the address of a user.
        logger.info("hello", user=user.id, address=connection.address)
        token = (request.token or "") if vouched(user.id) else self._keys.sign(user)
        connection.send(Ok(id=request.id, welcome=self._welcome(user, token)))
        self._lobby.enter(connection)

    async def _who(self, request: Hello, address: str | None) -> User:
        """The user that a client proves to be. Raises BadToken, KeysUnread, BadName and Refused;
        also StoreUnavailable, because without the accounts the server believes nobody."""
        provider = self._house.provider
        if request.token is not None and provider and not is_ours(request.token):
            user = await self._vouched_for(provider, request.token, request.name)
            return replace(user, bot=request.bot)
        if not self._house.guests:
            raise Refused(Code.NO_GUESTS)
        if request.recovery is not None:
            found = await self._names.recover(
                request.name or "", request.recovery, address, request.bot
            )
            if found is None:
                raise Refused(Code.BAD_RECOVERY, field="recovery")
            return found
        token = request.token
        user = new_guest(request.name) if token is None else self._keys.check(token)
        user = replace(user, bot=user.bot or request.bot)  # the token keeps it from now on
        if token is request.name is None:
            return user
        if request.name is not None:
            user = replace(user, name=clean_name(request.name))
        admitted = await self._names.admit(user, request.name)
        if admitted is None:
            await self._forget(user.id)  # in case the node that deleted it died halfway
            raise BadToken
        return admitted

    async def _vouched_for(self, provider: Provider, token: str, name: str | None) -> User:
        if name is not None:
            raise Refused(Code.BAD_FIELD, "your identity provider sets your name", field="name")
        user = await provider.check(token)
        *former, present = await self._names.heirs(user.id)
        for each in former:
            await self._forget(each)  # in case the node that deleted it died halfway
        if former:  # a guest's name shows a part of the id
            nameless = user.name == guest_name(user.id)
            user = User(present, guest_name(present) if nameless else user.name)
        admitted = await self._names.admit(user, None)
        if admitted is None:  # deleted since then
            raise Refused(Code.UNAVAILABLE)
        return admitted

    def _welcome(self, user: User, token: str) -> Welcome:
        return Welcome(
            protocol=PROTOCOL,
            server=self._house.server,
            user=user.id,
            name=user.name,
            token=token,
            limits=self._house.limits,
            games=[
                GameOptions(
                    name,
                    list(game.sizes),
                    game.default_size,
                    game.draws,
                    sorted(game.rules),
                    documents()[name].hash,
                )
                for name, game in GAMES.items()
            ],
            features=self._house.features,
        )

    @handles(Register, grows=True)
    async def register(self, connection: Connection, user: User, request: Register) -> Ok:
        if vouched(user.id):
            raise Refused(Code.NO_ACCOUNT, "your identity provider keeps your account")
        connection.user, ok = await self._names.register(user, request)
        return ok

    @handles(EndSessions)
    async def end_sessions(self, connection: Connection, user: User, request: EndSessions) -> Ok:
        if vouched(user.id):
            raise Refused(Code.NO_ACCOUNT, "your identity provider ends your sessions")
        if request.token is None:
            await self._names.check_session(user)
            return Ok(id=request.id, token=self._keys.sign(next_session(user)))
        # First, so that the news of the end does not close this connection, too.
        connection.user = self._in_session_of(request.token, user)
        try:
            await self._names.end_sessions(connection.user)
        except BadToken as error:
            connection.user = user
            connection.retire()  # its own session may have ended meanwhile
            raise Refused(Code.BAD_TOKEN, error.text, field="token") from None
        return Ok(id=request.id, token=self._keys.sign(connection.user))

    def _in_session_of(self, token: str, user: User) -> User:
        """The user in the session of another token of the same user. Raises Refused."""
        try:
            told = self._keys.check(token)
        except BadToken as error:
            raise Refused(Code.BAD_TOKEN, error.text, field="token") from None
        if told.id != user.id:
            raise Refused(Code.BAD_TOKEN, "this is the token of another user", field="token")
        return replace(user, session=told.session, instead=told.instead)

    @handles(DeleteAccount)
    async def delete_account(self, _: Connection, user: User, request: DeleteAccount) -> Ok:
        provider = self._house.provider
        heir = provider.heir(user.id) if provider and vouched(user.id) else ""
        ok = await self._names.delete_account(user, request, heir)
        await self._forget(user.id)
        return ok

    @handles(DownloadAccount)
    async def download_account(self, _: Connection, user: User, request: DownloadAccount) -> Ok:
        lines, after = await self._data.page(user, request.after)
        return Ok(id=request.id, lines=lines, next=after)

    async def _forget(self, user: str) -> None:
        """Remove the name of a deleted account everywhere, unless that is done already. Raises
        StoreUnavailable."""
        if not await self._names.is_forgotten(user):
            await self._lobby.forget(user)
            await self._names.note_forgotten(user)

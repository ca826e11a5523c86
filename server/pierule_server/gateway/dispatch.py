"""From a request to its one answer (law 8)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

import structlog

from pierule_games import GAMES
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import (
    PROTOCOL,
    Abort,
    Accept,
    Act,
    Agreeing,
    AnswerChallenge,
    Challenge,
    Claim,
    ClientMessage,
    Create,
    Decline,
    Error,
    GameOptions,
    Hello,
    Join,
    Leave,
    LegalQuery,
    Limits,
    LinesQuery,
    LogQuery,
    MineQuery,
    Notify,
    Offer,
    Ok,
    Ping,
    Register,
    ReplayQuery,
    Report,
    ReportLine,
    Resign,
    RoomsQuery,
    Say,
    Seek,
    Shun,
    StandIn,
    Unchallenge,
    Unregister,
    Unseek,
    WatchLobby,
    Welcome,
    Withdraw,
)
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_server import metrics
from pierule_server.gateway.bans import Bans
from pierule_server.gateway.connection import Connection
from pierule_server.gateway.connections import Connections
from pierule_server.identity.provider import KeysUnread, Provider, vouched
from pierule_server.identity.tokens import (
    BadName,
    BadToken,
    Keys,
    User,
    clean_name,
    is_ours,
    may_be_user,
    new_guest,
)
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.names import Names
from pierule_server.rooms.board_reports import BoardReports
from pierule_server.rooms.chat import Speech, shun
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.replay import Replays
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.driver.errors import KINDS
from pierule_server.store.room_log import StoreRefused, StoreUnavailable

log = structlog.get_logger()

FEATURES = [
    "access", "accounts", "challenge", "chat", "claim", "clocks", "delay", "filters", "legal",
    "lobby", "log", "manners", "notify", "presence", "replay", "rooms", "seek", "stand_in", "why",
]  # fmt: skip

APPENDING: TypeAlias = Act | Create | Resign | Agreeing | Claim
"""Requests that change a room."""


class Dispatch:
    """Answers requests. One for a node, whatever the connection. `now` tells the store's time in
    milliseconds; without `chat` nobody can say or hear anything, with it a channel keeps
    `reportable` messages. A `provider` vouches for users;
    without `guests` nobody else comes in."""

    def __init__(
        self,
        hub: Hub,
        rooms: Rooms,
        lobby: Lobby,
        now: Callable[[], int],
        keys: Keys,
        limits: Limits,
        server: str,
        connections: Connections | None = None,
        bans: Bans | None = None,
        *,
        chat: bool = True,
        reportable: int = 0,
        provider: Provider | None = None,
        guests: bool = True,
    ) -> None:
        self._hub = hub
        self._reports = BoardReports(hub)
        self._replays = Replays()
        self._rooms = rooms
        self._lobby = lobby
        self._now = now
        self._keys = keys
        self._names = Names(hub.log.accounts, lambda: keys.secret, keys.sign)
        self._limits = limits
        self._server = server
        self._connections = Connections() if connections is None else connections
        self._bans = Bans(now) if bans is None else bans
        self._provider = provider
        self._guests = guests
        self._speech = Speech(hub, limits, reportable) if chat else None

    async def answer(self, connection: Connection, request: ClientMessage) -> None:
        """Work on a request and send its answer."""
        received = time.perf_counter()
        metrics.count_request(request)
        try:
            if isinstance(request, Hello):
                connection.send(await self._hello(connection, request))
                self._lobby.enter(connection)
            elif isinstance(request, Join):
                await self._join(connection, _user(connection), request)
            elif isinstance(request, WatchLobby):
                _user(connection)
                await self._lobby.watch(connection, request)
            else:
                connection.send(await self._other(connection, _user(connection), request))
                if isinstance(request, APPENDING):
                    metrics.APPEND_SECONDS.observe(time.perf_counter() - received)
        except Refused as refused:
            connection.send(
                Error(id=request.id, code=refused.code, text=refused.text, **refused.fields)
            )
        except (StoreUnavailable, CorruptLog, UnknownGame) as error:
            connection.send(await self._failure(request, error))
        except Exception:
            # The one place where a fault of ours becomes an answer, so that it stays one request's.
            log.exception("request failed", type=type(request).__name__)
            connection.send(failure(request, Code.INTERNAL))

    async def _failure(
        self, request: ClientMessage, error: StoreUnavailable | CorruptLog | UnknownGame
    ) -> Error:
        """What is answered if the store, or what it keeps, is not as it should be."""
        match error:
            case StoreRefused(kind=kind):
                text = KINDS[kind].players
                return Error(id=request.id, code=Code.UNAVAILABLE, text=text)
            case StoreUnavailable():
                return failure(request, Code.UNAVAILABLE)
            case UnknownGame():
                return Error(id=request.id, code=Code.NOT_NOW, text=str(error))
            case CorruptLog():
                with suppress(StoreUnavailable):  # The next request finds it, too.
                    await self._hub.set_aside(error)
                return failure(request, Code.DAMAGED)

    def leave(self, connection: Connection) -> None:
        """A connection has ended: nothing is to be sent to it any more."""
        for room in list(connection.following):
            self._hub.leave(connection, room)
        self._lobby.leave(connection)

    def _check(self, request: ClientMessage) -> None:
        """Raises Refused for what cannot be done whoever asks for it."""
        if self._hub.log.short and _grows(request):
            raise Refused(Code.FULL)
        if isinstance(request, Challenge) and not (request.named or may_be_user(request.to)):
            raise Refused(Code.NO_ACCOUNT, "no user has this id", field="to")

    async def _other(self, connection: Connection, user: User, request: ClientMessage) -> Ok:
        self._check(request)
        match request:
            case Act() | Resign() | Claim() | Abort() | Offer() | Accept() | Decline() | Withdraw():
                ok = await self._play(connection, user, request)
                await self._lobby.acted(request.room)
                return ok
            case Create():
                return await self._rooms.create(user, request, self._origin(connection))
            case LegalQuery() | LogQuery() | RoomsQuery() | ReplayQuery() | Ping() | Report():
                return await self._look(connection, user, request)
            case Leave():
                self._hub.leave(connection, request.room)
                return Ok(id=request.id, room=request.room)
            case (
                Seek() | StandIn() | Unseek() | Challenge() | Unchallenge() | AnswerChallenge()
                | MineQuery() | Notify()
            ):  # fmt: skip
                return await self._lobby.answer(connection, user, request)
            case Register() | Unregister():
                return await self._name(connection, user, request)
            case Say() | LinesQuery() | ReportLine() | Shun():
                return await self._talk(connection, user, request)
            case Hello() | Join() | WatchLobby():
                raise AssertionError("answered elsewhere")

    def _origin(self, connection: Connection) -> str:
        """What stands in the store for a client's address, which nobody is to read there."""
        address = connection.address
        if address is None:
            return ""
        return (self._keys.derived(self._keys.current, f"origin {address}") or "")[:16]

    def _play(
        self, connection: Connection, user: User, request: Act | Resign | Claim | Agreeing
    ) -> Awaitable[Ok]:
        """What players do in a room."""
        match request:
            case Act():
                return self._rooms.act(user, request, connection.lag)
            case Resign():
                return self._rooms.resign(user, request)
            case Claim():
                return self._rooms.claim(user, request)
            case _:
                return self._rooms.agree(user, request)

    async def _name(self, connection: Connection, user: User, request: Register | Unregister) -> Ok:
        if vouched(user.id):
            raise Refused(Code.NO_ACCOUNT, "your identity provider keeps your account")
        match request:
            case Register():
                connection.user, ok = await self._names.register(user, request)
                return ok
            case Unregister():
                ok = await self._names.unregister(user, request)
                await self._forget(user.id)
                return ok

    async def _forget(self, user: str) -> None:
        """Take the name of a deleted account out everywhere, unless that was done. Raises
        StoreUnavailable."""
        if not await self._names.is_forgotten(user):
            await self._lobby.forget(user)
            await self._names.note_forgotten(user)

    async def _talk(
        self, connection: Connection, user: User, request: Say | LinesQuery | ReportLine | Shun
    ) -> Ok:
        if isinstance(request, Shun):
            return await shun(self._hub.log, self._connections, user, request)
        if self._speech is None:
            raise Refused(Code.CHAT_OFF)
        live = await self._hub.get(request.room)
        match request:
            case Say():
                return await self._speech.say(live, connection, request)
            case LinesQuery():
                return await self._speech.lines(live, connection, request)
            case ReportLine():
                return await self._speech.report(live, connection, request)

    async def _look(
        self,
        connection: Connection,
        user: User,
        request: LegalQuery | LogQuery | RoomsQuery | ReplayQuery | Ping | Report,
    ) -> Ok:
        """What changes nothing."""
        following = connection.following
        match request:
            case LegalQuery(room=room):
                return await self._rooms.legal(user, request, admitted=room in following)
            case LogQuery(room=room):
                return await self._rooms.log(user, request, admitted=room in following)
            case RoomsQuery():
                return await self._rooms.cards(request)
            case Ping():
                return Ok(id=request.id, now=self._now())
            case Report():
                return await self._reports.take(user, following, request)
            case ReplayQuery():
                return Ok(
                    id=request.id, replay=await self._hub.slices.work(self._replays.steps(request))
                )

    async def _join(self, connection: Connection, user: User, request: Join) -> None:
        room = request.room
        most = self._limits.rooms_followed
        if room not in connection.following and len(connection.following) >= most:
            raise Refused(Code.LIMIT, f"one connection may follow {most} rooms")
        if self._speech is not None:
            with suppress(StoreUnavailable):  # The room may be kept elsewhere, and its clock runs.
                connection.shunned = await self._hub.log.shuns.shunned(user.id)
        while True:
            answer, live, missed = await self._rooms.join(user, request)
            if self._speech is not None and live.talk is None:
                await self._hub.talks.hear(live)
                continue  # What has happened meanwhile is not in the answer.
            if self._hub.follow(connection, live, missed, answer):
                break
        if request.seat is not None:  # perhaps the last one that was free
            await self._lobby.acted(room)

    async def _hello(self, connection: Connection, request: Hello) -> Ok:
        if connection.user is not None:
            raise Refused(Code.HELLO_AGAIN)
        try:
            user = await self._who(request)
        except BadToken as error:
            raise Refused(Code.BAD_TOKEN, error.text, field="token") from None
        except KeysUnread as error:
            raise Refused(Code.UNAVAILABLE, str(error)) from None
        except BadName as error:
            raise Refused(Code.BAD_FIELD, str(error), field="name") from None
        if request.bot:  # once a bot, always one
            user = replace(user, bot=True)
        banned = self._bans.why(user.id)
        if banned is not None:
            raise Refused(Code.BANNED, banned)
        if not connection.enter(user):
            raise Refused(Code.LIMIT, "you have too many connections at this node")
        # By this an operator finds the address that belongs to a user.
        log.info("hello", user=user.id, address=connection.address)
        token = (request.token or "") if vouched(user.id) else self._keys.sign(user)
        return Ok(id=request.id, welcome=self._welcome(user, token))

    async def _who(self, request: Hello) -> User:
        """The user that a client says to be. Raises BadToken, BadName, Refused, and
        StoreUnavailable, for nobody is believed while the accounts cannot be asked."""
        if request.token is not None and self._provider and not is_ours(request.token):
            return await self._vouched_for(self._provider, request.token, request.name)
        if not self._guests:
            raise Refused(Code.NO_GUESTS)
        if request.recovery is not None:
            found = await self._names.recover(request.name or "", request.recovery)
            if found is None:
                raise Refused(Code.BAD_CODE, field="recovery")
            return found
        if request.token is None:
            user = new_guest(request.name)
            if request.name is None:
                return user
        else:
            user = self._keys.check(request.token)
        if request.name is not None:
            user = replace(user, name=clean_name(request.name))
        admitted = await self._names.admit(user, request.name)
        if admitted is None:
            await self._forget(user.id)  # The node that deleted it may have died at it.
            raise BadToken
        return admitted

    async def _vouched_for(self, provider: Provider, token: str, name: str | None) -> User:
        if name is not None:
            raise Refused(Code.BAD_FIELD, "your identity provider says your name", field="name")
        user = await self._names.admit(await provider.check(token), None)
        assert user is not None  # nobody deletes an account that is the provider's
        return user

    def _welcome(self, user: User, token: str) -> Welcome:
        return Welcome(
            protocol=PROTOCOL,
            server=self._server,
            user=user.id,
            name=user.name,
            token=token,
            limits=self._limits,
            games=[
                GameOptions(name, list(game.sizes), game.default_size, game.draws)
                for name, game in GAMES.items()
            ],
            features=[name for name in FEATURES if name not in self._lacking()],
        )

    def _lacking(self) -> set[str]:
        """The features that the operators have switched off."""
        parts = {"chat": self._speech, "notify": self._lobby.webhooks}
        return {name for name, part in parts.items() if part is None}


def _user(connection: Connection) -> User:
    if connection.user is None:
        raise Refused(Code.HELLO_FIRST)
    return connection.user


def _grows(request: ClientMessage) -> bool:
    """Whether the store would grow by more than actions make it (SPEC 1.12)."""
    match request:
        case Create() | Register() | Seek() | Challenge() | Say() | Notify():
            return True
        case Offer(what=what):
            return what == "rematch"
    return False


def failure(request: ClientMessage, code: Code) -> Error:
    """An error that is not the request's fault."""
    return Error(id=request.id, code=code, text=MEANINGS[code].text)

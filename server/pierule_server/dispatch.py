"""From a request to its one answer (law 8)."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import (
    PROTOCOL,
    Abort,
    Accept,
    Act,
    Agreeing,
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
    Offer,
    Ok,
    Ping,
    ReplayQuery,
    Report,
    ReportLine,
    Resign,
    RoomsQuery,
    Say,
    Shun,
    Welcome,
    Withdraw,
)
from pierule_rules import GAMES
from pierule_server import metrics
from pierule_server.room.bans import Bans
from pierule_server.room.chat import Speech, shun
from pierule_server.room.decide import Refused
from pierule_server.room.hub import Hub
from pierule_server.room.replay import replay
from pierule_server.room.rooms import Rooms
from pierule_server.store.log import StoreUnavailable
from pierule_server.wire.connection import Connection
from pierule_server.wire.connections import Connections
from pierule_server.wire.identity import BadName, BadToken, Keys, User, clean_name, new_guest

log = structlog.get_logger()

FEATURES = ["access", "chat", "clocks", "legal", "log", "manners", "presence", "replay", "rooms"]


class Dispatch:
    """Answers requests. One for a node, whatever the connection. `now` tells the store's time in
    milliseconds; without `chat` nobody can say or hear anything."""

    def __init__(
        self,
        hub: Hub,
        rooms: Rooms,
        now: Callable[[], int],
        keys: Keys,
        limits: Limits,
        server: str,
        connections: Connections | None = None,
        bans: Bans | None = None,
        *,
        chat: bool = True,
    ) -> None:
        self._hub = hub
        self._rooms = rooms
        self._now = now
        self._keys = keys
        self._limits = limits
        self._server = server
        self._connections = Connections() if connections is None else connections
        self._bans = Bans(now) if bans is None else bans
        self._speech = Speech(hub, limits) if chat else None

    async def answer(self, connection: Connection, request: ClientMessage) -> None:
        """Work on a request and send its answer."""
        received = time.perf_counter()
        metrics.count_request(request)
        try:
            if isinstance(request, Hello):
                connection.send(self._hello(connection, request))
            elif isinstance(request, Join):
                await self._join(connection, _user(connection), request)
            else:
                connection.send(await self._other(connection, _user(connection), request))
                if isinstance(request, Act | Create | Resign | Agreeing):
                    metrics.APPEND_SECONDS.observe(time.perf_counter() - received)
        except Refused as refused:
            connection.send(
                Error(id=request.id, code=refused.code, text=refused.text, **refused.fields)
            )
        except StoreUnavailable:
            connection.send(failure(request, Code.UNAVAILABLE))
        except Exception:
            # The one place where a fault of ours becomes an answer, so that it stays one request's.
            log.exception("request failed", type=type(request).__name__)
            connection.send(failure(request, Code.INTERNAL))

    async def _other(self, connection: Connection, user: User, request: ClientMessage) -> Ok:
        match request:
            case Act() | Create() | Resign():
                return await self._play(connection, user, request)
            case Abort() | Offer() | Accept() | Decline() | Withdraw():
                return await self._rooms.agree(user, request)
            case LegalQuery() | LogQuery() | RoomsQuery() | ReplayQuery():
                return await self._look(connection, user, request)
            case Leave():
                self._hub.leave(connection, request.room)
                return Ok(id=request.id, room=request.room)
            case Ping():
                return Ok(id=request.id, now=self._now())
            case Report():
                return _take_report(user, request)
            case Say() | LinesQuery() | ReportLine() | Shun():
                return await self._talk(connection, user, request)
            case Hello() | Join():
                raise AssertionError("answered elsewhere")

    async def _play(self, connection: Connection, user: User, request: Act | Create | Resign) -> Ok:
        match request:
            case Act():
                return await self._rooms.act(user, request, connection.lag)
            case Create():
                return await self._rooms.create(user, request)
            case Resign():
                return await self._rooms.resign(user, request)

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
        request: LegalQuery | LogQuery | RoomsQuery | ReplayQuery,
    ) -> Ok:
        following = connection.following
        match request:
            case LegalQuery(room=room):
                return await self._rooms.legal(user, request, admitted=room in following)
            case LogQuery(room=room):
                return await self._rooms.log(user, request, admitted=room in following)
            case RoomsQuery():
                return await self._rooms.cards(request.id, request.limit)
            case ReplayQuery():
                return Ok(id=request.id, replay=replay(request))

    async def _join(self, connection: Connection, user: User, request: Join) -> None:
        room = request.room
        most = self._limits.rooms_followed
        if room not in connection.following and len(connection.following) >= most:
            raise Refused(Code.LIMIT, f"one connection may follow {most} rooms")
        if self._speech is not None:
            connection.shunned = await self._hub.log.shuns.shunned(user.id)
        while True:
            answer, live, missed = await self._rooms.join(user, request)
            if self._speech is not None and live.talk is None:
                await self._hub.hear_talk(live)
                continue  # What has happened meanwhile is not in the answer.
            if self._hub.follow(connection, live, missed, answer):
                return

    def _hello(self, connection: Connection, request: Hello) -> Ok:
        if connection.user is not None:
            raise Refused(Code.HELLO_AGAIN)
        try:
            if request.token is None:
                user = new_guest(request.name)
            else:
                user = self._keys.check(request.token)
            if request.name is not None:
                user = User(user.id, clean_name(request.name))
        except BadToken:
            raise Refused(Code.BAD_TOKEN, field="token") from None
        except BadName as error:
            raise Refused(Code.BAD_FIELD, str(error), field="name") from None
        banned = self._bans.why(user.id)
        if banned is not None:
            raise Refused(Code.BANNED, banned)
        if not connection.enter(user):
            raise Refused(Code.LIMIT, "you have too many connections at this node")
        # By this an operator finds the address that belongs to a user.
        log.info("hello", user=user.id, address=connection.address)
        token = self._keys.sign(user)
        return Ok(id=request.id, welcome=self._welcome(user, token))

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
            features=[name for name in FEATURES if name != "chat" or self._speech is not None],
        )


def _user(connection: Connection) -> User:
    if connection.user is None:
        raise Refused(Code.HELLO_FIRST)
    return connection.user


def _take_report(user: User, request: Report) -> Ok:
    """A board that differs is a fault of the server's or the client's: tell the operators."""
    metrics.REPORTS.labels(request.problem).inc()
    log.error(
        "a client reports a board that differs", problem=request.problem, room=request.room,
        epoch=request.epoch, seq=request.seq, user=user.id,
    )  # fmt: skip
    return Ok(id=request.id, room=request.room)


def failure(request: ClientMessage, code: Code) -> Error:
    """An error that is not the request's fault."""
    return Error(id=request.id, code=code, text=MEANINGS[code].text)

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
    LogQuery,
    Offer,
    Ok,
    Ping,
    ReplayQuery,
    Report,
    Resign,
    RoomsQuery,
    Welcome,
    Withdraw,
)
from pierule_rules import GAMES
from pierule_server import metrics
from pierule_server.room.decide import Refused
from pierule_server.room.hub import Hub
from pierule_server.room.replay import replay
from pierule_server.room.rooms import Rooms
from pierule_server.store.log import StoreUnavailable
from pierule_server.wire.connection import Connection
from pierule_server.wire.identity import BadName, BadToken, Keys, User, clean_name, new_guest

log = structlog.get_logger()

FEATURES = ["access", "clocks", "legal", "log", "manners", "presence", "replay", "rooms"]


class Dispatch:
    """Answers requests. One for a node, whatever the connection. `now` tells the store's time in
    milliseconds."""

    def __init__(
        self,
        hub: Hub,
        rooms: Rooms,
        now: Callable[[], int],
        keys: Keys,
        limits: Limits,
        server: str,
    ) -> None:
        self._hub = hub
        self._rooms = rooms
        self._now = now
        self._keys = keys
        self._limits = limits
        self._server = server

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
            case Act():
                return await self._rooms.act(user, request, connection.lag)
            case Create():
                return await self._rooms.create(user, request)
            case Resign():
                return await self._rooms.resign(user, request)
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
            case Hello() | Join():
                raise AssertionError("answered elsewhere")

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
        while True:
            answer, live, missed = await self._rooms.join(user, request)
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
        if not connection.enter(user):
            raise Refused(Code.LIMIT, "you have too many connections at this node")
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
            features=FEATURES,
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

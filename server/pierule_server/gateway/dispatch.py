"""Answers each request once (law 8), with the handler that the table has for its type."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import structlog

from pierule_protocol import world
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import Act, ClientMessage, Error, Hello, Leave, Limits
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.connections.connections import Connections
from pierule_server.gateway.budget import READING, price_of
from pierule_server.handlers.accounts import FEATURES, AccountRequests, House
from pierule_server.handlers.chat import ChatRequests
from pierule_server.handlers.lobby import LobbyRequests
from pierule_server.handlers.origins import RoomOrigins
from pierule_server.handlers.play import Play
from pierule_server.handlers.queries import Queries
from pierule_server.handlers.rooms import RoomRequests
from pierule_server.handlers.table import Handler, table_of
from pierule_server.identity.bans import Bans
from pierule_server.identity.provider import Provider
from pierule_server.identity.tokens import Keys, User
from pierule_server.lobby.account_data import AccountData, Finished
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.names import Names
from pierule_server.lobby.sessions import Sessions
from pierule_server.rooms.decisions.decide import Refused, too_soon
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.receipts import Receipts, Signer
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.short_way import ShortWay
from pierule_server.rooms.slices import ASKER
from pierule_server.store.driver.errors import KINDS
from pierule_server.store.room_log import RoomLog, StoreRefused, StoreUnavailable
from pierule_server.store.tables.tables import Tables

logger = structlog.get_logger()


class Dispatch:
    """Answers requests. A node has one. `short_way` answers most actions; `answer` answers
    everything. With `chat`, each channel keeps `reportable` messages;
    without it there is no chat. `archive`: clients can read finished games (SPEC 27). `rate_bots`:
    games against house bots count (SPEC 30.9). For `provider` and `guests` see `House`, for
    `finished` see `AccountData`. `signer` signs receipts (SPEC 28.10)."""

    def __init__(
        self,
        hub: Hub, rooms: Rooms, lobby: Lobby, log: RoomLog, tables: Tables, keys: Keys,
        limits: Limits, server: str,
        connections: Connections | None = None, bans: Bans | None = None,
        *, chat: bool = True, reportable: int = 0, provider: Provider | None = None,
        guests: bool = True, archive: bool = False, evaluations: bool = True,
        finished: Finished | None = None, rate_bots: bool = False, signer: Signer | None = None,
    ) -> None:  # fmt: skip
        self._hub = hub
        self._lobby = lobby
        self._log = log
        self._memberships = tables.memberships
        self.short_way = ShortWay(hub, log)
        connections = Connections() if connections is None else connections
        bans = Bans(log.now) if bans is None else bans
        sessions = Sessions(tables.accounts, tables.inboxes)
        names = Names(tables.accounts, sessions, lambda: keys.secret, keys.sign)
        off = {
            "archive": not archive, "chat": not chat, "goto": not connections.affinity.on,
            "evaluations": not (archive and evaluations), "rated_bots": not rate_bots,
            "receipts": signer is None, "webhooks": lobby.webhooks is None,
        }  # fmt: skip
        features = [name for name in FEATURES if not off.get(name)]
        house = House(server, limits, features, provider, guests)
        origins = RoomOrigins(keys, tables.listing)
        data = AccountData(tables, hub.slices, finished)
        self._table = table_of(
            (
                AccountRequests(house, keys, names, bans, lobby, data),
                Play(rooms, lobby.turns, origins),
                RoomRequests(hub, rooms, lobby, tables.block_lists, origins, limits,
                             connections.affinity, chat=chat),
                LobbyRequests(lobby),
                ChatRequests(hub, tables, connections, limits, reportable, on=chat),
                Queries(hub, rooms, tables.memberships, log.now, Receipts(hub, log, signer)),
            )
        )  # fmt: skip

    async def answer(self, connection: Connection, request: ClientMessage) -> None:
        """Work on a request by the long way, and send its answer. Raises nothing."""
        received = world.monotonic()
        ASKER.set((connection.address or "", connection.user.id if connection.user else ""))
        metrics.count_request(request)
        handler = self._table[type(request)]
        try:
            self._check(connection, request, handler)
            await self._pay_for_reading(connection, request)
            ok = await handler.answer(connection, connection.user, request)
            if ok is not None:
                connection.send(ok)
            if handler.appends:
                metrics.APPEND_SECONDS.observe(world.monotonic() - received)
        except Refused as refused:
            connection.send(
                Error(id=request.id, code=refused.code, text=refused.text, **refused.fields)
            )
        except (StoreUnavailable, CorruptLog, UnknownGame) as error:
            connection.send(await self._failure(request, error))
        except Exception:
            # Here a bug becomes an answer, so it hurts only this request.
            logger.exception("request failed: please file a bug", type=type(request).__name__)
            connection.send(failure(request, Code.INTERNAL))

    def _check(self, connection: Connection, request: ClientMessage, handler: Handler) -> None:
        """Raise Refused for a request that must wait: for hello, or for memory of the store."""
        if connection.user is None and not isinstance(request, Hello):
            raise Refused(Code.HELLO_FIRST)
        if self._log.short and (handler.grows(request) or self._is_solo(request)):
            raise Refused(Code.FULL)

    async def _pay_for_reading(self, connection: Connection, request: ClientMessage) -> None:
        """Charge for a free request if the node has to read its room first. Whoever holds the room
        pays nothing (SPEC 1.11). Raises Refused."""
        room = getattr(request, "room", None)
        user = connection.user
        if room is None or room in self._hub.cache.live or user is None:
            return
        if isinstance(request, Leave) or price_of(request) or await self._may_hold(user, room):
            return
        wait = connection.allowance.pay(asyncio.get_running_loop().time(), READING)
        if wait:
            raise too_soon(wait)

    async def _may_hold(self, user: User, room: str) -> bool:
        """Whether a user holds a room, or the part of the store that knows this is away."""
        try:
            return room in {each for _, each in await self._memberships.held(user.id)}
        except StoreUnavailable:
            return True

    def _is_solo(self, request: ClientMessage) -> bool:
        """Whether it is an action of a user who plays alone: that game can wait."""
        return isinstance(request, Act) and self._hub.cache.is_solo(request.room)

    async def _failure(
        self, request: ClientMessage, error: StoreUnavailable | CorruptLog | UnknownGame
    ) -> Error:
        """The answer if the store does not answer or its data is not in order. Puts a room with a
        damaged log into quarantine."""
        match error:
            case StoreRefused(kind=kind):
                text = KINDS[kind].players
                return Error(id=request.id, code=Code.UNAVAILABLE, text=text)
            case StoreUnavailable():
                return failure(request, Code.UNAVAILABLE)
            case UnknownGame():
                return Error(id=request.id, code=Code.NO_GAME, text=str(error))
            case CorruptLog():
                with suppress(StoreUnavailable):  # the next request finds the damage again
                    await self._hub.set_aside(error)
                return failure(request, Code.DAMAGED)

    def leave(self, connection: Connection) -> None:
        """A connection has ended: leave its rooms and the lobby."""
        for room in sorted(connection.following):
            self._hub.leave(connection, room)
        self._lobby.leave(connection)


def failure(request: ClientMessage, code: Code) -> Error:
    """An error that is not the request's fault."""
    return Error(id=request.id, code=code, text=MEANINGS[code].text)

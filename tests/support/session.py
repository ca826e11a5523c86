"""One client's whole session without a network: frames go in, messages and perhaps a close code
come out. The listener, the dispatch and everything below are real; the store is the model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from websockets.protocol import OPEN, State

from pierule_protocol.codec import client_codecs
from pierule_protocol.messages import Limits, ServerMessage
from pierule_server.connections.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.listener import PATH, Listener
from pierule_server.gateway.peer_socket import PeerSocket
from pierule_server.gateway.request_queue import RequestQueue
from pierule_server.identity.tokens import Keys
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.outbound_http import OutboundHttp
from pierule_server.lobby.webhooks import Webhooks
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.settings import Settings
from support.model_store import ModelStore
from support.nodes import FaultyRoomLog, Socket, frames, opened
from support.ratings import KnownRatings

KEYS = Keys({"k": "s" * 64})
OUTWARD = OutboundHttp("public")
CODECS = client_codecs()
BOUND = 60.0
UNLIMITED = dict.fromkeys(
    ("connection_rate", "user_rate", "address_budget", "user_budget", "handshakes_per_address"), 0
)


class Script(Socket):
    """A WebSocket that delivers these messages one by one, and then ends."""

    def __init__(self, subprotocol: str, messages: Sequence[bytes | str]) -> None:
        super().__init__()
        self.subprotocol = subprotocol
        self.loop = asyncio.get_running_loop()
        self.request = None
        self._messages = messages
        self._requests: RequestQueue
        self.answered: list[int] = []

    def deliver(self, requests: RequestQueue) -> None:
        self._requests = requests

    def pause(self) -> None:
        raise AssertionError("each message waits until the one before is answered")

    def resume(self) -> None:
        pass

    def in_turn(self, begin: Callable[[], None]) -> bool:
        begin()
        return True

    async def wait_closed(self) -> None:
        for message in self._messages:
            if isinstance(message, str):
                self._requests.receive(message.encode("utf-8", "surrogatepass"), text=True)
            else:
                self._requests.receive(message, text=False)
            await self._requests.settled()
            if self.state is not OPEN:
                return
            self.answered.append(len(self.written))
            await asyncio.sleep(0)
        self.state = State.CLOSED

    async def ping(self) -> asyncio.Future[float]:
        return self.loop.create_future()


@dataclass(frozen=True)
class Outcome:
    """The server's messages after each of ours, and its close code, if it closed."""

    said: list[list[ServerMessage]]
    closed: int | None


class Playground:
    """A node without a port, for one session after the other. `playing` makes it."""

    def __init__(self, log: FaultyRoomLog, *, passed: bool = False, **settings: Any) -> None:
        chosen = Settings(**{**UNLIMITED, **settings})
        self.store = log.store
        self.log = log
        tables = self.log.tables
        self.hub = Hub("fuzz", self.log, tables, 100)
        self.log.listen(self.hub)
        self.hub.start()
        rooms = Rooms(self.hub, self.log, tables, chosen.rooms_per_user)
        limits = Limits(**{name: getattr(chosen, name) for name in Limits.__struct_fields__})
        dispatch = Dispatch(
            self.hub,
            rooms,
            Lobby(
                self.hub,
                rooms,
                self.log,
                tables,
                "fuzz",
                Standings(KnownRatings(), self.log.now),
                webhooks=Webhooks(self.hub, tables, KEYS, OUTWARD, ""),
            ),
            self.log,
            tables,
            KEYS,
            limits,
            "pierule/fuzz",
        )
        self.listener = Listener(chosen, self.hub, dispatch, Connections(), passed=passed)

    async def converse(self, subprotocol: str, messages: Sequence[bytes | str]) -> Outcome:
        """Run one session; fails if it does not end."""
        script = Script(subprotocol, messages)
        async with asyncio.timeout(BOUND):
            socket = cast("PeerSocket", script)
            self.listener.opened(socket)
            await script.wait_closed()
            await self.listener._leave(socket, script._requests)
        said, start = [], 0
        for end in [*script.answered, len(script.written)]:
            part = frames(bytes(script.written[start:end]))
            said.append([CODECS[subprotocol].decode(data) for data in part])
            start = end
        return Outcome(said, script.closed and script.closed[0])


@asynccontextmanager
async def playing(store: ModelStore | None = None, **settings: Any) -> AsyncIterator[Playground]:
    """A playground over a store."""
    async with opened(store or ModelStore()) as log:
        playground = Playground(await log(), **settings)
        try:
            yield playground
        finally:
            await asyncio.sleep(0)  # what was started is to have begun before it is ended
            await playground.hub.stop()


@asynccontextmanager
async def listening(**settings: Any) -> AsyncIterator[tuple[Playground, str]]:
    """A playground with a real port, and its address."""
    async with playing(**{"port": 0, "close_seconds": 1, **settings}) as playground:
        port = await playground.listener.start()
        try:
            yield playground, f"ws://127.0.0.1:{port}{PATH}"
        finally:
            await playground.listener.stop()

"""Nodes without sockets: hubs over one store, the model, with room logs that fail on demand."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any, Literal, TypeAlias, cast
from unittest.mock import patch

import pytest
from websockets.protocol import OPEN, State

from pierule_protocol.codec import Codec, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Entry, Holder, Place
from pierule_protocol.messages import (
    Act,
    ClientMessage,
    Create,
    Event,
    Join,
    Ok,
    Presence,
    Resign,
    RoomState,
    ServerMessage,
    Since,
    Snapshot,
)
from pierule_protocol.state.mirror import Trouble, advance, consistent
from pierule_protocol.state.room import Room
from pierule_server.connections.connection import Coalesced, Connection, WriteCoalescer
from pierule_server.connections.limits import Allowance, Users
from pierule_server.handlers.lobby import LobbyRequests
from pierule_server.handlers.table import handlers_in
from pierule_server.identity.tokens import User
from pierule_server.lobby.lobby import Lobby
from pierule_server.rooms.deadlines import DeadlineSweeper
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.store.clock import StoreClock
from pierule_server.store.driver import access
from pierule_server.store.driver.access import Access
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.deadlines import Deadlines, Sweep
from pierule_server.terms import AppendOptions, Outage
from simulation.model.serving import serving
from support.logs import folded
from support.model_store import ModelStore
from support.ratings import KnownRatings
from support.stores import PATIENT

ANNA, BERT, CARL = User("anna", "Anna"), User("bert", "Bert"), User("carl", "Carl")


def holder(user: User, *, registered: bool = False) -> Holder:
    """The user in a seat."""
    return Holder(user.id, user.name, user.bot, registered)


Fault: TypeAlias = Literal["none", "before", "after"]

_ids = count(1)


async def settle() -> None:
    """Let everything run that does not wait for time, also what the store is asked for. Fails if
    that does not end, as with a referee that looks without a pause."""
    quiet = 0
    for _ in range(10_000):
        if quiet == 30:
            return
        before = ModelStore.commands
        await asyncio.sleep(0)
        quiet = quiet + 1 if ModelStore.commands == before else 0
    raise AssertionError("something asks the store again and again, so nothing settles")


class FaultyDeadlines(Deadlines):
    """Sweeps and outages that `log` does not tell while it is away."""

    def __init__(self, store: Access, clock: StoreClock, log: FaultyRoomLog) -> None:
        super().__init__(store, clock)
        self._log = log

    async def sweep(self, more: int = 0) -> Sweep:
        self._log.answer()
        return await super().sweep(more)

    async def outage(self, room: str) -> Outage | None:
        self._log.answer()
        return await super().outage(room)


class FaultyRoomLog(RedisRoomLog):
    """`faults` says of the next appends whether the store fails `before` or `after` writing. While
    `gate` is not set, appends wait. While `away`, nothing else is answered. While `deposed`, it
    reads from the former primary, which confirms nothing and keeps nothing. It hears nothing about
    `deaf` rooms until it subscribes to them again. While `full`, it is short of memory. Its clock
    is that of its `store`."""

    def __init__(self, *how: Any) -> None:
        super().__init__(*how)
        deadlines = FaultyDeadlines(self._store, self._clock, self)
        self.tables = replace(self.tables, deadlines=deadlines)
        self.store: ModelStore
        self.faults: deque[Fault] = deque()
        self.gate = asyncio.Event()
        self.gate.set()
        self.away = False
        self.deposed: dict[str, list[Entry]] | None = None
        self.deaf: set[str] = set()
        self.full = False
        self.appends = 0
        self.reads = 0
        self.subscribed: list[str] = []
        self.unsubscribed: list[str] = []
        self.announced: list[str] = []
        hear = self._subscriptions.hear

        def unless_deaf(room: str, message: bytes) -> None:
            if room not in self.deaf:
                hear(room, message)

        self._subscriptions.hear = unless_deaf  # type: ignore[method-assign]

    def now(self) -> int:
        return self.store.now()

    @property
    def short(self) -> bool:
        return self.full

    async def append(
        self, room: str, expected: Place, record: bytes, terms: AppendOptions
    ) -> Entry:
        self.appends += 1
        await self.gate.wait()
        fault = self.faults.popleft() if self.faults else "none"
        if fault == "before" or self.deposed is not None:
            raise StoreUnavailable
        entry = await super().append(room, expected, record, terms)
        if fault == "after":
            raise StoreUnavailable
        return entry

    def begin(
        self,
        room: str,
        expected: Place,
        record: bytes,
        terms: AppendOptions,
        then: Callable[[Entry | None], None],
    ) -> bool:
        """As `append`, with its faults; the store's own way if there are none."""
        if self.gate.is_set() and not self.faults and self.deposed is None:
            self.appends += 1
            return super().begin(room, expected, record, terms, then)
        task = asyncio.ensure_future(self.append(room, expected, record, terms))
        task.add_done_callback(lambda _: then(None if task.exception() else task.result()))
        return True

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        self.reads += 1
        self.answer()
        if self.deposed is not None:
            return self.deposed.get(room, [])[max(first, 1) - 1 :]
        return await super().read(room, first)

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        if self.deposed is not None:
            raise StoreUnavailable
        return await super().confirm(room, place, last=last)

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        self.answer()
        if self.deposed is not None:
            return {room: self.deposed[room][-1].place for room in rooms if room in self.deposed}
        return await super().ends(rooms)

    async def subscribe(self, room: str, /) -> None:
        self.answer()
        self.subscribed.append(room)
        self.deaf.discard(room)
        await super().subscribe(room)

    async def unsubscribe(self, room: str, /) -> None:
        self.unsubscribed.append(room)
        await super().unsubscribe(room)

    async def announce(self, room: str, text: str) -> None:
        self.answer()
        self.announced.append(text)
        await super().announce(room, text)

    def answer(self) -> None:
        """Raise StoreUnavailable while the store is away."""
        if self.away:
            raise StoreUnavailable


class Node:
    """One server process without its port."""

    def __init__(self, log: FaultyRoomLog, name: str = "a", idle_rooms: int = 100) -> None:
        self.store = log.store
        self.log = log
        self.hub = Hub(name, self.log, self.log.tables, idle_rooms)
        self.log.listen(self.hub)
        self.hub.start()
        self.rooms = Rooms(self.hub, self.log, self.log.tables)
        self.referee = DeadlineSweeper(self.hub, self.log, self.rooms, self.log.tables.deadlines)
        self.ratings = KnownRatings()
        self.lobby = Lobby(
            self.hub, self.rooms, self.log, self.log.tables, name,
            Standings(self.ratings, self.log.now), seeks_per_user=3,
        )  # fmt: skip

    async def ask_lobby(self, connection: Connection, user: User, request: Any) -> Ok:
        """The answer to a request about the lobby."""
        handlers = dict(handlers_in(LobbyRequests(self.lobby)))
        ok = await handlers[type(request)].answer(connection, user, request)
        assert ok is not None
        return ok

    def entries(self, room: str) -> list[Entry]:
        """What the store keeps of a room."""
        return self.store.entries(room)

    def kept(self, room: str) -> Room:
        """The room as its log says, whatever the node has."""
        return folded(self.entries(room), room)

    def deafen(self, room: str) -> None:
        """Drop all publications about a room from now on."""
        self.log.deaf.add(room)

    def lose_tail(self, room: str, length: int) -> None:
        """Simulate a fail-over that leaves only this many events."""
        self.store.write_log(room, self.entries(room)[:length])

    async def live(self, room: str) -> Live:
        return await self.hub.cache.get(room)

    async def make(
        self, game: str = "loose", size: int = 5, seat: Any = 0, clock: Any = None, delay: int = 0
    ) -> str:
        """A room that Anna has made, in which she sits."""
        nonce = f"c{next(_ids)}"
        request = Create(
            id=1, nonce=nonce, game=game, size=size, seat=seat, clock=clock, delay=delay
        )
        room = (await self.rooms.create(ANNA, request)).room
        assert room is not None
        return room

    async def started(self, clock: Any = None) -> str:
        """A room in which Anna is to act at turn 3, with White."""
        room = await self.make(clock=clock)
        await self.take(BERT, room)
        for user, turn, action in ((ANNA, 0, "komi:12"), (BERT, 1, "black"), (BERT, 2, "c3")):
            await self.act(user, room, turn, action)
        return room

    async def act(self, user: User, room: str, turn: int, action: str, lag: int = 0) -> Ok:
        request = Act(id=next(_ids), room=room, turn=turn, action=action)
        return await self.rooms.act(user, request, lag)

    async def resign(self, user: User, room: str, nonce: str = "r", seat: Any = None) -> Ok:
        request = Resign(id=next(_ids), room=room, nonce=nonce, seat=seat)
        return await self.rooms.resign(user, request)

    async def take(self, user: User, room: str, seat: Any = "any", nonce: str = "s") -> Ok:
        """Take a seat without following."""
        request = Join(id=next(_ids), room=room, seat=seat, nonce=nonce)
        answer, _, _ = await self.rooms.join(user, request)
        return answer

    async def follow(
        self,
        client: Client,
        room: str,
        since: Place | None = None,
        proof: str | None = None,
        **seat: Any,
    ) -> Ok:
        """Join as a connection does; by default with a true proof of its place."""
        known = None
        if since is not None:
            place = since.epoch, since.seq, since.chain
            known = Since(*place, self.hub.proofs.of(room, *place) if proof is None else proof)
        request = Join(id=next(_ids), room=room, since=known, **seat)
        while True:
            answer, live, missed = await self.rooms.join(client.user, request)
            if self.hub.follow(client.connection, live, missed, answer):
                return answer


@asynccontextmanager
async def opened(store: ModelStore) -> AsyncIterator[Callable[[], Awaitable[FaultyRoomLog]]]:
    """Opens logs over a store, and closes them at the end."""
    # What does not answer in time is left out of a sweep. Here only the machine is slow.
    with patch.object(access, "SWEEP_SECONDS", PATIENT.request):
        async with serving(store) as url, AsyncExitStack() as closing:

            async def log() -> FaultyRoomLog:
                made = await FaultyRoomLog.open(url, timeouts=PATIENT)
                closing.push_async_callback(made.close)
                made.store = store
                return made

            yield log


@asynccontextmanager
async def running(
    number: int = 1, store: ModelStore | None = None, idle_rooms: int = 100
) -> AsyncIterator[list[Node]]:
    """Nodes over one store. A test starts their referees and lobbies if it wants them; at the end
    everything stops."""
    store = store or ModelStore()
    async with opened(store) as log:
        nodes = [Node(await log(), f"node{each}", idle_rooms) for each in range(number)]
        try:
            yield nodes
        finally:
            for node in nodes:
                await node.referee.stop()
                await node.lobby.stop()
                await node.hub.stop()


class AtOnce(WriteCoalescer):
    """Writes at once, so that a test sees what was sent."""

    def add(self, departing: Coalesced) -> None:
        departing.flush()


class Socket:
    """What a `Connection` uses of a WebSocket, without a network."""

    def __init__(self) -> None:
        self.state: State = OPEN
        self.transport = self.protocol = self
        self.coalescer = AtOnce()
        self.written = bytearray()
        self.unsent = 0
        self.closed: tuple[int, str] | None = None
        self.close_timeout = 1.0
        self.close_sent: object = None
        self.address: str | None = None

    def write(self, data: bytes) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.state = State.CLOSED

    def fail(self, code: int) -> None:
        self.closed = code, ""
        self.state = State.CLOSED

    async def wait_closed(self) -> None:
        pass

    async def close(self, code: int, reason: str) -> None:
        self.closed = code, reason
        self.state = State.CLOSED


class Client:
    """Both ends of a connection. It mirrors the rooms that it follows without any rules."""

    def __init__(
        self,
        user: User = CARL,
        name: str = "pierule.1.msgpack",
        codec: Codec[ClientMessage] | None = None,
    ) -> None:
        self.user = user
        self.socket = Socket()
        self.reads = client_codecs()[name]
        self.connection = Connection(
            cast("Any", self.socket), codec or server_codecs()[name], 1_000_000,
            Allowance(0, 0, 0, Users(0, 0, 0)),
        )  # fmt: skip
        self.connection.user = user

    def received(self) -> list[ServerMessage]:
        """All messages so far."""
        return [self.reads.decode(data) for data in frames(bytes(self.socket.written))]

    def forget(self) -> None:
        """All messages so far."""
        self.socket.written.clear()

    def events(self) -> list[Event]:
        return [message for message in self.received() if isinstance(message, Event)]

    def snapshots(self) -> list[Snapshot]:
        return [message for message in self.received() if isinstance(message, Snapshot)]

    def presence(self) -> list[Presence]:
        return [message for message in self.received() if isinstance(message, Presence)]

    def mirror(self, state: RoomState | None = None) -> RoomState:
        """The one followed room as a client knows it. Fails at a hole or a fork."""
        for message in self.received():
            if isinstance(message, Snapshot):
                assert consistent(message.state)
                state = message.state
            elif isinstance(message, Event):
                assert state is not None, "an event before the snapshot"
                after = advance(state, message)
                assert after is Trouble.DUPLICATE or isinstance(after, RoomState), after
                state = state if after is Trouble.DUPLICATE else after
        assert state is not None
        return state


def frames(data: bytes) -> list[bytes]:
    """The payloads of unmasked frames (RFC 6455, 5.2)."""
    found = []
    while data:
        assert data[0] in (0x81, 0x82), "one whole text or binary frame"
        length, start = data[1], 2
        if length >= 126:
            start = 4 if length == 126 else 10
            length = int.from_bytes(data[2:start])
        found.append(data[start : start + length])
        assert len(found[-1]) == length, "a frame is cut off"
        data = data[start + length :]
    return found


async def refused(code: Code, awaitable: Any) -> dict[str, Any]:
    """The fields of the refusal."""
    with pytest.raises(Refused) as caught:
        await awaitable
    assert caught.value.code == code
    return caught.value.fields


def placed(node: Node, room: str, answer: Ok) -> None:
    """Check that an answer's place is that of a kept event (law 4)."""
    assert answer.place in [entry.place for entry in node.entries(room)]

"""Clients that keep time: each knows the store's time by `ping` alone, sends to the millisecond,
and reconnects by itself. They are for tests of clocks; `support.peer` is simpler.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.typing import Subprotocol

from pierule_protocol.codec import client_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    PROTOCOL,
    Act,
    Error,
    Event,
    Hello,
    Join,
    Ok,
    Ping,
    Request,
    RoomState,
    Since,
    Snapshot,
)
from pierule_protocol.state.mirror import Trouble, advance, consistent

BOUND = 60.0
"""Seconds after which waiting fails."""

CODEC = client_codecs()[f"{PROTOCOL}.msgpack"]

_ids = count(1)


def wall() -> int:
    """This machine's clock in milliseconds. A store on this machine has the same."""
    return time.time_ns() // 1_000_000


class StoreTime:
    """The store's time as a client can know it: by the pings with the smallest round trips."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=50)

    def hear(self, sent: float, answered: float, now: int) -> None:
        self._samples.append((answered - sent, now + 0.5 - (sent + answered) / 2))

    @property
    def offset(self) -> float:
        """Milliseconds that the store's clock is ahead of this process's monotonic one."""
        best = sorted(self._samples)[:5]
        return median(offset for _, offset in best)

    def now(self) -> float:
        return time.monotonic() * 1_000 + self.offset


class Way:
    """How long an action takes from the client through one node to the store, as the latest actions
    have shown."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque([2.0], maxlen=15)

    def landed(self, milliseconds: float) -> None:
        self._latest.append(milliseconds)

    @property
    def milliseconds(self) -> float:
        return min(max(median(self._latest), 0.0), 50.0)


@dataclass(slots=True)
class Attempt:
    """One action as its player saw it: when it was first sent and finally answered, in milliseconds
    of this machine's clock; how often it was sent; and the answer."""

    room: str
    turn: int
    seat: int
    action: str
    sent: int
    sends: int = 0
    answered: int = 0
    answer: Ok | Error | None = None

    @property
    def flagged(self) -> bool:
        return isinstance(self.answer, Error) and self.answer.code == Code.FLAGGED


class Gone(Exception):
    """The connection ended before the answer came."""


@dataclass(slots=True)
class _Wire:
    """One connection, and the requests that wait for answers on it."""

    socket: ClientConnection
    waiting: dict[int, asyncio.Future[Ok | Error]] = field(default_factory=dict)


class TimedConnection:
    """One user's connection to the node that `where` names, reopened whenever it ends.

    `states` mirrors the followed rooms, without any rules. `faults` collects what no server may
    send.
    """

    def __init__(self, where: Callable[[], str], name: str) -> None:
        self.where = where
        self.url = ""
        self.states: dict[str, RoomState] = {}
        self.faults: list[str] = []
        self.reconnects = -1
        self.history: list[tuple[int, str]] = []
        self._name = name
        self._token: str | None = None
        self._wire: _Wire | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._news: dict[str, list[asyncio.Future[None]]] = {}

    # --- the connection ----------------------------------------------------------------------

    async def open(self) -> _Wire:
        """The present connection, or a new one that follows the same rooms."""
        async with self._opening, asyncio.timeout(BOUND):
            while self._wire is None:
                try:
                    await self._connect()
                except (OSError, EOFError, InvalidHandshake, WebSocketException, Gone):
                    await asyncio.sleep(0.05)
            return self._wire

    async def _connect(self) -> None:
        self.url = self.where()
        subprotocols = [Subprotocol(CODEC.subprotocol)]
        socket = await connect(
            self.url, subprotocols=subprotocols, compression=None, open_timeout=BOUND, max_size=None
        )
        wire = _Wire(socket)
        self._reader = asyncio.create_task(self._read(wire))
        try:
            hello = await self._ask(wire, Hello(id=next(_ids), name=self._name, token=self._token))
            assert isinstance(hello, Ok), hello
            assert hello.welcome is not None
            self._token = hello.welcome.token
            for room, state in list(self.states.items()):
                since = Since(state.epoch, state.seq, state.chain)
                joined = await self._ask(wire, Join(id=next(_ids), room=room, since=since))
                assert isinstance(joined, Ok), joined
        except BaseException:
            socket.transport.abort()
            raise
        self.reconnects += 1
        self.history.append((wall(), self.url))
        if not self._reader.done():
            self._wire = wire

    def cut(self) -> None:
        """Cut the connection without telling the server."""
        if self._wire is not None:
            self._wire.socket.transport.abort()
            self._wire = None

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.socket.close()
        if self._reader is not None:
            await self._reader

    # --- requests ----------------------------------------------------------------------------

    async def ask(self, kind: type[Request], **fields: Any) -> Ok | Error:
        """The answer to a request, which is repeated while the connection is cut or the store is
        away."""
        async with asyncio.timeout(BOUND):
            while True:
                wire = await self.open()
                try:
                    answer = await self._ask(wire, kind(id=next(_ids), **fields))
                except Gone:
                    continue
                if not isinstance(answer, Error) or answer.code != Code.UNAVAILABLE:
                    return answer

    async def do(self, kind: type[Request], **fields: Any) -> Ok:
        answer = await self.ask(kind, **fields)
        assert isinstance(answer, Ok), answer
        return answer

    async def act(self, attempt: Attempt) -> Ok | Error:
        """Play, and note when. The answer makes the outcome certain, however often the connection
        was cut before."""
        async with asyncio.timeout(BOUND):
            while True:
                wire = await self.open()
                attempt.sends += 1
                request = Act(
                    id=next(_ids), room=attempt.room, turn=attempt.turn, action=attempt.action
                )
                try:
                    answer = await self._ask(wire, request)
                except Gone:
                    continue
                if isinstance(answer, Ok) or answer.code != Code.UNAVAILABLE:
                    attempt.answered, attempt.answer = wall() + 1, answer
                    return answer

    async def ping(self, knowledge: StoreTime) -> None:
        """Learn of the store's time."""
        sent = time.monotonic() * 1_000
        answer = await self.do(Ping)
        assert answer.now is not None
        knowledge.hear(sent, time.monotonic() * 1_000, answer.now)

    async def _ask(self, wire: _Wire, request: Any) -> Ok | Error:
        future: asyncio.Future[Ok | Error] = asyncio.get_running_loop().create_future()
        wire.waiting[request.id] = future
        try:
            await wire.socket.send(CODEC.encode(request))
        except WebSocketException:
            if self._wire is wire:  # its reader may not have heard of it yet
                self._wire = None
            raise Gone from None
        return await future

    async def until(self, room: str, condition: Callable[[RoomState], bool]) -> RoomState:
        """Wait until the state of a followed room satisfies the condition."""
        try:
            async with asyncio.timeout(BOUND):
                while True:
                    await self.open()
                    state = self.states.get(room)
                    if state is not None and condition(state):
                        return state
                    news = asyncio.get_running_loop().create_future()
                    self._news.setdefault(room, []).append(news)
                    await news
        except TimeoutError:
            known = self.states.get(room)
            raise AssertionError(
                f"{room} at {wall()}: waited {BOUND} s after {known and known.place}, "
                f"{known and known.clock}, over {self.url}, reconnects: {self.history[-6:]}"
            ) from None

    # --- what comes in -----------------------------------------------------------------------

    async def _read(self, wire: _Wire) -> None:
        try:
            async for data in wire.socket:
                self._take(wire, CODEC.decode(data))
        except WebSocketException:
            pass
        finally:
            if self._wire is wire:
                self._wire = None
            for future in wire.waiting.values():
                if not future.done():
                    future.set_exception(Gone())
                    future.exception()  # who waits is told; who does not wait any more is not
            for room in list(self._news):  # so that they open the line again
                self._tell(room)

    def _take(self, wire: _Wire, message: object) -> None:
        match message:
            case Ok(id=int(request)) | Error(id=int(request)):
                future = wire.waiting.pop(request, None)
                if future is None:
                    self.faults.append(f"an answer to no request: {message}")
                elif not future.done():
                    future.set_result(message)
            case Error():
                self.faults.append(f"an error without a request: {message}")
            case Snapshot(state=state):
                if not consistent(state):
                    self.faults.append(f"a snapshot with a wrong digest: {state}")
                self.states[state.room] = state
                self._tell(state.room)
            case Event(room=room) if room in self.states:
                after = advance(self.states[room], message)
                if isinstance(after, RoomState):
                    self.states[room] = after
                    self._tell(room)
                elif after is not Trouble.DUPLICATE:
                    self.faults.append(f"{after}: {message} after {self.states[room].place}")

    def _tell(self, room: str) -> None:
        for news in self._news.pop(room, []):
            if not news.done():
                news.set_result(None)

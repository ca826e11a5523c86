"""A bare client on one WebSocket, for tests: it sends whatever it is told and checks everything it
gets.

It mirrors every room that it follows without knowing any rules, and fails as soon as an event
does not continue what it knows, or a request is answered twice. All waiting is bounded.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Any, Self, TypeAlias

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from pierule_protocol.codec import Codec, client_codecs
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import (
    Act,
    ClientMessage,
    Error,
    Event,
    Hello,
    Join,
    Ok,
    Presence,
    Request,
    RoomState,
    ServerMessage,
    Since,
    Snapshot,
    Welcome,
)
from pierule_protocol.state.mirror import Trouble, advance, consistent

BOUND = 60.0
"""Seconds after which waiting fails."""

CODECS: dict[str, Codec[ServerMessage]] = {
    name.rpartition(".")[2]: codec for name, codec in client_codecs().items()
}

Answer: TypeAlias = Ok | Error

_nonces = count(1)


def fresh_nonce() -> str:
    """A nonce that no other request of this process has."""
    return f"n{next(_nonces)}"


class Gone(Exception):
    """The connection ended while a test was waiting."""


class Peer:
    """One connection. Made by `Peer.open`; an async context that closes it.

    `states` holds every state of every followed room, in order; `received` all messages; `strays`
    the errors without an id.
    """

    def __init__(self, opened: ClientConnection, codec: Codec[ServerMessage]) -> None:
        self.socket = opened
        self.codec = codec
        self.received: list[ServerMessage] = []
        self.states: dict[str, list[RoomState]] = {}
        self.presence: dict[str, Presence] = {}
        self.answers: dict[int, Answer] = {}
        self.strays: list[Error] = []
        self.duplicates: Counter[str] = Counter()
        self.who: Welcome | None = None
        self._ids = count(1)
        self._failure: str | None = None
        self._over = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls, url: str, name: str | None = None, codec: str = "msgpack", token: str | None = None
    ) -> Self:
        """Connect and say hello."""
        peer = await cls.connect(url, codec)
        peer.who = (await peer.do(Hello, name=name, token=token)).welcome
        return peer

    async def again(self, url: str) -> Self:
        """The same user on a new connection, with the same known rooms, but following none."""
        kind = self.codec.subprotocol.rpartition(".")[2]
        peer = await self.open(url, codec=kind, token=self.token)
        for room, states in self.states.items():
            peer.states[room] = states.copy()
        return peer

    async def resume(self, room: str) -> Ok:
        """Follow a room from the known place."""
        return await self.follow(room, self.state(room).place)

    @classmethod
    async def connect(
        cls, url: str, codec: str = "msgpack", line: socket.socket | None = None
    ) -> Self:
        """Connect, and say nothing yet. `line` is a connected socket to use."""
        chosen = CODECS[codec]
        opened = await connect(
            url,
            sock=line,
            subprotocols=[Subprotocol(chosen.subprotocol)],
            compression=None,
            open_timeout=BOUND,
            close_timeout=BOUND,
            max_size=None,
        )
        return cls(opened, chosen)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close as a well-behaved client, unless it is closed."""
        if self.socket.close_code is None:  # else it is closed
            await self.socket.close()
        await self._reader

    async def vanish(self) -> None:
        """Cut the connection without telling the server."""
        self.socket.transport.abort()
        await self._reader

    async def closed(self) -> int:
        """Wait until the server has closed the connection; its close code."""
        await self.until(lambda: self._over, "the connection's end")
        code = self.socket.close_code
        assert code is not None
        return code

    # --- who one is --------------------------------------------------------------------------

    @property
    def welcome(self) -> Welcome:
        assert self.who is not None
        return self.who

    @property
    def user(self) -> str:
        return self.welcome.user

    @property
    def token(self) -> str:
        return self.welcome.token

    # --- requests ----------------------------------------------------------------------------

    def next_id(self) -> int:
        return next(self._ids)

    async def send(self, kind: type[Request], **fields: Any) -> int:
        """Send a request without waiting; its id."""
        request = kind(id=self.next_id(), **fields)
        await self.send_message(request)  # type: ignore[arg-type]
        return request.id

    async def send_message(self, request: ClientMessage) -> None:
        await self.send_raw(self.codec.encode(request))

    async def send_raw(self, data: bytes) -> None:
        """Send bytes in a frame of the kind that the codec has."""
        try:
            await self.socket.send(data, text=self.codec.text)
        except ConnectionClosed:
            raise Gone("before a request could be sent") from None

    async def answer(self, request: int) -> Answer:
        """Wait for the answer to the request with this id."""
        await self.until(lambda: request in self.answers, f"the answer to request {request}")
        return self.answers[request]

    async def ask(self, kind: type[Request], **fields: Any) -> Answer:
        """Send a request and wait for its answer."""
        return await self.answer(await self.send(kind, **fields))

    async def do(self, kind: type[Request], **fields: Any) -> Ok:
        """Send a request that must be answered with `ok`."""
        answer = await self.ask(kind, **fields)
        assert isinstance(answer, Ok), answer
        return answer

    async def refused(self, code: Code, kind: type[Request], **fields: Any) -> Error:
        """Send a request that must be refused with this code, in words."""
        answer = await self.ask(kind, **fields)
        assert isinstance(answer, Error), answer
        assert answer.code == code, answer
        assert answer.text
        return answer

    async def act(self, room: str, turn: int, action: str) -> Ok:
        return await self.do(Act, room=room, turn=turn, action=action)

    async def follow(self, room: str, since: Place | None = None, **fields: Any) -> Ok:
        """Join a room, and wait until its state is known."""
        known = None if since is None else Since(since.epoch, since.seq, since.chain)
        answer = await self.do(Join, room=room, since=known, **fields)
        await self.until(lambda: room in self.states, f"the state of {room}")
        return answer

    # --- rooms -------------------------------------------------------------------------------

    def state(self, room: str) -> RoomState:
        """The known state of the room."""
        return self.states[room][-1]

    def remember(self, state: RoomState) -> None:
        """Set the known state of a room, to resume from there."""
        self.states[state.room] = [state]

    def events(self, room: str) -> list[Event]:
        """The events of a room that were received, duplicates too."""
        return [m for m in self.received if isinstance(m, Event) and m.room == room]

    def snapshots(self, room: str) -> list[Snapshot]:
        """The snapshots of a room that were received."""
        return [m for m in self.received if isinstance(m, Snapshot) and m.state.room == room]

    async def until_turn(self, room: str, turn: int) -> RoomState:
        """Wait until the room reaches a turn."""
        return await self._until_state(room, lambda state: state.turn >= turn, f"turn {turn}")

    async def until_place(self, room: str, place: Place | None) -> RoomState:
        """Wait until the room reaches a place of its log, whatever its proof."""
        assert place is not None
        there = place.epoch, place.seq
        return await self._until_state(
            room, lambda state: (state.epoch, state.seq) >= there, f"{place}"
        )

    async def until_running(self, room: str) -> RoomState:
        return await self._until_state(room, lambda state: state.status == "running", "the start")

    async def until_over(self, room: str) -> RoomState:
        return await self._until_state(room, lambda state: state.status == "over", "the end")

    async def _until_state(
        self, room: str, condition: Callable[[RoomState], bool], what: str
    ) -> RoomState:
        await self.until(
            lambda: room in self.states and condition(self.state(room)), f"{what} of {room}"
        )
        return self.state(room)

    async def until_presence(
        self, room: str, players: tuple[bool, bool], spectators: int
    ) -> Presence:
        def told() -> bool:
            known = self.presence.get(room)
            return known is not None and (known.players, known.spectators) == (players, spectators)

        await self.until(
            told, lambda: f"{players} and {spectators}; it is {self.presence.get(room)}"
        )
        return self.presence[room]

    async def until(self, condition: Callable[[], bool], what: str | Callable[[], str]) -> None:
        """Wait until the condition holds; fail after a bound. Raises Gone if the connection ends
        before."""
        try:
            async with asyncio.timeout(BOUND):
                while True:
                    assert self._failure is None, self._failure
                    if condition():
                        return
                    if self._over:
                        raise Gone(f"closed with {self.socket.close_code} before {_text(what)}")
                    news = asyncio.get_running_loop().create_future()
                    self._waiting.add(news)
                    try:
                        await news
                    finally:
                        self._waiting.discard(news)
        except TimeoutError:
            raise AssertionError(f"waited {BOUND} s for {_text(what)}") from None

    # --- what comes in -----------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while True:
                data = await self.socket.recv()
                if isinstance(data, str) is not self.codec.text:
                    self._fail(f"a frame of the wrong kind: {data[:80]!r}")
                self._take(self.codec.decode(data))
                self._tell()
        except ConnectionClosed:
            pass
        except Exception as error:  # noqa: BLE001 - the waiting test is to fail, whatever it is
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            self._over = True
            self._tell()

    def _take(self, message: ServerMessage) -> None:
        self.received.append(message)
        match message:
            case Ok(id=request) | Error(id=int(request)):
                if request in self.answers:
                    self._fail(f"a second answer to request {request}: {message}")
                self.answers[request] = message
            case Error():
                self.strays.append(message)
            case Snapshot(state=state):
                if not consistent(state):
                    self._fail(f"a snapshot whose digest is not its position's: {state}")
                self.states.setdefault(state.room, []).append(state)
            case Event(room=room):
                self._mirror(room, message)
            case Presence(room=room):
                self.presence[room] = message

    def _mirror(self, room: str, event: Event) -> None:
        if room not in self.states:
            self._fail(f"an event of a room without a snapshot: {event}")
            return
        after = advance(self.state(room), event)
        if after is Trouble.DUPLICATE:
            self.duplicates[room] += 1
        elif isinstance(after, Trouble):
            self._fail(f"{after}: {event} after {self.state(room).place}")
        else:
            self.states[room].append(after)

    def _fail(self, why: str) -> None:
        self._failure = self._failure or why

    def _tell(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)


def _text(what: str | Callable[[], str]) -> str:
    return what if isinstance(what, str) else what()

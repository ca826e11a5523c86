"""A peer on one connection: it sends anything, judges everything that comes, and never waits
without a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import uuid4

from websockets.exceptions import ConnectionClosed

from pierule_conform.checks.inbound import Inbound, Message
from pierule_conform.checks.raw_connection import RawConnection
from pierule_conform.checks.registry import Failed
from pierule_conform.checks.watch import Watcher

TRIES = 8
"""How often to send a request, if the server asks for it again."""


def nonce() -> str:
    """A fresh nonce."""
    return uuid4().hex


class Peer:
    """One connection. `inbox` holds all messages that came, `states` all states of each room in
    order; `welcome` is empty before hello."""

    def __init__(self, connection: RawConnection, watcher: Watcher, seconds: float) -> None:
        self.connection = connection
        self.inbound = Inbound(connection, watcher)
        self.inbox = self.inbound.inbox
        self.states = self.inbound.states
        self.welcome: dict[str, Any] = {}
        self.last_sent: Any = None
        self.closed = False
        self._seconds = seconds
        self._ids = count(1)
        self._waiting: set[asyncio.Future[None]] = set()
        self._reader = asyncio.create_task(self._read())

    # --- requests and answers ------------------------------------------------------------------

    async def send(self, type_: str, **fields: Any) -> int:
        """Send a request. Returns its id."""
        id_ = fields.pop("id", None) or next(self._ids)
        message = {"type": type_, "id": id_, **fields}
        self.inbound.asked[id_] = self.last_sent = message
        try:
            await self.connection.send(message)
        except ConnectionClosed:
            raise Failed("an open connection", self._ended(), message) from None
        return id_

    async def answer(self, id_: int, seconds: float = 0) -> Message:
        """The answer to a request that was sent."""
        sent = self.inbound.asked.get(id_, self.inbound.answers.get(id_))
        await self.until(
            lambda: id_ in self.inbound.answers, f"an answer to id {id_}", seconds, sent
        )
        return self.inbound.answers[id_]

    async def ask(self, type_: str, **fields: Any) -> Message:
        """Send a request and wait for its answer. A request that is refused for its rate, or
        because the store is away, is sent again (SPEC 7): that is no fault of the server."""
        for _ in range(TRIES):
            answer = await self.answer(await self.send(type_, **fields))
            wait = answer.get("retry_ms", 500)
            if answer.get("code") not in ("rate", "unavailable") or type(wait) is not int:
                break
            await asyncio.sleep(wait / 1_000)
        return answer

    async def ok(self, type_: str, **fields: Any) -> Message:
        """Send a request that must succeed."""
        answer = await self.ask(type_, **fields)
        if answer["type"] != "ok":
            raise Failed("ok", answer, {"type": type_, **fields})
        return answer

    async def refused(self, code: str, type_: str, **fields: Any) -> Message:
        """Send a request that must be refused."""
        answer = await self.ask(type_, **fields)
        self.expect_code(answer, code, {"type": type_, **fields})
        return answer

    def expect_code(self, answer: Message, code: str, sent: Any = None) -> None:
        if (answer["type"], answer.get("code")) != ("error", code):
            raise Failed(f"error {code}", answer, sent if sent is not None else self.last_sent)

    async def hello(self, **fields: Any) -> dict[str, Any]:
        """Say hello. Returns the welcome."""
        self.welcome = dict((await self.ok("hello", **fields)).get("welcome") or {})
        return self.welcome

    async def raw(self, message: Any) -> Message:
        """Send a message of any shape. Returns the next answer or error, whatever its id."""
        mark = len(self.inbox)
        self.last_sent = message
        if isinstance(message, dict) and type(message.get("id")) is int:
            self.inbound.asked[message["id"]] = message
        await self.connection.send(message)
        return await self.next("ok", "error", after=mark)

    async def frame(self, data: bytes) -> Message:
        """Send the bytes of a frame. Returns the next answer or error, whatever its id."""
        mark = len(self.inbox)
        self.last_sent = data
        await self.connection.raw(data)
        return await self.next("ok", "error", after=mark)

    def expects(self, id_: int, message: Message) -> None:
        """A request with this id is about to go out as bytes."""
        self.inbound.asked[id_] = message

    # --- rooms -----------------------------------------------------------------------------------

    async def join(self, room: str, **fields: Any) -> Message:
        """Follow a room, and wait for its snapshot if that is what must come."""
        mark = len(self.inbox)
        answer = await self.ok("join", room=room, **fields)
        if not answer.get("resumed"):
            await self.next("snapshot", after=mark, room=room)
        return answer

    def know(self, room: str, state: dict[str, Any]) -> None:
        """Start with a state that another peer came to; the next join goes on from there."""
        self.states[room] = [state]

    def state(self, room: str) -> dict[str, Any]:
        """The latest state of a room."""
        states = self.states.get(room)
        if not states:
            raise Failed("a snapshot that can be read", self.inbox[-1:], self.last_sent)
        return states[-1]

    async def until_turn(self, room: str, turn: int) -> dict[str, Any]:
        """Wait until the room's events have led to a turn."""
        await self.until(lambda: self.state(room)["turn"] >= turn, f"events up to turn {turn}")
        return self.state(room)

    async def until_status(self, room: str, status: str, seconds: float = 0) -> dict[str, Any]:
        def reached() -> bool:
            return bool(self.state(room)["status"] == status)

        await self.until(reached, f"an event that makes the room {status}", seconds)
        return self.state(room)

    # --- waiting ---------------------------------------------------------------------------------

    def of(self, *types: str, after: int = 0, room: str | None = None) -> list[Message]:
        """The messages of some types, without the inbox's first `after`."""
        return [m for m in self.inbox[after:] if m["type"] in types and room in (None, room_of(m))]

    async def next(self, *types: str, after: int, room: str | None = None) -> Message:
        """Wait for the first message of some types, without the inbox's first `after`."""
        words = " or ".join(types)
        await self.until(lambda: bool(self.of(*types, after=after, room=room)), f"{words}")
        return self.of(*types, after=after, room=room)[0]

    async def until(
        self, condition: Callable[[], bool], what: str, seconds: float = 0, sent: Any = None
    ) -> None:
        """Wait until what came satisfies the condition."""
        seconds = seconds or self._seconds
        sent = sent or self.last_sent
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    if self.closed:
                        raise Failed(what, self._ended(), sent)
                    future = asyncio.get_running_loop().create_future()
                    self._waiting.add(future)
                    try:
                        await future
                    finally:
                        self._waiting.discard(future)
        except TimeoutError:
            last = self.inbox[-1] if self.inbox else "nothing"
            raise Failed(
                what, f"not within {seconds:g} s; the last message was {last}", sent
            ) from None

    async def until_closed(self, code: int, seconds: float = 0) -> None:
        """Wait until the server has closed the connection, with this code."""
        sent = self.last_sent
        await self.until(lambda: self.closed, f"a close with {code}", seconds)
        if self.connection.socket.close_code != code:
            raise Failed(f"a close with {code}", self._ended(), sent)

    async def settled(self) -> int:
        """Wait until all that was sent before the answer to a ping has come. Returns the inbox's
        length."""
        await self.ok("ping")
        return len(self.inbox)

    async def close(self) -> None:
        """Close the connection, and wait until the reader has ended."""
        await self.connection.socket.close()
        await self._reader

    async def vanish(self) -> None:
        """Cut the connection silently."""
        self.connection.socket.transport.abort()
        await self._reader

    def _ended(self) -> str:
        socket = self.connection.socket
        return f"the connection ended with {socket.close_code} {socket.close_reason}".rstrip()

    # --- what comes ------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while True:
                data = await self.connection.socket.recv()
                self.inbound.take(data)
                self._wake()
        except ConnectionClosed:
            self.closed = True
            self._wake()

    def _wake(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_result(None)


def room_of(message: Message) -> Any:
    """The room that a message is about."""
    state = message.get("state")
    return state.get("room") if isinstance(state, dict) else message.get("room")

"""Connections to one server of the store, and the one that all requests share.

redis-py connects (address, TLS, credentials). Then `RespConnection` takes over the transport and
feeds hiredis straight from the socket. All commands of one turn of the event loop leave in one
write.

Replies come in the order of the commands, and only the order says which reply belongs to which
command. So no command of a `Pipeline` may lose its place: if a request gets no answer in time, the
connection ends, and with it every pending request. What they did is unknown (law 3).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import hiredis
from redis.asyncio.connection import DefaultParser
from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import InvalidResponse, RedisError
from redis.exceptions import TimeoutError as StoreTimeoutError

Command: TypeAlias = tuple[str | bytes | int, ...]
Reply: TypeAlias = Any
"""A reply as hiredis gives it: int, bytes, None, a list of replies, or a `RedisError`."""

MOST = 20_000
"""The most pending exchanges (law 10). No store could answer more in time."""

_NOTHING = object()


class RespConnection(asyncio.Protocol):
    """A connection that passes each reply, including error replies, to `take`.

    When the connection ends, `ended` gets the reason as its exception.
    """

    def __init__(self, take: Callable[[Reply], None]) -> None:
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._reader = hiredis.Reader(
            protocolError=InvalidResponse,
            replyError=DefaultParser.parse_error,
            notEnoughData=_NOTHING,
        )
        self._writer: asyncio.StreamWriter
        self._outbox: list[bytes] = []
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self.ended.add_done_callback(asyncio.Future.exception)  # nobody may be waiting for it

    @classmethod
    async def over(cls, connection: Any, take: Callable[[Reply], None]) -> RespConnection:
        """Connect redis-py's `connection` (it has no types) and take over its transport. Raises
        `RedisError` or `OSError`."""
        resp = cls(take)
        try:
            await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        # Keep the writer: if redis-py closed it or the collector took it, the transport would
        # close.
        resp._writer, connection._writer = connection._writer, None  # noqa: SLF001
        resp._writer.transport.set_protocol(resp)
        return resp

    def send(self, command: Command) -> None:
        """Send a command at the end of this turn of the loop, together with all others."""
        if not self._outbox:
            self._loop.call_soon(self._flush)
        self._outbox.append(hiredis.pack_command(command))  # type: ignore[arg-type]  # any length

    def _flush(self) -> None:
        if not self.ended.done():
            self._writer.transport.write(b"".join(self._outbox))
        self._outbox.clear()

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        # An exception here (a malformed reply, or a bug in `take`) ends the connection with it.
        while not self.ended.done():
            reply = self._reader.gets()
            if reply is _NOTHING:
                return
            self._take(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self.close(exc or StoreConnectionError("the store closed the connection"))

    def close(self, reason: Exception) -> None:
        """End the connection now. Pending commands get no answer."""
        if not self.ended.done():
            self.ended.set_exception(reason)
            self._writer.transport.abort()


class _Exchange:
    """Commands that belong together, and the replies to them so far."""

    __slots__ = ("began", "count", "future", "replies")

    def __init__(self, future: asyncio.Future[list[Reply]], count: int, began: float) -> None:
        self.future = future
        self.count = count
        self.began = began
        self.replies: list[Reply] = []


class Pipeline:
    """A connection to a server, made on demand. `connection` gives a connection of redis-py that is
    not connected yet. `connect` and `answer` are bounds in seconds."""

    def __init__(self, connection: Callable[[], Any], connect: float, answer: float) -> None:
        self._connection = connection
        self._connect_seconds = connect
        self._seconds = answer
        self._resp: RespConnection | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._unsent: list[Command] = []
        self._waiting: deque[_Exchange] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def exchange(self, commands: Sequence[Command]) -> asyncio.Future[list[Reply]]:
        """Send commands (at least one) right after each other. The future gets their replies,
        including error replies, or fails with a `RedisError` if they do not come in time. Raises
        `RedisError` if too many exchanges are pending."""
        if len(self._waiting) >= MOST:
            raise StoreConnectionError(f"{MOST} requests are under way at the store")
        loop = self._loop = (
            self._loop or asyncio.get_running_loop()
        )  # get_running_loop makes a system call
        exchange = _Exchange(loop.create_future(), len(commands), loop.time())
        self._waiting.append(exchange)
        if self._timer is None:
            self._timer = loop.call_at(exchange.began + self._seconds, self._look)
        resp = self._resp
        if resp is not None:
            for command in commands:
                resp.send(command)
        else:
            self._unsent.extend(commands)
            if self._connecting is None:
                self._connecting = loop.create_task(self._connect(), name="line to the store")
        return exchange.future

    def drop(self, reason: str, kind: type[RedisError] = StoreConnectionError) -> None:
        """End the connection. Everything pending fails with `kind` and `reason`. The next exchange
        makes another connection."""
        resp, self._resp = self._resp, None
        if resp is not None:
            resp.close(StoreConnectionError(reason))
        connecting, self._connecting = self._connecting, None
        if connecting is not None:
            connecting.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._unsent.clear()
        waiting, self._waiting = self._waiting, deque()
        for exchange in waiting:
            if not exchange.future.done():  # the caller may have cancelled it
                exchange.future.set_exception(kind(reason))

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(self._connect_seconds):
                resp = await RespConnection.over(self._connection(), self._take)
        except (RedisError, OSError) as error:
            self._connecting = None  # this task, which `drop` must not cancel
            late = isinstance(error, TimeoutError | StoreTimeoutError)
            reason = str(error) or f"no connection within {self._connect_seconds} s"
            self.drop(reason, StoreTimeoutError if late else StoreConnectionError)
            return
        self._connecting, self._resp = None, resp
        resp.ended.add_done_callback(lambda ended: self._ended(resp, ended))
        for command in self._unsent:
            resp.send(command)
        self._unsent.clear()

    def _ended(self, resp: RespConnection, ended: asyncio.Future[None]) -> None:
        if resp is self._resp:
            self.drop(str(ended.exception()))

    def _take(self, reply: Reply) -> None:
        if not self._waiting or isinstance(
            reply, StoreConnectionError
        ):  # it loads data, or is full
            self.drop(str(reply))
            return
        exchange = self._waiting[0]
        exchange.replies.append(reply)
        if len(exchange.replies) == exchange.count:
            self._waiting.popleft()
            if not exchange.future.done():
                exchange.future.set_result(exchange.replies)

    def _look(self) -> None:
        """Drop the connection if the oldest exchange has waited too long. One timer is enough,
        because exchanges are answered in the order in which they began."""
        self._timer = None
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        end = self._waiting[0].began + self._seconds
        if end <= loop.time():
            self.drop(f"no answer within {self._seconds} s", StoreTimeoutError)
        else:
            self._timer = loop.call_at(end, self._look)

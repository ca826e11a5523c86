"""The connection to one server of the store, which all requests share: replies come in the order of
the commands, and only that order says which reply belongs to which command.

So nothing may be left out of the order: a request that gets no answer in time ends the connection,
and with it every pending request. What they did is unknown (law 3).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as StoreTimeoutError

from pierule_server.store.driver.resp_connection import Command, Reply, RespConnection

MOST = 20_000
"""The most pending exchanges (law 10): no store answers more in time."""


class _Exchange:
    """Commands that belong together, and the replies to them so far."""

    __slots__ = ("began", "count", "future", "replies")

    def __init__(self, future: asyncio.Future[list[Reply]], count: int, began: float) -> None:
        self.future = future
        self.count = count
        self.began = began
        self.replies: list[Reply] = []


class Pipeline:
    """A connection to a server, made on demand. `connection` gives one of redis-py's that is not
    connected yet; `connect` and `answer` are bounds in seconds."""

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
        """The replies to commands (at least one) that are sent right after each other, including
        error replies. The future fails with a `RedisError` if they do not come in time."""
        if len(self._waiting) >= MOST:
            raise StoreConnectionError(f"{MOST} requests are under way at the store")
        loop = self._loop = self._loop or asyncio.get_running_loop()  # which is a system call
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
        """End the connection; everything pending fails. The next exchange makes another
        connection."""
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
            if not exchange.future.done():  # Who asked may have gone.
                exchange.future.set_exception(kind(reason))

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(self._connect_seconds):
                resp = await RespConnection.over(self._connection(), self._take)
        except (RedisError, OSError) as error:
            self._connecting = None  # This task: it ends by itself.
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
        if not self._waiting or isinstance(reply, StoreConnectionError):  # It loads, or is full.
            self.drop(str(reply))
            return
        exchange = self._waiting[0]
        exchange.replies.append(reply)
        if len(exchange.replies) == exchange.count:
            self._waiting.popleft()
            if not exchange.future.done():
                exchange.future.set_result(exchange.replies)

    def _look(self) -> None:
        """Whether the oldest exchange has waited too long. One timer for all: they are answered in
        the order in which they began."""
        self._timer = None
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        end = self._waiting[0].began + self._seconds
        if end <= loop.time():
            self.drop(f"no answer within {self._seconds} s", StoreTimeoutError)
        else:
            self._timer = loop.call_at(end, self._look)

"""One connection to a server of the store: sends commands, receives replies.

redis-py connects (address, TLS, credentials). Then this module takes over the transport and feeds
hiredis straight from the socket. All commands of one turn of the event loop leave in one write.
This module does not know which reply belongs to which command.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

import hiredis
from redis.asyncio.connection import DefaultParser
from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import InvalidResponse

Command: TypeAlias = tuple[str | bytes | int, ...]
Reply: TypeAlias = Any
"""A reply as hiredis gives it: int, bytes, None, a list of replies, or a `RedisError`."""

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

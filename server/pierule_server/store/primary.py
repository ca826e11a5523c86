"""One primary of the store: the path that requests to it take.

`run` is the seam: whoever wants requests of one tick to share a connection and a write changes
it, and nothing above it. Nothing is ever repeated here: whether a command that got no answer may
be sent again is for the caller to say.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeAlias

import msgspec
from redis.asyncio.connection import BlockingConnectionPool, parse_url
from redis.exceptions import ResponseError

Command: TypeAlias = tuple[str | bytes | int, ...]
Reply: TypeAlias = Any
"""What hiredis makes of a reply: int, bytes, None, list of replies, or a `ResponseError`."""

CONNECTIONS = 32
"""How many requests a node has under way at one primary; the others wait their turn."""


class Timeouts(msgspec.Struct, frozen=True):
    """Bounds on waiting for the store, in seconds."""

    request: float = 5.0
    connect: float = 2.0


DEFAULT_TIMEOUTS = Timeouts()


class Primary:
    """A server of the store that takes writes, at the address that `options` give."""

    def __init__(self, options: dict[str, Any], timeouts: Timeouts) -> None:
        self._options: dict[str, Any] = options | {
            "protocol": 2,  # Replies and publications alike are plain lists; no HELLO.
            "socket_connect_timeout": timeouts.connect,
            "socket_timeout": timeouts.request,
        }
        self._timeouts = timeouts
        self._pool: Any = BlockingConnectionPool(
            **({"max_connections": CONNECTIONS} | self._options), timeout=timeouts.request
        )

    @classmethod
    def of_url(cls, url: str, timeouts: Timeouts) -> Primary:
        """The server at a `redis://`, `rediss://` or `unix://` URL, as redis-py reads them.
        Raises `ValueError` if it is none, or has an option that redis-py does not know."""
        primary = cls(dict(parse_url(url)), timeouts)
        try:
            primary._pool.make_connection()
        except TypeError as error:
            raise ValueError(f"unknown option in the store's URL: {error}") from None
        return primary

    def at(self, host: str, port: int) -> Primary:
        """The server at another address, reached with the same credentials and settings."""
        return Primary(self._options | {"host": host, "port": port, "db": 0}, self._timeouts)

    @property
    def local(self) -> bool:
        """Whether it is reached through a Unix socket."""
        return "path" in self._options

    @property
    def host(self) -> str:
        return str(self._options.get("host", "localhost"))

    @property
    def port(self) -> int:
        return int(self._options.get("port", 6379))

    def __str__(self) -> str:
        return str(self._options.get("path") or f"{self.host}:{self.port}")

    async def run(self, *commands: Command) -> list[Reply]:
        """Send the commands in one go and return their replies, error replies among them.
        Raises `RedisError` or `OSError` if the server cannot be reached or does not answer."""
        connection = await self._pool.get_connection()
        try:
            packed = connection.pack_commands(commands)
            await connection.send_packed_command(packed, check_health=False)
            return [await _reply(connection) for _ in commands]
        except BaseException:
            # A reply that is still under way would be taken for the next request's.
            await connection.disconnect(nowait=True)
            raise
        finally:
            await self._pool.release(connection)

    async def ask(self, *command: str | bytes | int) -> Reply:
        """The reply to one command; raises it if it is an error."""
        (reply,) = await self.run(command)
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    async def listening_connection(self) -> Any:
        """A new connection (redis-py's, which has no types) to subscribe on. Reads from it wait
        forever."""
        connection = self._pool.make_connection()
        connection.socket_timeout = None
        try:
            async with asyncio.timeout(self._timeouts.request):
                await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    async def close(self) -> None:
        await self._pool.disconnect()


async def _reply(connection: Any) -> Reply:
    try:
        return await connection.read_response()
    except ResponseError as error:
        return error

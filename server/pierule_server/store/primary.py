"""One primary of the store: the path that requests to it take.

`run` is the seam: whoever wants requests of one tick to share a connection and a write changes
it, and nothing above it. Nothing is ever repeated here: whether a command that got no answer may
be sent again is for the caller to say. While the primary is away, everything fails at once.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec
from redis.asyncio.connection import BlockingConnectionPool, parse_url
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as StoreTimeoutError

from pierule_server import metrics
from pierule_server.store.health import Health

Command: TypeAlias = tuple[str | bytes | int, ...]
Reply: TypeAlias = Any
"""What hiredis makes of a reply: int, bytes, None, list of replies, or a `ResponseError`."""

CONNECTIONS = 32
"""How many requests a node has under way at one primary; the others wait their turn."""


class Timeouts(msgspec.Struct, frozen=True):
    """Bounds on waiting for the store, in seconds."""

    request: float = 5.0
    connect: float = 2.0

    @property
    def reply(self) -> float:
        """For one exchange with one primary. Less than for a request, so that it is the primary
        that is found to hang, and not only the request that is given up."""
        return 0.8 * self.request

    @property
    def replicas(self) -> float:
        """For replicas to confirm a write."""
        return min(1.0, self.request / 4)


DEFAULT_TIMEOUTS = Timeouts()


class Primary:
    """A server of the store that takes writes, at the address that `options` give."""

    def __init__(self, options: dict[str, Any], timeouts: Timeouts) -> None:
        self._options: dict[str, Any] = options | {
            "protocol": 2,  # Replies and publications alike are plain lists; no HELLO.
            "socket_connect_timeout": min(timeouts.connect, timeouts.reply),
            # All waiting is bounded here: redis-py would do it by `asyncio.wait_for`, which before
            # Python 3.12 loses cancellations, and starts a task for every write.
            "socket_timeout": None,
        }
        self._timeouts = timeouts
        self._pool: Any = BlockingConnectionPool(
            **({"max_connections": CONNECTIONS} | self._options), timeout=timeouts.request
        )
        self.health = Health(str(self), self._probe)

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
        Raises `RedisError` or `OSError` if the server cannot be reached or does not answer in
        time; at once if that is known."""
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeouts.reply):
                replies = await self._exchange(commands)
        except (RedisError, OSError) as error:
            metrics.STORE_ERRORS.inc()
            self.health.suspect(hangs=isinstance(error, TimeoutError | StoreTimeoutError))
            raise
        metrics.count_round_trip(commands, time.perf_counter() - began)
        return replies

    async def _exchange(self, commands: tuple[Command, ...]) -> list[Reply]:
        self.health.check()
        connection = await self._pool.get_connection()
        try:
            self.health.check()  # It may have been a long wait.
            packed = connection.pack_commands(commands)
            await connection.send_packed_command(packed, check_health=False)
            return [await _reply(connection) for _ in commands]
        except BaseException:
            # A reply that is still under way would be taken for the next request's.
            await connection.disconnect(nowait=True)
            raise
        finally:
            await self._pool.release(connection)

    async def _probe(self) -> None:
        """Raises `RedisError` or `OSError` if the server does not answer on a new connection."""
        connection = self._pool.make_connection()
        try:
            async with asyncio.timeout(self._timeouts.reply):
                await connection.connect()
                await connection.send_packed_command(connection.pack_command("PING"), False)
                await connection.read_response()
        finally:
            await connection.disconnect(nowait=True)
        if self.health.away:  # Whatever is left from before may be dead without knowing it.
            await self._disconnect(inuse=False)

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
        try:
            async with asyncio.timeout(self._timeouts.request):
                await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    async def close(self) -> None:
        """Let go of all connections; what is under way fails, and all that is asked later."""
        await self.health.close()
        await self._disconnect(inuse=True)

    async def _disconnect(self, *, inuse: bool) -> None:
        with suppress(RedisError, OSError):  # What is dead cannot be closed in good order.
            await self._pool.disconnect(inuse_connections=inuse)


async def _reply(connection: Any) -> Reply:
    try:
        return await connection.read_response()
    except ResponseError as error:
        return error

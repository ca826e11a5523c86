"""Sends requests to one primary of the store.

All requests share one connection; writes that replicas must confirm share another. This module
never repeats a command: the caller decides whether a command without an answer may be sent again.
While the primary is away, everything fails immediately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from redis.asyncio.connection import Connection, parse_url
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as StoreTimeoutError

from pierule_protocol import world
from pierule_server import metrics
from pierule_server.store.driver.confirming import Confirming
from pierule_server.store.driver.errors import ErrorLog, kind_of
from pierule_server.store.driver.health import Health
from pierule_server.store.driver.pipeline import Command, Pipeline, Reply, RespConnection


class Timeouts(msgspec.Struct, frozen=True):
    """Bounds on waiting for the store, in seconds."""

    request: float = 5.0
    connect: float = 2.0

    @property
    def reply(self) -> float:
        """Seconds for one exchange with one primary. They are fewer than for a request: so we
        notice that a primary hangs before we give up the request."""
        return 0.8 * self.request

    @property
    def replicas(self) -> float:
        """Seconds for replicas to confirm a write."""
        return min(1.0, self.request / 4)


DEFAULT_TIMEOUTS = Timeouts()


def trusting(url: str, authorities: str) -> str:
    """The URL of a store, with the file of the `authorities` that sign its certificate; unchanged
    if that is empty. Raises ValueError."""
    if not authorities:
        return url
    parts = urlsplit(url)
    if not parts.scheme.startswith("rediss"):
        raise ValueError("--store-ca is for a store with TLS: rediss://, rediss+sentinel://")
    if not Path(authorities).is_file():
        raise ValueError(f"--store-ca: there is no file {authorities}")
    query = urlencode([*parse_qsl(parts.query), ("ssl_ca_certs", authorities)])
    return parts._replace(query=query).geturl()


class Primary:
    """A server of the store that takes writes, at the address in `options` of redis-py."""

    def __init__(self, options: dict[str, Any], timeouts: Timeouts) -> None:
        self._options: dict[str, Any] = options | {
            "protocol": 2,  # no HELLO; replies and publications are plain lists
            "driver_info": None,  # no CLIENT SETINFO, which Redis 7.0 and its ACLs lack
            "socket_connect_timeout": min(timeouts.connect, timeouts.reply),
            # We bound all waiting ourselves: redis-py would use `asyncio.wait_for`, which loses
            # cancellations before Python 3.12, and starts a task for every write.
            "socket_timeout": None,
        }
        self._timeouts = timeouts
        self._pipeline = self._new_pipeline()
        self._writes = self._new_pipeline()
        self._confirming = Confirming(
            lambda *commands: self._run(self._writes, commands), timeouts.replicas
        )
        self.health = Health(str(self), self._probe)
        self._errors = ErrorLog(str(self))

    @classmethod
    def of_url(cls, url: str, timeouts: Timeouts) -> Primary:
        """The server at a `redis://`, `rediss://` or `unix://` URL, as redis-py reads it. Raises
        `ValueError` for any other URL, or for an option that redis-py does not know."""
        primary = cls(dict(parse_url(url)), timeouts)
        try:
            primary._connection()
        except TypeError as error:
            raise ValueError(f"unknown option in the store's URL: {error}") from None
        return primary

    def at(self, host: str, port: int) -> Primary:
        """The server at another address, reached with the same credentials and settings."""
        return Primary(self._options | {"host": host, "port": port, "db": 0}, self._timeouts)

    @property
    def local(self) -> bool:
        """Whether the connection goes through a Unix socket."""
        return "path" in self._options

    @property
    def host(self) -> str:
        return str(self._options.get("host", "localhost"))

    @property
    def port(self) -> int:
        return int(self._options.get("port", 6379))

    def __str__(self) -> str:
        return str(self._options.get("path") or f"{self.host}:{self.port}")

    def run(self, *commands: Command) -> Coroutine[Any, Any, list[Reply]]:
        """Send the commands together and return their replies, including error replies. Raises
        `RedisError` or `OSError` if the server cannot be reached or does not answer in time;
        immediately if it is known to be away."""
        return self._run(self._pipeline, commands)

    def begin(self, command: Command, then: Callable[[Reply], None]) -> bool:
        """Send one command without waiting. `then` gets the reply, which may be an error reply, or
        None if no reply came. Returns False and sends nothing if the server is known to be away."""
        try:
            self.health.check()
            future = self._pipeline.exchange((command,))
        except RedisError:
            return False
        began = world.monotonic()

        def answered(future: asyncio.Future[list[Reply]]) -> None:
            try:
                (reply,) = future.result()
            except (RedisError, OSError) as error:
                self._failed(error)
                reply = None
            else:
                self._count((command,), began, (reply,))
            then(reply)

        future.add_done_callback(answered)
        return True

    async def run_confirmed(self, replicas: int, *commands: Command) -> list[Reply]:
        """Send the commands as `run` does, and wait for replicas. The last reply is how many
        replicas have the writes."""
        return await self._confirming.run(replicas, *commands)

    async def _run(self, pipeline: Pipeline, commands: tuple[Command, ...]) -> list[Reply]:
        self.health.check()
        began = world.monotonic()
        try:
            replies = await pipeline.exchange(commands)
        except (RedisError, OSError) as error:
            self._failed(error)
            raise
        self._count(commands, began, replies)
        return replies

    def _failed(self, error: RedisError | OSError) -> None:
        metrics.STORE_ERRORS.inc()
        self.health.suspect(hangs=isinstance(error, TimeoutError | StoreTimeoutError))

    def _count(self, commands: Sequence[Command], began: float, replies: Sequence[Reply]) -> None:
        metrics.count_round_trip(commands, world.monotonic() - began)
        for reply in replies:
            if isinstance(reply, ResponseError):
                self._errors.note(reply)

    def _new_pipeline(self) -> Pipeline:
        timeouts = self._timeouts
        return Pipeline(self._connection, min(timeouts.connect, timeouts.reply), timeouts.reply)

    def _connection(self) -> Any:
        """A connection of redis-py (which has no types), not connected yet."""
        options = dict(self._options)
        return options.pop("connection_class", Connection)(**options)

    async def _probe(self) -> None:
        """Ask the server on a new connection. Raises `RedisError` or `OSError` if it does not
        answer."""
        connection = self._connection()
        try:
            async with asyncio.timeout(self._timeouts.reply):
                await connection.connect()
                await connection.send_packed_command(connection.pack_command("PING"), False)
                await connection.read_response()
        except RedisError as error:
            if kind_of(error):  # it answers but refuses, for example because it loads its data
                self._errors.note(error)
            raise
        finally:
            await connection.disconnect(nowait=True)
        if self.health.away:  # old connections may be dead and not know it
            self._drop("the store was away")

    async def ask(self, *command: str | bytes | int) -> Reply:
        """The reply to one command. Raises an error reply, and otherwise as `run` does."""
        (reply,) = await self.run(command)
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    async def listen(self, take: Callable[[Reply], None]) -> RespConnection:
        """A new connection for subscriptions. It passes all replies to `take`."""
        async with asyncio.timeout(self._timeouts.request):
            return await RespConnection.over(self._connection(), take)

    async def close(self) -> None:
        """Close all connections. Everything pending fails, and so do all later requests."""
        await self.health.close()
        self._drop("closing")

    def _drop(self, reason: str) -> None:
        self._pipeline.drop(reason)
        self._writes.drop(reason)

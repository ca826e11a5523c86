"""Sends writes that replicas must confirm, many together, followed by one WAIT.

WAIT holds its connection until enough replicas have the connection's latest write, or the time is
over. So these writes have a connection of their own. While one WAIT is under way, the next writes
gather.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice

from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError

from pierule_server.store.driver.pipeline import MOST, Command, Reply


class Confirming:
    """Sends commands with `run`, and waits at most `seconds` for the replicas."""

    def __init__(self, run: Callable[..., Awaitable[list[Reply]]], seconds: float) -> None:
        self._run = run
        self._milliseconds = round(seconds * 1_000)
        self._gathered: list[tuple[tuple[Command, ...], int, asyncio.Future[list[Reply]]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def run(self, replicas: int, *commands: Command) -> list[Reply]:
        """The replies to the commands, and as the last item how many replicas have their writes:
        at least `replicas` if that many confirm in time. Raises `RedisError` or `OSError`."""
        if len(self._gathered) >= MOST:
            raise StoreConnectionError(f"{MOST} writes wait to be sent to the store")
        future: asyncio.Future[list[Reply]] = asyncio.get_running_loop().create_future()
        self._gathered.append((commands, replicas, future))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send(), name="confirmed writes")
        return await future

    async def _send(self) -> None:
        while self._gathered:
            batch, self._gathered = self._gathered, []
            wait = ("WAIT", max(replicas for _, replicas, _ in batch), self._milliseconds)
            commands = [command for part, _, _ in batch for command in part]
            try:
                *replies, confirmed = await self._run(*commands, wait)
            except (RedisError, OSError) as error:
                for _, _, future in batch:
                    if not future.done():
                        future.set_exception(type(error)(str(error)))
                continue
            rest = iter(replies)
            for part, _, future in batch:
                own = list(islice(rest, len(part)))
                if not future.done():
                    future.set_result([*own, confirmed])
        self._sending = None

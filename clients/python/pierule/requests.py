"""The requests of a session that have no answer yet, across its connections.

This module only sends. The session reads, makes connections, and reports both. A request keeps its
turn or nonce no matter how often it is sent, so nothing happens twice (SPEC 2.3, law 7).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from random import Random

import msgspec

from pierule.backoff import may_pass
from pierule.connection import Closed, Connection
from pierule.errors import ConnectionLost, PieruleError, Refused, TimedOut
from pierule.live import LiveRoom
from pierule.pauses import Pauses
from pierule_protocol.messages import Error, Join, Ok, Request

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Pending:
    """A request without an answer. `live` is the room that it joins; None if it is not a join."""

    message: Request
    answer: asyncio.Future[Ok | Error | PieruleError]
    live: LiveRoom | None


class Requests:
    """Requests by id. Each is sent on every new connection until its answer comes.

    `timeout` is how many seconds a request may take by default, not counting time without a
    connection.
    """

    def __init__(self, connection: Connection, timeout: float, rng: Random) -> None:
        self.pauses = Pauses(rng)
        self.connection: Connection | None = connection
        """The connection; None while there is none."""
        self._timeout = timeout
        self._lost: ConnectionLost | None = None
        self._ids = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._timers: dict[asyncio.Timeout, float] = {}  # with the seconds that each allows

    # --- what is asked for ---

    async def request(
        self, message: Request, live: LiveRoom | None = None, limit: float | None = None
    ) -> Ok:
        """Send a request and return its answer. This sets the request's `id`.

        `limit` is in seconds (None: the default timeout). Raises Refused, TimedOut, BadReply or
        ConnectionLost.
        """
        refused: Refused | None = None
        try:
            async with self.limited(limit):
                attempt = 0
                while True:
                    answer = await self._ask(message, live)
                    if isinstance(answer, Ok):
                        return answer
                    refused = Refused(answer)
                    if not may_pass(refused):
                        raise refused
                    attempt = await self.pauses.wait(answer, attempt)
                    if isinstance(message, Join) and live is not None:  # events may have come
                        message = msgspec.structs.replace(message, since=live.follower.since)
        except TimedOut:
            if refused is None:
                raise
            raise refused from None

    @asynccontextmanager
    async def limited(self, limit: float | None = None) -> AsyncIterator[None]:
        """Raise TimedOut after `limit` seconds (None: the default timeout), not counting time
        without a connection."""
        seconds = self._timeout if limit is None else limit
        timer = asyncio.timeout(seconds if self.connection else None)
        try:
            async with timer:
                self._timers[timer] = seconds
                yield
        except TimeoutError:
            if not timer.expired():
                raise
            raise TimedOut(f"no answer in {seconds} s") from None
        finally:
            self._timers.pop(timer, None)

    async def _ask(self, message: Request, live: LiveRoom | None) -> Ok | Error:
        """Send a request once on every connection, until its answer comes."""
        if self._lost is not None:
            raise self._lost
        id_ = next(self._ids) % 2**32
        message = msgspec.structs.replace(message, id=id_)
        future: asyncio.Future[Ok | Error | PieruleError] = asyncio.Future()
        self._pending[id_] = Pending(message, future, live)
        try:
            if self.connection is not None:
                with suppress(Closed):  # the reader notices, and the request is sent again
                    await self.connection.send(message)
            answer = await future
        finally:
            del self._pending[id_]
        if isinstance(answer, PieruleError):
            raise answer
        return answer

    # --- what the reader says ---

    @property
    def ended(self) -> bool:
        """Whether there will be no more connections."""
        return self._lost is not None

    def resolve(self, id_: int | None, answer: Ok | Error | PieruleError) -> None:
        """An answer has come."""
        pending = self._pending.get(id_) if id_ is not None else None
        if pending is None:
            logger.debug("ignored an answer to request %s, which does not wait for one", id_)
            return
        if isinstance(answer, Ok) and pending.live is not None:
            pending.live.joined(answer)
        if not pending.answer.done():
            pending.answer.set_result(answer)

    def disconnected(self) -> None:
        """There is no connection: stop the timers."""
        self.connection = None
        for timer in self._timers:
            if not timer.expired():
                timer.reschedule(None)

    def connected(self, connection: Connection) -> None:
        """There is a new connection: start the timers anew."""
        self.connection = connection
        now = asyncio.get_running_loop().time()
        for timer, seconds in self._timers.items():
            if not timer.expired():
                timer.reschedule(now + seconds)

    def unanswered(self) -> list[Pending]:
        """The requests that now wait for an answer."""
        return list(self._pending.values())

    async def send_again(self, connection: Connection, unanswered: list[Pending]) -> None:
        """Send those of these requests again that still wait for an answer."""
        with suppress(Closed):
            for pending in unanswered:
                if not pending.answer.done():
                    await connection.send(pending.message)

    def end(self, error: ConnectionLost) -> None:
        """There will be no more connections: waiting and later requests fail with this error."""
        self._lost = error
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_result(error)

"""Answers the requests of one connection one after the other, in the order in which they came.

It decodes messages where the socket reads them, and refuses bad ones there. A task exists only
while there is a request to work on, and begins when it is the turn of the client's address
(`FairQueue`). The queue is bounded, because the socket stops reading.
"""

from __future__ import annotations

import asyncio
import math
from functools import partial

import structlog

from pierule_protocol.codec import BadMessage
from pierule_protocol.codes import MEANINGS, Close, Code
from pierule_protocol.messages import ClientMessage, Error
from pierule_server.connections.connection import Connection
from pierule_server.gateway.budget import games_in, price_of
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.peer_socket import PeerSocket
from pierule_server.settings import Settings

logger = structlog.get_logger()


REST = 0.1
"""Seconds for which the server does not read from a connection after its budget was spent, or after
its address was refused too often."""

REFUSED, REFUSED_AT_ONCE = 200, 1_000
"""Refused requests of an address per second, and at once, that are answered without a rest. A
client may be refused nearly 200 times between two requests that are granted, without an end."""

REFUSED_BYTES = 256
"""Each such part of a refused request counts as one more, because the request was decoded."""


class RequestQueue:
    """Takes the messages of `socket` and lets `dispatch` answer them."""

    def __init__(
        self, connection: Connection, socket: PeerSocket, dispatch: Dispatch, settings: Settings
    ) -> None:
        self.connection = connection
        self._socket = socket
        self._dispatch = dispatch
        self._settings = settings
        self._waiting: list[tuple[bytes, bool]] = []  # an empty deque takes 760 bytes
        self._begun: ClientMessage | None = None
        self._working: asyncio.Task[None] | None = None
        self._ended: asyncio.Event | None = None
        self._errors = 0
        self._resting: asyncio.TimerHandle | None = None

    def receive(self, data: bytes, text: bool) -> None:
        """Take a message. It waits while a request is under way."""
        self._waiting.append((data, text))
        if not self._busy and self._resting is None:
            self._begin()
        elif len(self._waiting) > self._settings.requests_queued:
            self._socket.pause()

    @property
    def _busy(self) -> bool:
        return self._begun is not None or self._working is not None

    def _begin(self) -> None:
        """Work on the next request, if there is one, by the short way or in a task."""
        request = self._next()
        if request is None:
            return
        self.connection.begin_work()
        self._begun = request
        try:
            begun = self._dispatch.short_way.act(self.connection, request, self._end)
        except Exception:
            logger.exception("the short way of a request failed: please file a bug")
            begun = False
        if not begun:
            self._go_long(request)

    def _end(self, answered: bool) -> None:
        """The short way has ended. If the request is not answered, take the long way."""
        request, self._begun = self._begun, None
        assert request is not None
        if not answered:
            self._go_long(request)
        else:
            self.connection.end_work()
            if self._waiting and self._resting is None:
                self._begin()
        if self._ended is not None:
            self._ended.set()

    def _go_long(self, request: ClientMessage) -> None:
        self._begun = request  # so this is busy until it is the turn of the address
        self._socket.in_turn(partial(self._start, request))

    def _start(self, request: ClientMessage) -> None:
        self._begun = None
        self._working = self._socket.loop.create_task(self._work(request))
        if self._ended is not None:
            self._ended.set()

    def _rest(self) -> None:
        """Read nothing for a moment, because refusing requests as fast as they come costs work,
        too."""
        self._resting = self._socket.loop.call_later(REST, self._wake)

    def _wake(self) -> None:
        self._resting = None
        if not self._busy:
            self._begin()

    async def settled(self) -> None:
        """The socket is closed: wait until no request is under way. Messages that wait for the end
        of a rest are dropped, because nothing can follow the close frame."""
        while self._busy:
            if self._working is not None:
                await asyncio.shield(self._working)
            else:
                self._ended = asyncio.Event()
                await self._ended.wait()
        if self._resting is not None:  # perhaps begun by that work
            self._resting.cancel()

    async def _work(self, request: ClientMessage) -> None:
        """Answer a request by the long way, and begin the next one."""
        connection = self.connection
        try:
            try:
                await self._dispatch.answer(connection, request)
            finally:
                connection.end_work()
                self._working = None
            if connection.allowance.spent:  # the answer may have cost more (`handlers.rooms`)
                self._rest()
            self._begin()
        except Exception:
            # Not even an error could be sent: the client must ask on another connection.
            logger.exception("a request was not answered: please file a bug")
            connection.fail(Close.INTERNAL)

    def _next(self) -> ClientMessage | None:
        """The next request to work on. Refuses bad messages before it."""
        while self._waiting and self._resting is None:
            data, text = self._waiting.pop(0)
            if len(self._waiting) <= self._settings.requests_queued // 4:
                self._socket.resume()
            # A closing connection cannot answer, so do not begin.
            if not self.connection.closing:
                request = self._read(data, text)
                if request is not None:
                    return request
        return None

    def _read(self, data: bytes, text: bool) -> ClientMessage | None:
        """The request in a message; None if this refuses it."""
        connection = self.connection
        codec, allowance = connection.codec, connection.allowance
        try:
            message = data.decode() if text else data
        except UnicodeDecodeError:
            connection.fail(Close.INVALID_TEXT)
            return None
        if text is not codec.text:
            connection.fail(Close.UNSUPPORTED_DATA)
            return None
        try:
            request = codec.decode(message)
        except BadMessage as bad:
            self._refuse(Error(id=bad.id, code=bad.code, text=bad.text, field=bad.field))
            return None
        except Exception:
            # As in `dispatch`, a bug becomes an answer and ends no connection.
            logger.exception("a message could not be decoded: please file a bug")
            self._refuse(Error(id=None, code=Code.INTERNAL, text=MEANINGS[Code.INTERNAL].text))
            return None
        price = price_of(request)
        games = games_in(request) if price else 0.0
        now = self._socket.loop.time()
        wait = allowance.wait(now, price, games)
        if not wait:
            return request
        if allowance.flooding:
            connection.fail(Close.FLOODING)
        else:
            connection.send(_too_fast(request, wait, allowance.spent))
            if allowance.spent or allowance.tires(now, 1 + len(data) / REFUSED_BYTES):
                self._rest()
        return None

    def _refuse(self, error: Error) -> None:
        """Refuse a bad message. Disconnect a client that sends too many."""
        self.connection.send(error)
        self._errors += 1
        if self._errors >= self._settings.errors:
            self.connection.fail(Close.TOO_MANY_ERRORS)


_WHY = {
    None: MEANINGS[Code.RATE].text,
    "address": "your network has asked for too much in a short time; wait retry_ms",
    "user": "you have asked for too much in a short time; wait retry_ms",
    "games": "your network has begun too many games; wait retry_ms",
}


def _too_fast(request: ClientMessage, wait: float, spent: str | None) -> Error:
    return Error(
        id=request.id,
        code=Code.RATE,
        text=_WHY[spent],
        retry_ms=math.ceil(wait * 1_000),
    )

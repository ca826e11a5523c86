"""A lean client: a connection that comes back, its requests, and the room that it follows."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from random import Random

import msgspec

from pierule.backoff import reconnect_delay, retry_delay
from pierule.connection import Address, Closed, Connection, Identity, Unreachable, dial, is_final
from pierule.errors import BadReply, Refused
from pierule_load.heard import Heard, read
from pierule_load.tally import Tally
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import Join, Leave, Request, Since

AT_ONCE = 32
"""The most handshakes of a run that wait for an answer at the same time."""


class Rejected(Exception):
    """The server refuses a request, and repeating it is useless."""

    def __init__(self, heard: Heard) -> None:
        super().__init__(f"{heard.code}: {heard.text}")
        self.code = heard.code


class Member:
    """A user with one connection at a time.

    It calls `on_event` with the number of each event of the room that it follows, and `on_loss`
    when the connection has ended. With `hints`, it connects where its room's other clients are, as
    all clients do.
    """

    def __init__(
        self, name: str, urls: Sequence[str], tally: Tally, timeout: float,
        gate: asyncio.Semaphore, rng: Random, *, hints: bool = True,
    ) -> None:  # fmt: skip
        self.on_event: Callable[[int], None] = lambda _: None
        self.on_loss: Callable[[], None] = lambda: None
        self.ready = asyncio.Event()
        """Set while it is connected and follows its room."""
        self.losses = 0
        """How often the connection has ended."""
        self._identity = Identity(name=name, bot=True)
        self._address = Address(deque(urls), "msgpack", timeout)
        self._tally, self._gate, self._rng = tally, gate, rng
        self._connection: Connection | None = None
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[Heard]] = {}
        self._room: str | None = None
        self._since: Since | None = None
        self._snapshot = asyncio.Event()
        self._cut = self._moving = False
        self._hints = hints
        self._goto = False
        """Whether the server may send clients elsewhere (`goto`)."""

    # --- the connection ---

    async def run(self) -> None:
        """Stay connected until this is cancelled."""
        clock = asyncio.get_running_loop().time
        gone: float | None = None
        try:
            while True:
                self._connection = await self._dial()
                reader = asyncio.create_task(self._read(self._connection))
                try:
                    reader.add_done_callback(lambda _: self._closed())
                    if await self._resume() and gone is not None:
                        self._tally.back.append(clock() - gone)
                    closed = await reader
                finally:
                    reader.cancel()
                if self._moving:
                    self._moving, gone = False, None
                    continue
                gone = clock()
                self._count(closed)
                # Wait as every client does, so that not all come back at the same time.
                delay = reconnect_delay(0, closed.code, self._rng, len(self._address.urls))
                await asyncio.sleep(retry_delay(0, self._rng) if delay is None else delay)
        finally:
            if self._connection is not None:
                self._closed()
                with suppress(Closed, OSError):
                    await self._connection.close()

    async def _dial(self) -> Connection:
        for attempt in count():
            try:
                async with self._gate:
                    connection, welcome = await dial(self._address, self._identity)
            except (Unreachable, Closed, Refused, BadReply) as error:
                self._tally.refused[_words(error, self._address.url)] += 1
                busy = error.busy if isinstance(error, Unreachable) else None
                # Even a permanent refusal may end when other clients have gone.
                least = busy or (5.0 if is_final(error) else 0.0)
            else:
                self._identity = Identity(welcome.token, bot=True)
                self._goto = self._hints and "goto" in welcome.features
                return connection
            self._address.turn()
            await asyncio.sleep(least + retry_delay(attempt // len(self._address.urls), self._rng))
        raise AssertionError("unreachable: the loop tries endlessly")

    async def _read(self, connection: Connection) -> Closed:
        while True:
            try:
                heard = read(await connection.frame())
            except Closed as closed:
                return closed
            except msgspec.DecodeError as error:
                connection.abort()
                return Closed(None, f"cannot read a frame: {error}")
            if heard.id is not None:
                waiting = self._waiting.pop(heard.id, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(heard)
                continue
            since = heard.since
            if since is not None and heard.about == self._room:
                self._since = since
                self._snapshot.set()
                self.on_event(since.seq)

    def _closed(self) -> None:
        if self.ready.is_set():
            self._tally.connected -= 1
        self.ready.clear()
        self.losses += 1
        self.on_loss()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.cancel()
        self._waiting.clear()

    def _count(self, closed: Closed) -> None:
        if self._cut:
            self._cut = False
            self._tally.cut += 1
        else:
            self._tally.lost[str(closed)] += 1

    def cut(self) -> None:
        """Drop the connection, as if the node had died."""
        if self._connection is not None and self.ready.is_set():
            self._cut = True
            self._connection.abort()

    # --- requests ---

    async def ask(self, request: Request) -> Heard:
        """Send a request, and return its `ok`, or an error `goto`. Repeats it after a lost
        connection, and after a temporary refusal. Raises Rejected, and TimeoutError if there is no
        answer."""
        for attempt in count():
            await self.ready.wait()
            try:
                heard = await self._once(request)
            except Closed:
                await asyncio.sleep(0)  # let the reader notice, which clears `ready`
                continue
            if heard.type == "ok" or heard.code == Code.GOTO:
                return heard
            if not self._may_pass(request, heard):
                raise Rejected(heard)
            await asyncio.sleep(self._pause(heard, attempt))
        raise AssertionError("unreachable: the loop asks endlessly")

    def _may_pass(self, request: Request, heard: Heard) -> bool:
        """Count a refusal. Returns whether the same request may be sent again."""
        self._tally.errors[_type_of(request), heard.code, heard.text or ""] += 1
        return heard.code in MEANINGS and MEANINGS[Code(heard.code)].retry

    def _pause(self, heard: Heard, attempt: int) -> float:
        return (heard.retry_ms or 0) / 1_000 + retry_delay(attempt, self._rng)

    async def _once(self, request: Request) -> Heard:
        """Send a request on this connection, and return the answer. Raises Closed and
        TimeoutError."""
        connection = self._connection
        assert connection is not None
        number = next(self._ids)
        waiting: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        await connection.send(msgspec.structs.replace(request, id=number))
        try:
            async with asyncio.timeout(self._address.timeout):
                await asyncio.wait([waiting])
        except TimeoutError:
            self._tally.errors[_type_of(request), "no answer", ""] += 1
            raise
        finally:
            self._waiting.pop(number, None)
        if waiting.cancelled():
            raise Closed(None, "")
        return waiting.result()

    # --- the room ---

    async def follow(self, join: Join) -> None:
        """Follow a room, and wait for its state. Raises like `ask`, and TimeoutError."""
        self._room, self._since = join.room, None
        self._snapshot.clear()
        heard = await self.ask(msgspec.structs.replace(join, goto=self._goto))
        if heard.type != "ok":
            self._room = None  # until the new connection is there
            await self._move(join.room)
            self._room = join.room
            await self.ask(join)
        async with asyncio.timeout(self._address.timeout):
            await self._snapshot.wait()

    async def _move(self, room: str) -> None:
        """Connect with the hint of this room."""
        connection = self._connection
        if connection is not None and self.ready.is_set():
            self._address.room = room
            self._moving = True
            self._tally.moved += 1
            await connection.close()
        await self.ready.wait()

    async def leave(self) -> None:
        """Stop following the room. Raises like `ask`."""
        room, self._room, self._since = self._room, None, None
        if room is not None and self.ready.is_set():
            await self.ask(Leave(id=0, room=room))

    @property
    def following(self) -> bool:
        """Whether it gets the events of its room."""
        return self.ready.is_set() and self._room is not None and self._snapshot.is_set()

    async def _resume(self) -> bool:
        """Follow the room again on a new connection. Returns whether the connection still
        exists."""
        try:
            while self._room is not None:
                join = Join(id=0, room=self._room, since=self._since)
                if (heard := await self._once(join)).type == "ok":
                    break
                if not self._may_pass(join, heard):
                    self._room = None
                await asyncio.sleep(self._pause(heard, 0))
        except (Closed, TimeoutError):
            if self._connection is not None:
                self._connection.abort()
            return False
        self._tally.connected += 1
        self.ready.set()
        return True


def _type_of(request: Request) -> str:
    return str(request.__struct_config__.tag)


def _words(error: Exception, url: str) -> str:
    return str(error).removeprefix(f"{url}: ")

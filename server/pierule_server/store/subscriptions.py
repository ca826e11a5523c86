"""Receives what the store publishes about rooms: one connection and one reader for each primary.

There is one way to recover, whatever goes wrong on a connection: it breaks, it falls silent, or the
primary refuses a room or drops one because its slot has migrated. The reader drops the connection,
reads the topology again, connects, subscribes to all its rooms, and reports a gap for each once the
store confirms it. While the primary is away, the reader waits. This module only tells entries,
lines and notes apart; it does not interpret them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

import structlog
from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError, ResponseError

from pierule_protocol import world
from pierule_protocol.log.events import Entry
from pierule_protocol.messages import CHANNELS
from pierule_server.store.buckets import bucket_of, channel, room_of
from pierule_server.store.driver.pipeline import Reply, RespConnection
from pierule_server.store.driver.primary import Primary
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import Listener, StoreUnavailable
from pierule_server.store.tables.chats import read_line
from pierule_server.store.tables.naming import decode_names

HEARTBEAT = 2.0
"""After this many seconds of silence the reader pings the primary; after twice as many it drops the
connection."""

LONGEST_PAUSE = 2.0

_CHANNELS = {name.encode(): name for name in CHANNELS}

_logger = structlog.get_logger(__name__)


class _LetGo(ResponseError):
    """The primary dropped a room because its slot has moved."""


class Subscriptions:
    """The rooms to which a node subscribes, each assigned to the reader of its primary."""

    def __init__(self, topology: Topology, listener: Listener) -> None:
        self._topology = topology
        self.listener = listener
        self._rooms: dict[str, asyncio.Future[None]] = {}
        self._waiting: Counter[str] = Counter()
        self._readers: dict[Primary, _Reader] = {}
        self._regained: set[str] = set()
        topology.changed = self._reassign

    async def subscribe(self, room: str) -> None:
        """Subscribe to a room. Returns once the store has confirmed. Raises `StoreUnavailable` if
        it does not, and redis-py's ConnectionError if the primary is known to be away."""
        self._topology.primary(bucket_of(room)).health.check()
        confirmed = self._rooms.get(room)
        if confirmed is None:
            confirmed = self._rooms[room] = asyncio.get_running_loop().create_future()
            confirmed.add_done_callback(_retrieve)
            self._reader_of(room).add(room)
        self._waiting[room] += 1
        try:
            await asyncio.shield(confirmed)
        finally:
            self._waiting[room] -= 1
            if not self._waiting[room]:
                del self._waiting[room]
                if not confirmed.done():  # no caller waits any more
                    self.unsubscribe(room)

    def unsubscribe(self, room: str) -> None:
        self._give_up([room], StoreUnavailable("unsubscribed"))

    def confirm(self, room: str) -> None:
        """The store has confirmed a subscription: the first time, or again after a gap."""
        confirmed = self._rooms.get(room)
        if confirmed is None:
            return
        if not confirmed.done():
            confirmed.set_result(None)
            return
        if not self._regained:  # one report for all confirmations of this turn
            asyncio.get_running_loop().call_soon(self._report)
        self._regained.add(room)

    def hear(self, room: str, message: bytes) -> None:
        if room not in self._rooms:
            return
        kind, _, rest = message.partition(b" ")
        if kind == b"entry":
            epoch, seq, link, at, length, text = rest.split(b" ", 5)
            end = int(length)
            names = decode_names(text[end:]) if len(text) > end else {}
            entry = Entry(int(epoch), int(seq), int(link), int(at), text[:end].decode(), names)
            self.listener.entry(room, entry)
        elif kind == b"line":
            name, after, seq, at, text = rest.split(b" ", 4)
            line = read_line(int(seq), int(at), text)
            self.listener.chat_message(room, _CHANNELS[name], int(after), line)
        elif kind == b"aside":
            self.listener.aside(room)
        elif kind == b"note":
            self.listener.note(room, rest.decode())

    async def lost(self, reader: _Reader, error: BaseException) -> None:
        """The reader has lost its connection. Callers that wait for a first confirmation get the
        error; the other rooms will catch up later."""
        waiting = [room for room in reader.rooms if not self._rooms[room].done()]
        self._give_up(waiting, StoreUnavailable(str(error)))
        try:
            await self._topology.refresh()
        except (RedisError, OSError) as failure:
            _logger.warning(
                "cannot read the topology of the store; trying again", error=str(failure)
            )

    async def close(self) -> None:
        waiting = [room for room, confirmed in self._rooms.items() if not confirmed.done()]
        self._give_up(waiting, StoreUnavailable("closing"))
        self._rooms.clear()
        tasks = [reader.stop() for reader in self._readers.values()]
        self._readers.clear()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _reader_of(self, room: str) -> _Reader:
        primary = self._topology.primary(bucket_of(room))
        if primary not in self._readers:
            self._readers[primary] = _Reader(primary, self)
        return self._readers[primary]

    def _reassign(self) -> None:
        """Buckets have moved, so move their rooms to other readers. The old primary needs no
        command: it has dropped the subscribers of the slot, and would only answer MOVED."""
        for room in self._rooms:
            reader = self._reader_of(room)
            if room not in reader.rooms:
                for other in self._readers.values():
                    other.rooms.discard(room)
                reader.add(room)
        for primary in self._readers.keys() - self._topology.primaries:
            self._readers.pop(primary).stop()

    def _give_up(self, rooms: Iterable[str], error: StoreUnavailable) -> None:
        """Drop these rooms. Callers that still wait for them get the error."""
        for room in rooms:
            confirmed = self._rooms.pop(room, None)
            if confirmed is None:
                continue
            for reader in self._readers.values():
                reader.remove(room)
            if not confirmed.done():
                confirmed.set_exception(error)

    def _report(self) -> None:
        rooms = sorted(self._regained & self._rooms.keys())
        self._regained.clear()
        if rooms:
            self.listener.gap(rooms)


class _Reader:
    """Receives what is published about the rooms of one primary, while it serves any bucket."""

    def __init__(self, primary: Primary, owner: Subscriptions) -> None:
        self.rooms: set[str] = set()
        self._primary = primary
        self._owner = owner
        self._resp: RespConnection | None = None
        # Commands under way, by room: only the last answer counts.
        self._joining: Counter[str] = Counter()
        self._leaving: Counter[str] = Counter()
        self._heard = True
        self._failures = 0
        self._stopped = False
        self._task = asyncio.create_task(self._run(), name=f"subscriptions at {primary}")

    def add(self, room: str) -> None:
        self.rooms.add(room)
        if self._resp is not None:
            self._join(room)

    def remove(self, room: str) -> None:
        if room in self.rooms:
            self.rooms.discard(room)
            if self._resp is not None:
                self._leaving[room] += 1
                self._send("SUNSUBSCRIBE", channel(room))

    def _join(self, room: str) -> None:
        self._joining[room] += 1
        self._send("SSUBSCRIBE", channel(room))

    def stop(self) -> asyncio.Task[None]:
        self._stopped = True  # a task group that is just failing swallows the cancellation
        self._task.cancel()
        return self._task

    async def _run(self) -> None:
        while not self._stopped:
            await self._primary.health.here()
            try:
                await self._listen()
            except (RedisError, OSError, ExceptionGroup) as error:
                if self._stopped:
                    return
                causes = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
                _logger.warning(
                    "lost the subscriptions at a primary; subscribing again",
                    primary=str(self._primary),
                    rooms=len(self.rooms),
                    # A listener that raises is a bug: log it, but keep the rooms subscribed.
                    exc_info=next(
                        (e for e in causes if not isinstance(e, RedisError | OSError)), None
                    ),
                    error="; ".join(map(str, causes)),
                )
                if not isinstance(causes[0], ResponseError):
                    self._primary.health.suspect()
                await self._owner.lost(self, causes[0])
            if self._failures:
                pause = min(LONGEST_PAUSE, 0.05 * 2**self._failures)
                await asyncio.sleep(pause * world.random().uniform(0.5, 1))
            self._failures += 1

    async def _listen(self) -> None:
        resp = await self._primary.listen(self._take)
        resp.ended.add_done_callback(_retrieve)  # we may be stopped before `_end` waits for it
        try:
            self._joining.clear()
            self._leaving.clear()
            self._resp = resp
            for room in sorted(self.rooms):
                self._join(room)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(_end(resp))
                tasks.create_task(self._watch())
        finally:
            self._resp = None
            resp.close(StoreConnectionError("no longer wanted"))

    async def _watch(self) -> None:
        """Find out whether the other end of the connection is dead. Raises ConnectionError."""
        self._heard = True
        while True:
            await asyncio.sleep(HEARTBEAT)
            if not self._heard:
                raise ConnectionError("the primary has fallen silent")
            self._heard = False
            self._send("PING")

    def _send(self, *command: str) -> None:
        if self._resp is not None:
            self._resp.send(command)

    def _take(self, message: Reply) -> None:
        self._heard = True
        match message:
            case [b"smessage", bytes(name), bytes(text)]:
                self._owner.hear(room_of(name), text)
            case [b"ssubscribe", bytes(name), _]:
                room = room_of(name)
                self._joining[room] -= 1
                if self._joining[room] == 0:
                    del self._joining[room]
                    self._owner.confirm(room)
                if not self._joining:
                    self._failures = 0
            case [b"sunsubscribe", bytes(name), _]:
                room = room_of(name)
                if self._leaving[room]:
                    self._leaving[room] -= 1
                    if self._leaving[room] == 0:
                        del self._leaving[room]
                elif room in self.rooms:
                    self._give_up(_LetGo(f"the primary dropped room {room}"))
            case RedisError():
                self._give_up(message)

    def _give_up(self, reason: RedisError) -> None:
        if self._resp is not None:
            self._resp.close(reason)


async def _end(resp: RespConnection) -> None:
    await asyncio.shield(resp.ended)


def _retrieve(done: asyncio.Future[None]) -> None:
    """Mark a failure as seen, even if nobody waits for it any more."""
    if not done.cancelled():
        done.exception()

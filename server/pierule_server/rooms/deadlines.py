"""Watches the clocks of all rooms of the store, whoever is connected (SPEC 9).

Every node looks at all deadlines 4 times a second and when the first of them has come, and settles
due rooms. The store decides whether a room is due (law 3). Several nodes may try at the same time,
because the first entry wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf

import structlog

from pierule_protocol import world
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_server import metrics
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.deadlines import Deadlines, Sweep
from pierule_server.tasks import kept

logger = structlog.get_logger()

INTERVAL = 0.05
"""The fewest seconds between two looks. A time-out must be in the log within 0.1 s of its deadline.
"""

RESTING = 0.25
"""The most seconds between two looks. They keep the heartbeats fresh, show that the store answers,
and find deadlines that a node set just before it died. Any other deadline is known: each look tells
the first of all, and whoever sets an earlier one after that looks when it has come."""

ALARMING = 2
"""After this many failed looks in a row, the log says that the store is away. A busy machine misses
a look now and then, which does no harm."""

SHELVED = 60.0
"""Seconds for which the node leaves alone a room that it cannot settle."""

AT_ONCE = 256
"""Rooms that a node settles in parallel. One by one, each would wait for the store; all together,
they would keep players waiting."""


class DeadlineSweeper:
    """Times rooms out and credits outages."""

    def __init__(self, hub: Hub, log: RoomLog, rooms: Rooms, deadlines: Deadlines) -> None:
        self._hub = hub
        self._log = log
        self._rooms = rooms
        self._deadlines = deadlines
        self._answered = world.monotonic()
        self._first = -inf
        """The first deadline that is known here, in the store's ms since 1970; -inf: look soon."""
        self._sooner = asyncio.Event()
        hub.on_deadline = self._expect
        self._waiting: dict[str, Callable[[str], Awaitable[None]]] = {}
        self._settling: dict[str, asyncio.Task[None]] = {}
        self._shelved: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._missed = 0
        self._stopping = False

    def start(self) -> None:
        """Begin to look at the deadlines."""
        self._task = asyncio.create_task(kept(self._run, "deadlines"))

    async def stop(self) -> None:
        """Stop looking; other nodes go on."""
        self._stopping = True
        tasks = [*self._settling.values(), *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def silence(self) -> float:
        """Seconds since the store last answered a look. There are at least 4 looks a second."""
        return world.monotonic() - self._answered

    def _expect(self, deadline: int) -> None:
        """An event on this node has set this deadline."""
        if deadline < self._first:
            self._first = deadline
            self._sooner.set()

    async def _run(self) -> None:
        while True:
            rested = world.monotonic() + RESTING
            await self._look()
            await asyncio.sleep(INTERVAL)
            while (left := min(rested - world.monotonic(), self._left())) > 0:
                self._sooner.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._sooner.wait()

    def _left(self) -> float:
        """Seconds until the first deadline has passed."""
        return (self._first + 1 - self._log.now()) / 1_000

    async def _look(self) -> None:
        self._first = inf
        try:
            sweep = await self._deadlines.sweep(len(self._shelved))
        except StoreUnavailable as error:
            self._first = -inf
            self._missed += 1
            if self._missed == ALARMING:
                logger.warning("the store is away; clocks wait for it", error=str(error))
        else:
            if self._missed >= ALARMING:
                logger.info("the store is back; clocks go on")
            self._missed = 0
            self._answered = world.monotonic()
            self._first = -inf if sweep.lost else min(self._first, sweep.first)
            self._settle(sweep)

    def _settle(self, sweep: Sweep) -> None:
        """Settle the rooms that this look found. It also found what the last look left."""
        now = world.monotonic()
        self._shelved = {room: until for room, until in self._shelved.items() if until > now}
        self._waiting = dict.fromkeys(sweep.lost, self._rooms.changes.credit)
        for room_id in sweep.due:
            self._waiting.setdefault(room_id, self._rooms.time_out)
        for room_id in self._shelved.keys() | self._settling.keys():
            self._waiting.pop(room_id, None)
        self._begin()

    def _begin(self) -> None:
        """Begin to settle as many rooms as may be settled in parallel."""
        while self._waiting and len(self._settling) < AT_ONCE:
            room_id = next(iter(self._waiting))
            settle = self._waiting.pop(room_id)
            task = asyncio.create_task(self._guard(room_id, settle(room_id)))
            self._settling[room_id] = task
            task.add_done_callback(partial(self._end, room_id))
        metrics.ROOMS_DUE.set(len(self._waiting) + len(self._settling))

    def _end(self, room_id: str, _: asyncio.Task[None]) -> None:
        del self._settling[room_id]
        if not self._stopping:
            self._begin()

    async def _guard(self, room_id: str, work: Awaitable[None]) -> None:
        """Settle a room, and handle errors. The next look finds the room again."""
        try:
            await work
        except StoreUnavailable:
            pass
        except Refused as error:
            logger.warning("a due room could not be settled; trying again later",
                           room=room_id, error=str(error))  # fmt: skip
            self._shelved[room_id] = world.monotonic() + SHELVED
        except CorruptLog as error:
            with suppress(StoreUnavailable):
                await self._rooms.set_aside(error)
        except UnknownGame as error:
            logger.warning("a due room needs a game that this node lacks: install it",
                           room=room_id, error=str(error))  # fmt: skip
            self._shelved[room_id] = world.monotonic() + SHELVED
        except Exception:
            # A bug: log it, and do not try 20 times a second.
            logger.exception("a due room could not be settled: please file a bug", room=room_id)
            self._shelved[room_id] = world.monotonic() + SHELVED

"""Compares what this node knows of watched rooms with their logs, slowly.

A publication that never arrives leaves no trace: the next one shows the hole, but there may be no
next one. So every `INTERVAL` seconds the node asks for the end of every watched room's log, and no
loss stays unnoticed for longer (SPEC 6.6). It checks doubtful rooms (their subscription broke, or
they could not be read) as soon as possible. `recovery` repairs rooms. A repair may take long, and
no other room waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import partial
from zlib import crc32

import structlog

from pierule_protocol import world
from pierule_protocol.log.events import Place
from pierule_server.store.room_log import StoreUnavailable

logger = structlog.get_logger()

INTERVAL = 10.0
"""Seconds within which every watched room is checked."""

SLICES = 10
"""A check has this many parts, which spread the load on the store."""

GRACE = 0.5
"""Seconds that a publication may take, even to a busy node. A difference that lasts longer means a
loss."""


class PlaceCheck:
    """Checks rooms. `watched()` gives the rooms to check. `known(rooms)` gives their places as the
    node knows them, `ends(rooms)` asks the store. `repair(room, deaf)` repairs a room, and does not
    raise."""

    def __init__(
        self,
        watched: Callable[[], Collection[str]],
        known: Callable[[Collection[str]], dict[str, Place]],
        ends: Callable[[Collection[str]], Awaitable[Mapping[str, Place]]],
        repair: Callable[[str, bool], Coroutine[None, None, None]],
    ) -> None:
        self._watched = watched
        self._known = known
        self._ends = ends
        self._repair = repair
        self._doubted: set[str] = set()
        self._repairs: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()

    def doubt(self, rooms: Collection[str], *, soon: bool = True) -> None:
        """What the node knows of these rooms may be outdated: check it now, or (not `soon`) with
        the next part."""
        self._doubted.update(rooms)
        if soon and rooms:
            self._wake.set()

    async def run(self) -> None:
        """Check rooms until cancelled. Repairs end with it."""
        try:
            await self._run()
        finally:
            repairs = list(self._repairs.values())
            for repair in repairs:
                repair.cancel()
            await asyncio.gather(*repairs, return_exceptions=True)

    async def _run(self) -> None:
        for_each = INTERVAL / SLICES
        number, next_at = 0, 0.0
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout(max(0, next_at - loop.time())):
                    await self._wake.wait()
            except TimeoutError:
                next_at = loop.time() + for_each * world.random().uniform(0.8, 1)
                number = (number + 1) % SLICES
                part = [each for each in self._watched() if crc32(each.encode()) % SLICES == number]
                await self._check(set(part) - self._doubted, doubted=False)
            self._wake.clear()
            doubted, self._doubted = self._doubted, set()
            await self._check(doubted, doubted=True)

    async def _check(self, rooms: Collection[str], *, doubted: bool) -> None:
        repaired = self._repairs.keys() & set(rooms)
        self.doubt(repaired, soon=False)  # a repair may have read the log before the doubt
        known = self._known(sorted(set(rooms) - repaired))
        if not known:
            return
        try:
            ends = await self._ends(known)
        except StoreUnavailable:
            ends = {}
        self.doubt(known.keys() - ends.keys(), soon=False)
        behind = _differing(self._known(known), ends)
        if behind and not doubted:
            await asyncio.sleep(GRACE)
            # If a room has moved since we asked, its subscription works, and it may be ahead.
            after = self._known(behind)
            behind = [room for room in after if after[room] == known[room]]
            if behind:
                logger.warning("missed publications; reading the logs", rooms=len(behind))
        for room in behind:
            self._begin(room, deaf=not doubted)

    def _begin(self, room: str, *, deaf: bool) -> None:
        repair = self._repairs[room] = asyncio.create_task(self._repair(room, deaf))
        repair.add_done_callback(partial(self._end, room))

    def _end(self, room: str, repair: asyncio.Task[None]) -> None:
        del self._repairs[room]
        if not repair.cancelled() and (error := repair.exception()):
            logger.error("a room could not be repaired", room=room, exc_info=error)
            self.doubt([room], soon=False)


def _differing(known: Mapping[str, Place], ends: Mapping[str, Place]) -> list[str]:
    return [room for room, place in known.items() if room in ends and place != ends[room]]

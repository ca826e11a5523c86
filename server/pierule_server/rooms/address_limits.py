"""Limits what an address may leave in the store (law 10): abandoned rooms (SPEC 1.12), and
unfinished games without a clock (SPEC 9.11).

An abandoned room is an open room in which nobody waits. It is not abandoned while its maker, or a
player in it, follows it at any node. Its deadline tells (`Attendance`).

Actions are free, and what a game leaves in the store stays until it ends: without a clock, for 30
days after the latest action. An address that plays itself, takes back what it may and then leaves
each game alone would fill the store. So beyond a number that an honest address does not reach, the
quietest of its games end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TypeVar

from pierule_protocol.state.room import CorruptLog, Done, Room
from pierule_server.rooms.decisions.decide import Decision, Refused, close, give_up
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.tables import Tables

T = TypeVar("T")

FRESH_MS = 10_000
"""A new room does not count as abandoned for this many milliseconds: its maker joins it with a
second request, and a school may make thirty rooms at the same time."""

KEPT_MS = 2_700_000_000
"""Milliseconds (a little over 31 days) for which the store keeps the games of an address: longer
than any of them can be quiet."""

SPARED = 0.9
"""If there are too many games, all but this part of those allowed end at once, so that a look at
all of them is rare."""

AT_ONCE = 64
"""Games to look at, or to end, in parallel."""

WHY = "an address may have only so many unfinished games without a clock; this was the quietest"


@dataclass
class _Limit:
    """An address may have at most `most` rooms of a kind; 0: no limit. `change` carries out a
    decision on a room."""

    hub: Hub
    log: RoomLog
    tables: Tables
    most: int
    change: Callable[[str, Callable[[Room], Decision]], Awaitable[Done]]

    async def _end(self, room_id: str, decision_on: Callable[[Room], Decision]) -> None:
        with suppress(Refused):  # the room is gone already
            await self.change(room_id, decision_on)


class AbandonedRooms(_Limit):
    """Limits the abandoned rooms of an address."""

    async def made(self, origin: str, room_id: str) -> None:
        """A room was made from this address: end the oldest ones beyond the limit."""
        if not self.most:
            return
        with suppress(StoreUnavailable):  # the next room from this address finds them
            for oldest in await self.tables.origins.note(origin, room_id, self.most):
                if await self._keep(oldest):
                    await self.tables.origins.note(origin, oldest, self.most)
                else:
                    await self.tables.origins.drop(origin, oldest)

    async def _keep(self, room_id: str) -> bool:
        """Whether a room stays because somebody waits in it. If not, this ends the room."""
        try:
            room = await self.hub.peek(room_id)
        except CorruptLog:
            return False
        if room is None or room.status != "open":
            return False
        deadline = await self.tables.deadlines.of(room_id)
        if deadline is not None and deadline - self.log.now() > room.open_time - FRESH_MS:
            return True
        await self._end(room_id, give_up)
        return False


@dataclass
class UnfinishedGames(_Limit):
    """Limits the unfinished games without a clock of an address."""

    _thinned: set[str] = field(default_factory=set)

    async def played(self, shares: Sequence[tuple[str, int]], room_id: str) -> None:
        """Somebody has sat down or played in this room. `shares` are what stands for the address
        and for its wider network, and how many times as many games each may have."""
        if not self.most or not shares:
            return
        room = await self.hub.peek(room_id)
        if room is None or not _endless(room):
            return
        for origin, times in shares:
            most = self.most * times
            with suppress(StoreUnavailable):  # the next game of this address finds them
                if await self.tables.origins.note(origin, room_id, most, KEPT_MS):
                    await self._thin(origin, most)

    async def _thin(self, origin: str, most: int) -> None:
        """Forget the games that are over, and end the quietest if there are too many."""
        if origin in self._thinned:
            return
        self._thinned.add(origin)
        try:
            rooms = await self.tables.origins.rooms(origin)
            deadlines = await _each(self.tables.deadlines.of, rooms)
            known = [(due, room) for due, room in zip(deadlines, rooms, strict=True) if due]
            running = [room for _, room in sorted(known, key=itemgetter(0))]
            over = sorted(set(rooms) - set(running))
            if len(running) > most:
                quietest = running[: len(running) - int(SPARED * most)]
                await _each(lambda room: self._end(room, _let_go), quietest)
                over += quietest
            await _each(lambda room: self.tables.origins.drop(origin, room), over)
        finally:
            self._thinned.discard(origin)


def _endless(room: Room) -> bool:
    """Whether a game runs without a clock: it may go on for ever."""
    return room.status == "running" and room.created.clock is None


def _let_go(room: Room) -> Decision:
    if not _endless(room):
        return Done(room.created, room.place, room.turn)
    return close(room, WHY, by="limit")


async def _each(work: Callable[[str], Awaitable[T]], names: Sequence[str]) -> list[T]:
    found: list[T] = []
    for start in range(0, len(names), AT_ONCE):
        found += await asyncio.gather(*map(work, names[start : start + AT_ONCE]))
    return found

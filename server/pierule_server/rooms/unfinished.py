"""Limits how many unfinished games without a clock an address may have (law 10, SPEC 9.11).

Actions are free, and what a game leaves in the store stays until it ends: without a clock, for 30
days after the latest action. An address that plays itself, takes back what it may and then leaves
each game alone would fill the store. So beyond a number that an honest address does not reach, the
quietest of its games end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import TypeVar

from pierule_protocol.state.room import Done, Room
from pierule_server.rooms.decisions.decide import Decision, Refused, close
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.origins import Origins

T = TypeVar("T")

KEPT_MS = 2_700_000_000
"""Milliseconds (a little over 31 days) for which the store keeps the games of an address: longer
than any of them can be quiet."""

SPARED = 0.9
"""If there are too many games, all but this part of those allowed end at once, so that a look at
all of them is rare."""

AT_ONCE = 64
"""Games to look at, or to end, in parallel."""

WHY = "an address may have only so many unfinished games without a clock; this was the quietest"


class UnfinishedGames:
    """An address may have at most `most` unfinished games without a clock; 0: no limit. `change`
    carries out a decision on a room."""

    def __init__(
        self,
        hub: Hub,
        origins: Origins,
        most: int,
        change: Callable[[str, Callable[[Room], Decision]], Awaitable[Done]],
    ) -> None:
        self._hub = hub
        self._origins = origins
        self._most = most
        self._change = change
        self._thinned: set[str] = set()

    async def played(self, shares: Sequence[tuple[str, int]], room_id: str) -> None:
        """Somebody has sat down or played in this room. `shares` are what stands for the address
        and for its wider network, and how many times as many games each may have."""
        if not self._most or not shares:
            return
        room = await self._hub.peek(room_id)
        if room is None or not _endless(room):
            return
        for origin, times in shares:
            most = self._most * times
            with suppress(StoreUnavailable):  # the next game of this address finds them
                if await self._origins.note(origin, room_id, most, KEPT_MS):
                    await self._thin(origin, most)

    async def _thin(self, origin: str, most: int) -> None:
        """Forget the games that are over, and end the quietest if there are too many."""
        if origin in self._thinned:
            return
        self._thinned.add(origin)
        try:
            rooms = await self._origins.rooms(origin)
            deadlines = await _each(self._origins.deadline, rooms)
            known = [(due, room) for due, room in zip(deadlines, rooms, strict=True) if due]
            running = [room for _, room in sorted(known, key=itemgetter(0))]
            over = sorted(set(rooms) - set(running))
            if len(running) > most:
                over += await self._end(running[: len(running) - int(SPARED * most)])
            await _each(lambda room: self._origins.drop(origin, room), over)
        finally:
            self._thinned.discard(origin)

    async def _end(self, rooms: Sequence[str]) -> Sequence[str]:
        async def end(room: str) -> None:
            with suppress(Refused):  # the room is gone already
                await self._change(room, _let_go)

        await _each(end, rooms)
        return rooms


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

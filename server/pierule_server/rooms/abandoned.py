"""Limits how many abandoned rooms an address may have: open rooms in which nobody waits (law 10,
SPEC 1.12).

A room is not abandoned while its maker, or a player in it, follows it at any node. Its deadline
tells (`Attendance`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from pierule_protocol.state.room import CorruptLog, Done, Room
from pierule_server.rooms.decisions.decide import Decision, Refused, give_up
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.origins import Origins

FRESH_MS = 10_000
"""A new room does not count as abandoned for this many milliseconds: its maker joins it with a
second request, and a school may make thirty rooms at the same time."""


class AbandonedRooms:
    """An address may have at most `most` abandoned rooms; 0: no limit. `change` carries out a
    decision on a room."""

    def __init__(
        self,
        hub: Hub,
        log: RoomLog,
        origins: Origins,
        most: int,
        change: Callable[[str, Callable[[Room], Decision]], Awaitable[Done]],
    ) -> None:
        self._hub = hub
        self._log = log
        self._origins = origins
        self._most = most
        self._change = change

    async def made(self, origin: str, room_id: str) -> None:
        """A room was made from this address: end the oldest ones beyond the limit."""
        if not self._most:
            return
        with suppress(StoreUnavailable):  # the next room from this address finds them
            for oldest in await self._origins.note(origin, room_id, self._most):
                if await self._keep(oldest):
                    await self._origins.note(origin, oldest, self._most)
                else:
                    await self._origins.drop(origin, oldest)

    async def _keep(self, room_id: str) -> bool:
        """Whether a room stays because somebody waits in it. If not, this ends the room."""
        try:
            room = await self._hub.peek(room_id)
        except CorruptLog:
            return False
        if room is None or room.status != "open":
            return False
        deadline = await self._origins.deadline(room_id)
        if deadline is not None and deadline - self._log.now() > room.open_time - FRESH_MS:
            return True
        with suppress(Refused):  # the room is gone already
            await self._change(room_id, give_up)
        return False

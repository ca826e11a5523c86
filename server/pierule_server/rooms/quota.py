"""Limits how many rooms a user may hold, over all nodes (law 10).

This module decides when a user holds a room; the store keeps the list.
"""

from __future__ import annotations

import asyncio

import structlog

from pierule_protocol.codes import Code
from pierule_protocol.state.room import Room
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.memberships import Memberships

logger = structlog.get_logger()


class Quota:
    """A user may hold at most `most` open or running rooms, which they made or sit in; 0: no
    limit."""

    def __init__(self, memberships: Memberships, most: int) -> None:
        self._memberships = memberships
        self._most = most

    async def take(self, user: str, room_id: str) -> None:
        """Note that the user holds a room. Call this before you make the room: a later `take` finds
        a note without a room and removes it, but a room without a note would never count. Raises
        Refused if the user has too many."""
        if await self._memberships.reserve(user, room_id, self._most):
            return
        await self._memberships.prune(user)
        if not await self._memberships.reserve(user, room_id, self._most):
            raise self._refusal()

    async def check(self, user: str) -> None:
        """Raise Refused if the user may not hold a further room now."""
        if 0 < self._most <= len(await self._memberships.held(user)):
            await self._memberships.prune(user)
            if self._most <= len(await self._memberships.held(user)):
                raise self._refusal()

    def _refusal(self) -> Refused:
        return Refused(Code.LIMIT, f"you may have at most {self._most} open or running rooms")

    async def note(self, user: str, room_id: str) -> None:
        """Note that the user holds a room, however many they have."""
        await self._memberships.reserve(user, room_id, 0)

    async def give_back(self, user: str, room_id: str) -> None:
        """Remove the note: the user does not hold the room, or no longer does."""
        try:
            await self._memberships.release(user, room_id)
        except StoreUnavailable as error:  # `take` removes it if it is ever in the way
            logger.warning(
                "a room still counts for a user; it will be removed later",
                room=room_id, error=str(error),
            )  # fmt: skip

    async def over(self, room: Room) -> None:
        """The room is over: nobody holds it any more."""
        users = {room.created.user, *(holder.user for holder in room.seats if holder)}
        await asyncio.gather(*(self.give_back(user, room.id) for user in sorted(users)))

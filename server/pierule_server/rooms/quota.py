"""How many rooms one user may hold at a time, over all nodes (law 10).

It decides when a room counts as held; the store keeps the list.
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
    """At most `most` rooms for each user, open or running, that they made or sit in; 0: no
    limit."""

    def __init__(self, memberships: Memberships, most: int) -> None:
        self._memberships = memberships
        self._most = most

    async def take(self, user: str, room_id: str) -> None:
        """Let the user hold a room. Call it first: a note without a room is found and removed some
        day, but a room without a note would never count. Raises Refused."""
        if await self._memberships.reserve(user, room_id, self._most):
            return
        await self._memberships.prune(user)
        if not await self._memberships.reserve(user, room_id, self._most):
            raise self._refusal()

    async def check(self, user: str) -> None:
        """Raises Refused if the user may hold no further room now."""
        if 0 < self._most <= len(await self._memberships.held(user)):
            await self._memberships.prune(user)
            if self._most <= len(await self._memberships.held(user)):
                raise self._refusal()

    def _refusal(self) -> Refused:
        return Refused(Code.LIMIT, f"you may have {self._most} open or running rooms")

    async def note(self, user: str, room_id: str) -> None:
        """Let the user hold a room, however many they hold."""
        await self._memberships.reserve(user, room_id, 0)

    async def give_back(self, user: str, room_id: str) -> None:
        """The user does not hold the room after all, or no longer."""
        try:
            await self._memberships.release(user, room_id)
        except StoreUnavailable as error:  # `take` finds it, should it ever be in the way
            logger.warning("a user's room was not released", room=room_id, error=str(error))

    async def over(self, room: Room) -> None:
        """The room is over: nobody holds it any more."""
        users = {room.created.user, *(holder.user for holder in room.seats if holder)}
        await asyncio.gather(*(self.give_back(user, room.id) for user in sorted(users)))

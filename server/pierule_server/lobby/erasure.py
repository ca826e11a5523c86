"""Removes the name of a user who deleted their account (SPEC 24.4).

From then on, nodes read logs without that name (`store.tables.naming`). This module removes it from
what nodes have in memory, and from listings. A listing shows what the latest writer of a room's
card knew. So every node that knew the name corrects the listings once it has forgotten the name.
Each step is safe to repeat.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pierule_protocol.messages import Card, Seat
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import RoomLog
from pierule_server.store.tables.accounts import nameless
from pierule_server.store.tables.tables import Tables

GONE = "gone:"
"""The name of the note that tells nodes of a deleted account."""

LIFE_MS = 60_000
"""Milliseconds for which the note is kept. A node that may have missed it looks up the accounts of
all users that it knows."""

_cards = msgspec.json.Decoder(Card)


class Unlisting:
    """Takes names out of listings."""

    def __init__(self, hub: Hub, log: RoomLog, tables: Tables) -> None:
        self._hub = hub
        self._log = log
        self._inboxes = tables.inboxes
        self._memberships = tables.memberships

    async def forget(self, user: str) -> None:
        """Remove the name of a user whose account is deleted from all nodes and listings. Raises
        StoreUnavailable."""
        await self._inboxes.put(user, GONE, "", LIFE_MS)
        await self.unlist(user)

    async def unlist(self, user: str) -> None:
        """Show the user's rooms in listings without the name. Raises StoreUnavailable."""
        for _, room_id in await self._memberships.held(user):
            room = await self._hub.peek(room_id)
            if room is not None:
                await self._log.recard(room_id, _without(user, room.seats_of(user)))


def _without(user: str, seats: list[Seat]) -> Callable[[bytes], bytes]:
    def change(text: bytes) -> bytes:
        card = _cards.decode(text)
        first, second = (
            nameless(user) if seat in seats else name for seat, name in enumerate(card.names)
        )
        return msgspec.json.encode(msgspec.structs.replace(card, names=(first, second)))

    return change

"""Tells players of slow games that it is their turn, though they do not follow the room (SPEC
23.12). What is lost here is no event: `mine` tells whose turn it is.
"""

from __future__ import annotations

import msgspec

from pierule_protocol.controls import DAY, Correspondence
from pierule_protocol.messages import Notice
from pierule_protocol.room import Room
from pierule_server.store.inboxes import Inboxes

LIFE_MS = 14 * DAY
"""Milliseconds for which a notice is kept: the longest that a turn may take."""


def is_slow(room: Room) -> bool:
    """Whether its players are told."""
    return isinstance(room.created.clock, Correspondence)


async def tell_turn(inboxes: Inboxes, room: Room) -> None:
    """Tell whoever is to act, and forget that the turn before was somebody's."""
    text = msgspec.json.encode(Notice(kind="your_turn", room=room.id)).decode()
    to_act = room.position.to_act if room.status == "running" else None
    acting = None if to_act is None else room.seats[to_act]
    for user in {holder.user for holder in room.seats if holder}:
        if acting is not None and acting.user == user:
            await inboxes.put(user, f"turn:{room.id}:{room.turn}", text, LIFE_MS)
        else:
            await inboxes.drop(user, f"turn:{room.id}:{room.turn}")
        await inboxes.drop(user, f"turn:{room.id}:{room.turn - 1}")

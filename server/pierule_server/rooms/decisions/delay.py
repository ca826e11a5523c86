"""Decides how much of a room spectators may see: they may be some actions behind (SPEC 20.5).

Pure. The delayed view is the fold of a shorter log, so nodes send it in the same way as the room
itself.
"""

from __future__ import annotations

from itertools import islice

from pierule_protocol.log.events import Acted
from pierule_protocol.state.room import Room


def is_delayed(room: Room) -> bool:
    """Whether spectators see less of the room than its players."""
    return bool(room.created.delay) and room.status != "over"


def horizon(room: Room) -> int:
    """The seq of the latest event that spectators may know: the event before the latest `delay`
    actions, whether taken back or not; once the game is over, the last event. Within an epoch it
    never falls."""
    if not is_delayed(room):
        return room.place.seq
    acted = (done.place.seq for done in reversed(room.turns) if isinstance(done.record, Acted))
    return min(islice(acted, room.created.delay), default=room.place.seq + 1) - 1

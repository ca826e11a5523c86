"""Tells players of slow games that it is their turn, though they do not follow the room (SPEC
23.12). What is lost here is no event: `mine` tells whose turn it is.
"""

from __future__ import annotations

import msgspec

from pierule_protocol.log.controls import DAY, Correspondence
from pierule_protocol.messages import Notice
from pierule_protocol.state.room import Room
from pierule_server.store.tables.inboxes import Inboxes

KIND = "turn:"
"""Of the notes that tell it."""

OFF = "webhook:off"
"""The note that a user's webhook was removed because it always failed."""

LIFE_MS = 14 * DAY
"""Milliseconds for which a notice is kept: the longest that a turn may take."""


def is_slow(room: Room) -> bool:
    """Whether its players are told."""
    return isinstance(room.created.clock, Correspondence)


async def tell_turn(inboxes: Inboxes, room: Room, call: int = 0) -> None:
    """Tell whoever is to act, and forget that the turn before was somebody's. Whom nobody serves
    is to be called `call` milliseconds later (0: never)."""
    text = msgspec.json.encode(Notice(kind="your_turn", room=room.id)).decode()
    to_act = room.position.to_act if room.status == "running" else None
    acting = None if to_act is None else room.seats[to_act]
    for user in {holder.user for holder in room.seats if holder}:
        if acting is not None and acting.user == user:
            await inboxes.put(user, note_of(room.id, room.turn), text, LIFE_MS, call=call)
        else:
            await inboxes.drop(user, note_of(room.id, room.turn))
        await inboxes.drop(user, note_of(room.id, room.turn - 1))


def note_of(room: str, turn: int) -> str:
    """The name of the note that a turn is somebody's."""
    return f"{KIND}{room}:{turn}"


def turn_of(note: str) -> tuple[str, int]:
    """The room and the turn that such a note is about."""
    _, room, turn = note.split(":")
    return room, int(turn)

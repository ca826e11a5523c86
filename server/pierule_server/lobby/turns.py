"""Tells players of slow games that it is their turn, even if they do not follow the room (SPEC
23.12). If a notice is lost, no event is lost: `my_rooms` says whose turn it is."""

from __future__ import annotations

import asyncio

import msgspec
import structlog

from pierule_protocol.log.controls import DAY, Correspondence
from pierule_protocol.messages import Notice
from pierule_protocol.state.room import Room
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.inboxes import Inboxes

logger = structlog.get_logger()

KIND = "turn:"
"""The names of your-turn notes begin with this."""

OFF = "webhook:off"
"""The name of the note that says that the user's webhook was removed because it kept failing."""

CALL_MS = 5_000
"""Milliseconds that nodes have to tell a user of their turn before they call the webhook."""

AGAIN = 1.0
"""Seconds until a player is told who could not be told because the store was away."""

LIFE_MS = 14 * DAY
"""Milliseconds for which a notice is kept: the longest that a turn may take."""


def is_slow(room: Room) -> bool:
    """Whether a room's game is slow, so its players are told of their turns."""
    return isinstance(room.created.clock, Correspondence)


class Turns:
    """Tells players of their turns. If `called`, players who are not connected to any node get a
    call of their webhook."""

    def __init__(self, hub: Hub, inboxes: Inboxes, *, called: bool) -> None:
        self._hub = hub
        self._inboxes = inboxes
        self._call = CALL_MS if called else 0
        self._missed: dict[str, None] = {}

    async def run(self) -> None:
        """Tell those who could not be told because the store was away, until cancelled."""
        while True:
            await asyncio.sleep(AGAIN)
            for room_id in list(self._missed):
                del self._missed[room_id]  # first: the room may be missed anew meanwhile
                if not await self._told(room_id):
                    self._missed[room_id] = None

    async def acted(self, room_id: str) -> None:
        """Tell the player whose turn it is, after anything that can change the turn: an action, an
        end, an agreement, a rematch, a new game. Await this before you answer: if the node dies, a
        client without an answer asks again, so no note is lost. If the store is away, they are
        told later."""
        room = self._hub.cache.at_hand(room_id)
        if room is not None and not is_slow(room):  # true for almost every action
            return
        if not await self._told(room_id):
            logger.warning("a player is told of their turn once the store is back", room=room_id)
            self._missed[room_id] = None

    async def _told(self, room_id: str) -> bool:
        """Tell whoever is to act in a room and in its rematch. False if the store is away."""
        try:
            room = await self.tell(room_id)
            if room is not None and room.rematch is not None:
                await self.tell(room.rematch)
        except StoreUnavailable:
            return False
        return True

    async def tell(self, room_id: str) -> Room | None:
        """Tell the player whose turn it is in a room. Returns the room, or None if its game is not
        slow. Raises StoreUnavailable."""
        room = await self._hub.peek(room_id)
        if room is None or not is_slow(room):
            return None
        await tell_turn(self._inboxes, room, self._call)
        return room


async def tell_turn(inboxes: Inboxes, room: Room, call: int = 0) -> None:
    """Tell the player whose turn it is, and drop the note of the previous turn. If the player is
    not connected, their webhook is called `call` milliseconds later (0: never)."""
    text = msgspec.json.encode(Notice(kind="your_turn", room=room.id)).decode()
    to_act = room.position.to_act if room.status == "running" else None
    acting = None if to_act is None else room.seats[to_act]
    for user in sorted({holder.user for holder in room.seats if holder}):
        if acting is not None and acting.user == user:
            await inboxes.put(user, note_of(room.id, room.turn), text, LIFE_MS, call=call)
        else:
            await inboxes.drop(user, note_of(room.id, room.turn))
        await inboxes.drop(user, note_of(room.id, room.turn - 1))


def note_of(room: str, turn: int) -> str:
    """The name of the note about a turn."""
    return f"{KIND}{room}:{turn}"


def turn_of(note: str) -> tuple[str, int]:
    """The room and the turn in the name of such a note."""
    _, room, turn = note.split(":")
    return room, int(turn)

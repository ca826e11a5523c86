"""Nobody analyzes a game here that they are playing (SPEC 6.15).

It is a rule for honest players: whoever wants to break it uses another name, or another program.
"""

from __future__ import annotations

import asyncio

from pierule_protocol.codes import Code
from pierule_protocol.messages import ReplayQuery
from pierule_protocol.state.room import Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.making import rules_of
from pierule_server.store.tables.memberships import Memberships

MOST = 100
"""The most rooms of a user that are looked at; a user has half as many (SPEC 1.6)."""

AT_ONCE = 8
"""Logs that are read at the same time, of rooms that are not in memory."""


async def check_others(
    hub: Hub, memberships: Memberships, user: User, request: ReplayQuery
) -> None:
    """Raises Refused for a line that begins like a running game of this user, as far as that has
    come, and as `rules_of` does. A game without actions is nobody's yet."""
    _, size = rules_of(request.game, request.size, request.rules)
    if not request.actions:
        return
    held = [room for _, room in await memberships.held(user.id)][:MOST]
    for start in range(0, len(held), AT_ONCE):
        for room in await asyncio.gather(*map(hub.peek, held[start : start + AT_ONCE])):
            if room is not None and _is_played(room, user) and _begins(room, size, request):
                text = f"you are playing this in room {room.id}; analyze it when the game is over"
                raise Refused(Code.NOT_NOW, text)


def _is_played(room: Room, user: User) -> bool:
    return room.status == "running" and bool(room.seats_of(user.id))


def _begins(room: Room, size: int, request: ReplayQuery) -> bool:
    """Whether the room's actions are the first ones of the line."""
    position, actions = room.position, room.actions
    same = (position.game, position.size) == (request.game, size)
    return same and bool(actions) and request.actions[: len(actions)] == list(actions)

"""Keeps players from analyzing a game that they are playing (SPEC 6.15).

This rule is for honest players: others can use another name, or another program.
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
"""The most rooms of a user to look at. By default a user has at most half as many (SPEC 1.6)."""

AT_ONCE = 8
"""Logs to read in parallel, of rooms that are not in memory."""

_WHY = "you are playing this game in room {room}; analyze it when it is over"


async def check_others(
    hub: Hub, memberships: Memberships, user: User, request: ReplayQuery
) -> None:
    """Raise Refused for a line that begins with all actions of a running game of this user; games
    without actions do not count. Also raises as `rules_of` does, and StoreUnavailable."""
    _, size = rules_of(request.game, request.size, request.rules)
    if not request.actions:
        return
    async with hub.slices.alone():
        held = [room for _, room in await memberships.held(user.id)][:MOST]
        for start in range(0, len(held), AT_ONCE):
            for room in await asyncio.gather(*map(hub.peek, held[start : start + AT_ONCE])):
                if room is not None and _is_played(room, user) and _begins(room, size, request):
                    raise Refused(Code.NOT_NOW, _WHY.format(room=room.id))


def _is_played(room: Room, user: User) -> bool:
    return room.status == "running" and bool(room.seats_of(user.id))


def _begins(room: Room, size: int, request: ReplayQuery) -> bool:
    """Whether the room's actions are the first ones of the line."""
    position, actions = room.position, room.actions
    same = (position.game, position.size) == (request.game, size)
    return same and bool(actions) and request.actions[: len(actions)] == list(actions)

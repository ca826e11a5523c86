"""Lists the rooms in which a user plays, from any device (SPEC 23.9)."""

from __future__ import annotations

import asyncio

from pierule_protocol.messages import MyRoom
from pierule_protocol.state.room import Room, own_card
from pierule_server.rooms.hub import Hub
from pierule_server.store.tables.memberships import Memberships

MOST = 100
"""The most rooms to list."""

AT_ONCE = 8
"""Logs to read in parallel."""


async def my_rooms(hub: Hub, memberships: Memberships, user: str) -> list[MyRoom]:
    """The rooms that are not over and in which the user has a seat, the latest first. The user's
    memberships only say where to look; the logs decide. Raises StoreUnavailable."""
    held = [room_id for _, room_id in await memberships.held(user)][:MOST]
    found = []
    for start in range(0, len(held), AT_ONCE):
        part = held[start : start + AT_ONCE]
        rooms = await asyncio.gather(*(_look(hub, room_id) for room_id in part))
        for room_id, (room, aside) in zip(part, rooms, strict=True):
            if room is not None and room.status == "over":
                if not aside:
                    await memberships.release(user, room_id)
            elif room is not None and room.seats_of(user):
                found.append(_mine(room, user, aside=aside))
    return sorted(found, key=lambda mine: mine.card.at, reverse=True)


async def _look(hub: Hub, room_id: str) -> tuple[Room | None, bool]:
    """A room, and whether it is in quarantine: then what can be read of it."""
    room = await hub.peek(room_id)
    aside = await hub.is_aside(room_id)  # afterwards, because a damaged room goes there
    return room or (await hub.remains(room_id) if aside else None), aside


def _mine(room: Room, user: str, *, aside: bool) -> MyRoom:
    to_act = room.position.to_act if room.status == "running" and not aside else None
    return MyRoom(card=own_card(room), seats=room.seats_of(user), to_act=to_act, aside=aside)

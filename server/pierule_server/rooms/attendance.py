"""Counts who follows the rooms of this node, tells all nodes, and shows it (SPEC 6.5, 25).

`presence` defines audiences. The store remembers when players were there, so nobody can claim that
a present player is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias

from pierule_protocol.messages import Seat
from pierule_protocol.state.room import Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.live import Live
from pierule_server.rooms.presence import ALONE, Announcer, Part
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.deadlines import SEEN_MS, Deadlines

Here: TypeAlias = Mapping[str, Collection[Seat]]
"""By room: the seats whose players this node serves."""


class Attendance:
    """The audiences of the `rooms` in a node's memory. `start` runs background work, and handles
    its StoreUnavailable."""

    def __init__(
        self,
        node: str,
        log: RoomLog,
        deadlines: Deadlines,
        rooms: Mapping[str, Live],
        start: Callable[..., None],
    ) -> None:
        self._node = node
        self._log = log
        self._deadlines = deadlines
        self._rooms = rooms
        self._start = start
        self._announcer = Announcer(self._settle, self._refresh)
        self._refreshes = 0

    async def run(self) -> None:
        """Announce changes, and everything now and then, until cancelled."""
        await self._announcer.run()

    def followed(self) -> list[str]:
        """The rooms that clients of this node follow."""
        return [room_id for room_id, live in self._rooms.items() if live.followers]

    def spectators(self) -> dict[str, int]:
        """How many spectators this node serves, by room; rooms without any are left out."""
        parts = ((room_id, live.audience.own) for room_id, live in self._rooms.items())
        return {room_id: part.spectators for room_id, part in parts if part and part.spectators}

    def touch(self, room_id: str) -> None:
        """The audience of this room may have changed."""
        self._announcer.touch(room_id)

    def hear(self, live: Live, text: str) -> None:
        """A node has announced its part of an audience."""
        if live.audience.hear(self._node, text):
            self.touch(live.room.id)

    def missed(self, room_id: str) -> None:
        """Announcements or questions of other nodes about this room may have been lost."""
        live = self._rooms[room_id]
        if live.followers:
            live.audience.announce = live.audience.ask = True
            self.touch(room_id)

    async def greet(self, live: Live, user: User) -> None:
        """A user is about to follow a room: from now on nobody can claim that they are gone."""
        with suppress(StoreUnavailable):  # then nobody can claim anything
            await self._attend({live.room.id: live.room.seats_of(user.id)})
            if live.room.status == "open" and user.id in live.room.waiting:
                await self._extend([live.room])

    def _refresh(self) -> list[str]:
        """Tell the store who is here, and return the rooms to announce again."""
        followed = {room_id: self._rooms[room_id].audience for room_id in self.followed()}
        here = {room_id: (audience.own or Part()).seats for room_id, audience in followed.items()}
        self._start(self._attend, here)
        self._refreshes += 1
        every = self._refreshes % ALONE == 0
        if every:
            self._start(self._extend, self._waited_in(followed))
        rooms = [room_id for room_id, each in followed.items() if every or not each.steady]
        for room_id in rooms:
            followed[room_id].announce = True
        return rooms

    async def _attend(self, here: Here) -> None:
        """Tell the store that these players are there, in rooms with a running game."""
        running = {
            room_id: seats
            for room_id, seats in here.items()
            if seats and (live := self._rooms.get(room_id)) and live.room.status == "running"
        }
        if running:
            await self._deadlines.mark_seen(running)

    def _waited_in(self, rooms: Iterable[str]) -> list[Room]:
        """The open rooms in which a user of this node waits."""
        return [
            live.room
            for live in map(self._rooms.__getitem__, rooms)
            if live.room.status == "open"
            and any(each.user and each.user.id in live.room.waiting for each in live.followers)
        ]

    async def _extend(self, rooms: list[Room]) -> None:
        """Let these open rooms stay until they are announced again, and after that for as long as
        an open room stays by itself."""
        if rooms:
            await self._deadlines.extend({room.id: room.open_time + SEEN_MS for room in rooms})

    async def _settle(self, room_id: str) -> None:
        live = self._rooms.get(room_id)
        if live is None:
            return
        audience = live.audience
        users = (follower.user.id for follower in live.followers if follower.user)
        before = audience.own or Part()
        changed = audience.count(live.room, users)
        with suppress(StoreUnavailable):  # when it is this room's turn again
            if audience.own and audience.own.players != before.players:
                await self._attend({room_id: {*before.seats, *audience.own.seats}})
            if live.room.status == "running" and not all(audience.total(live.shown).players):
                audience.seen = await self._deadlines.seen(room_id)
        total = audience.total(live.shown)
        if total != audience.shown:
            wait = audience.show(total, len(live.followers))
            if wait:
                self._announcer.touch_later(room_id, wait)
            else:
                live.send(total)
        if changed or audience.announce:
            ask, audience.announce, audience.ask = audience.ask, False, False
            text = (audience.own or Part()).note(self._node, ask)
            try:
                await self._log.announce(room_id, text)
            except StoreUnavailable:
                audience.announce, audience.ask = True, ask  # when it is this room's turn again

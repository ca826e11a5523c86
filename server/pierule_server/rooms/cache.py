"""Keeps rooms in a node's memory, and decides which to drop.

A room without followers stays for a while. Beyond a bound, the room that was unused longest goes.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine

from pierule_protocol.log.events import Place
from pierule_protocol.state.room import Room
from pierule_server import metrics
from pierule_server.rooms.live import Live


class RoomCache:
    """Rooms in memory, at most `most_idle` of them without followers. `load` reads a room that is
    not there; `gone` hears of each dropped room."""

    def __init__(
        self,
        most_idle: int,
        load: Callable[[str], Coroutine[None, None, Live]],
        gone: Callable[[str], None],
    ) -> None:
        self.live: dict[str, Live] = {}
        self.most_idle = max(
            most_idle, 1
        )  # a room must stay from its load until somebody follows it
        self._load = load
        self._gone = gone
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()

    async def stop(self) -> None:
        """Cancel all loads."""
        for loading in self._loading.values():
            loading.cancel()
        await asyncio.gather(*self._loading.values(), return_exceptions=True)

    def ready(self, room_id: str) -> Live | None:
        """The room, if it is in memory and completely loaded."""
        live = self.live.get(room_id)
        if live is None or room_id in self._loading:
            return None
        if room_id in self._idle:
            self._idle.move_to_end(room_id)
        return live

    async def get(self, room_id: str) -> Live:
        """The room, from memory or from its log. Raises what `load` raises."""
        live = self.ready(room_id)
        if live is not None:
            return live
        loading = self._loading.get(room_id)
        if loading is None:
            loading = self._loading[room_id] = asyncio.create_task(self._load(room_id))
            loading.add_done_callback(lambda _: self._loading.pop(room_id))
        return await asyncio.shield(loading)

    async def loaded(self, room_id: str) -> Live | None:
        """The room, if it is in memory or on its way there. Raises what `load` raises."""
        at_hand = room_id in self.live or room_id in self._loading
        return await self.get(room_id) if at_hand else None

    def players(self) -> set[str]:
        """The players in all rooms in memory."""
        rooms = (live.room for live in self.live.values())
        return {holder.user for room in rooms for holder in room.seats if holder}

    def forget(self, users: Collection[str]) -> None:
        """Remove the names of these users, also from rooms that are being loaded."""

        def now(_: object = None) -> None:
            for live in self.live.values():
                live.forget(users)

        now()
        for loading in self._loading.values():
            loading.add_done_callback(now)

    def at_hand(self, room_id: str) -> Room | None:
        """The room, if this node has it in memory."""
        live = self.live.get(room_id)
        return None if live is None else live.room

    def is_solo(self, room_id: str) -> bool:
        """Whether this node has the room in memory, and one user holds both seats."""
        room = self.at_hand(room_id)
        return room is not None and room.solo

    def places(self, rooms: Collection[str]) -> dict[str, Place]:
        """The places of these rooms, as far as they are in memory."""
        return {room: self.live[room].room.place for room in rooms if room in self.live}

    def rest(self, live: Live) -> None:
        """Keep a room without followers for a while. If there are too many, drop the room that was
        unused longest."""
        if live.followers:
            return
        self._idle[live.room.id] = None
        self._idle.move_to_end(live.room.id)
        while len(self._idle) > self.most_idle:
            self.let_go(next(iter(self._idle)))

    def use(self, live: Live) -> bool:
        """A client follows a room. False if the room was dropped meanwhile: get it again."""
        self._idle.pop(live.room.id, None)
        return self.live.get(live.room.id) is live

    def drop_finished(self) -> None:
        """Drop rooms that are over and have no followers: hardly anybody will ask for them."""
        for room_id in [each for each in self._idle if self.live[each].room.status == "over"]:
            self.let_go(room_id)

    def let_go(self, room_id: str) -> None:
        """Drop a room from memory."""
        self._idle.pop(room_id, None)
        self.live.pop(room_id, None)
        self._gone(room_id)

    def measure(self) -> None:
        """Update the gauges of rooms."""
        metrics.ROOMS.labels("idle").set(len(self._idle))
        metrics.ROOMS.labels("followed").set(len(self.live) - len(self._idle))

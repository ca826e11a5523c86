"""Shows the lobby: polls the store while anybody watches, sends a snapshot and then changes.

Nobody announces changes. A look at all buckets costs the same whatever happens in the rooms and
however many users watch. What it finds comes from rooms and leases, so nothing in it is stale. The
node serialises each change once for each codec (law 11).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from pierule_protocol import world
from pierule_protocol.codec import Codec
from pierule_protocol.messages import FreeBots, LobbyChange, LobbyRoom, LobbyState, Pool
from pierule_server.connections.connection import Broadcast, Connection, frame
from pierule_server.lobby import house_bots
from pierule_server.rooms.hub import Hub
from pierule_server.store.outages import Outages
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.listing import Listing, LobbyContents, by_bucket
from pierule_server.store.tables.paging import PARTS, Listed, RoomFilter
from pierule_server.store.tables.pools import PoolKey

INTERVAL = 0.5
"""Seconds between two looks at the store, and so the least time between two changes."""

ROOMS = 100
"""The most rooms of each status, and the most pools, that are sent."""

SHARE = 20
"""Rooms of each status that come from one network (in IPv6 a /48) and go before those of others:
otherwise one address could hide everybody else's rooms."""

SETTLE = 10.0
"""If only its turn and time change, a room is sent again no sooner than after this many seconds."""

COUNT_SECONDS = 2.0
"""Seconds between two counts of this node's own spectators."""

COUNT_AGAIN = 10.0
"""Seconds after which the node announces a count again even if it has not changed."""


class View:
    """The lobby as the node `node` shows it, and the number of spectators of each room there."""

    def __init__(self, hub: Hub, listing: Listing, node: str) -> None:
        self._hub = hub
        self._listing = listing
        self._node = node
        self._watched: dict[RoomFilter, Watched] = {}
        self._last_seq = 0
        """The highest `seq` of lobbies that nobody watches any more, so no `seq` is used twice."""
        self._wake = asyncio.Event()
        self._looking = asyncio.Lock()
        self._looked = float("-inf")
        self._look = LobbyContents([], {}, Counter())

    async def refresh(self) -> None:
        """Read the lobby, unless the last look is younger than `INTERVAL`. Raises
        StoreUnavailable."""
        async with self._looking:
            if world.monotonic() - self._looked >= INTERVAL:
                self._look = in_order(await self._listing.read())
                self._looked = world.monotonic()
                for watched in [*self._watched.values()]:
                    if watched.watchers:
                        watched.take(self._look)
                        # One address can watch 48 lobbies, and each takes up to some milliseconds.
                        await asyncio.sleep(0)

    async def levels(self) -> list[str]:
        """The levels of house bots that somebody runs. Raises StoreUnavailable."""
        await self.refresh()
        return [each.bot_level for each in house_bots.levels(self._look.waiting)]

    def watch(self, connection: Connection, wanted: RoomFilter) -> None:
        """Send the lobby now, and its changes from now on: the wanted rooms, and the pools of their
        game."""
        self._leave(connection)
        watched = self._watched.get(wanted)
        if watched is None:
            watched = self._watched[wanted] = Watched(wanted, self._last_seq + 1)
            watched.take(self._look)
        watched.watchers.add(connection)
        self._wake.set()
        connection.push(watched.snapshot(connection.codec))

    def leave(self, connection: Connection) -> None:
        """Stop sending the lobby to this connection."""
        self._leave(connection)
        if not self._watched:
            self._wake.clear()

    def _leave(self, connection: Connection) -> None:
        for wanted, watched in [*self._watched.items()]:
            watched.watchers.discard(connection)
            if not watched.watchers:
                del self._watched[wanted]
                self._last_seq = max(self._last_seq, watched.seq)

    async def run(self) -> None:
        """Look at the store while anybody watches, until cancelled."""
        outages = Outages("the lobby is out of date because the store does not answer")
        while True:
            await self._wake.wait()
            with outages:
                await self.refresh()
            await asyncio.sleep(INTERVAL)

    async def count_spectators(self) -> None:
        """Tell the other nodes the number of spectators of each room here, until cancelled."""
        told: dict[int, str] = {}
        again_at = 0.0
        while True:
            await asyncio.sleep(COUNT_SECONDS)
            counts = by_bucket(self._hub.attendance.spectators())
            refresh = world.monotonic() >= again_at
            changed = {
                bucket: text for bucket, text in counts.items()
                if text != told.get(bucket, "") or (refresh and text)
            }  # fmt: skip
            try:
                if changed:
                    await self._listing.count_spectators(self._node, changed)
            except StoreUnavailable:
                continue
            told |= changed
            if refresh:
                again_at = world.monotonic() + COUNT_AGAIN


class Watched:
    """The lobby as all watchers see it who want the same rooms."""

    def __init__(self, wanted: RoomFilter, seq: int) -> None:
        self.watchers: set[Connection] = set()
        self.seq = seq
        self._wanted = wanted
        self._rooms: dict[str, LobbyRoom] = {}
        self._told: dict[str, float] = {}
        self._pools: dict[PoolKey, Pool] = {}
        self._bots = 0
        self._levels: list[FreeBots] = []
        self._snapshots: dict[str, bytes] = {}

    def snapshot(self, codec: Codec[Any]) -> bytes:
        """A frame with the state, encoded once for each codec."""
        data = self._snapshots.get(codec.subprotocol)
        if data is None:
            state = LobbyState(
                seq=self.seq, rooms=list(self._rooms.values()), pools=list(self._pools.values()),
                bots=self._bots, bot_levels=self._levels,
            )  # fmt: skip
            data = self._snapshots[codec.subprotocol] = frame(codec, state)
        return data

    def take(self, look: LobbyContents) -> None:
        """Make this the state, and send the changes to the watchers."""
        now = world.monotonic()
        rooms = {}
        for room in _newest(look, self._wanted):
            room_id, known = room.card.room, self._rooms.get(room.card.room)
            rested = now - self._told.get(room_id, now) < SETTLE
            rooms[room_id] = known if known and rested and _alike(known, room) else room
        pools = {
            key: Pool(game=key.game, size=key.size, control=key.clock, waiting=waiting)
            for key, waiting in self._most_wanted(look)
        }
        bots = house_bots.free_bots(look.waiting)
        levels = house_bots.levels(look.waiting)
        changed = [room for room_id, room in rooms.items() if room != self._rooms.get(room_id)]
        change = LobbyChange(
            seq=self.seq + 1,
            rooms=changed,
            gone=[room_id for room_id in self._rooms if room_id not in rooms],
            pools=[
                *(pool for key, pool in pools.items() if pool != self._pools.get(key)),
                *(_empty(pool) for key, pool in self._pools.items() if key not in pools),
            ],
            bots=None if bots == self._bots else bots,
            bot_levels=None if levels == self._levels else levels,
        )
        told = {room_id: self._told.get(room_id, now) for room_id in rooms}
        self._told = told | {room.card.room: now for room in changed}
        self._rooms, self._pools, self._bots, self._levels = rooms, pools, bots, levels
        news = change.rooms or change.gone or change.pools
        if news or change.bots is not None or change.bot_levels is not None:
            self.seq = change.seq
            self._snapshots.clear()
            Broadcast(change).send(self.watchers)

    def _most_wanted(self, look: LobbyContents) -> list[tuple[PoolKey, int]]:
        """The pools in which most users wait, and how many users wait in each."""
        pools = [
            (key, waiting) for key, waiting in look.waiting.items()
            if not house_bots.is_of_bots(key) and self._wanted.game in (None, key.game)
        ]  # fmt: skip
        return sorted(pools, key=lambda item: -item[1])[:ROOMS]


def in_order(look: LobbyContents) -> LobbyContents:
    """What the lobby shows, with its rooms in order: those in which somebody waits come first, then
    the latest."""
    return replace(look, rooms=sorted(look.rooms, key=_place))


def _newest(look: LobbyContents, wanted: RoomFilter) -> Iterable[LobbyRoom]:
    """The wanted rooms, up to `ROOMS` of each status, as they come in the look. Of each network,
    those beyond its `SHARE` come last."""
    left = {"open": ROOMS, "running": ROOMS}
    shares = Counter[tuple[str, str]]()
    beyond = []
    for room in wanted.among(look.rooms):
        status = _status(room)
        shares[status, room.origin] += 1
        if shares[status, room.origin] > SHARE:
            beyond.append(room)
        elif left[status] > 0:
            left[status] -= 1
            yield _shown(look, room)
        elif not any(left.values()):
            return
    for room in beyond:
        if left[_status(room)] > 0:
            left[_status(room)] -= 1
            yield _shown(look, room)


def _shown(look: LobbyContents, room: Listed) -> LobbyRoom:
    return LobbyRoom(card=room.card, spectators=look.spectators[room.room])


def _place(room: Listed) -> tuple[int, int]:
    return PARTS.index(room.part), -room.score


def _status(room: Listed) -> str:
    return "running" if room.part == "running" else "open"


def _alike(one: LobbyRoom, other: LobbyRoom) -> bool:
    """Whether two states of a room differ only in turn and time."""
    card = msgspec.structs.replace(one.card, turn=other.card.turn, at=other.card.at)
    return (card, one.spectators) == (other.card, other.spectators)


def _empty(pool: Pool) -> Pool:
    return msgspec.structs.replace(pool, waiting=0)

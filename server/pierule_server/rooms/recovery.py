"""Reads rooms from their logs, and the events that this node or a client has missed (laws 2 and 6).

Whatever does not fit, the log decides. If a log has lost its end, a new epoch begins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

import structlog

from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Entry, Place, Renewed, Step, encode_record, step
from pierule_protocol.messages import Event
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame, room_card
from pierule_server import metrics
from pierule_server.identity.tokens import User
from pierule_server.rooms.cache import RoomCache
from pierule_server.rooms.decisions.decide import Refused, listed
from pierule_server.rooms.decisions.delay import horizon, is_delayed
from pierule_server.rooms.live import RECENT, Live, events_after, place_of, refold, refolding
from pierule_server.rooms.proofs import Proofs
from pierule_server.rooms.slices import Slices
from pierule_server.store.room_log import Conflict, RoomLog, StoreUnavailable
from pierule_server.terms import AppendOptions

logger = structlog.get_logger()

TRIES = 8
"""How often to read a log to find its end. Nodes rarely collide there, so if this is not enough,
the store is in trouble."""

MOST_UNPLAYABLE = 100
"""The most rooms that a node names because it lacks their rules."""

GAP = 20
"""This many missed events cost nothing: more are rarely missed when a connection breaks or a node
restarts."""

EVENTS = 10
"""Beyond `GAP`, this many events cost 1: those that are sent, or the whole log if it must be folded
again."""

Pay: TypeAlias = Callable[[float], float]
"""Pays a price. Returns 0 if it is paid, else the seconds until it can be."""

SHORT = 100
"""A log of at most this many entries is folded in one go: that takes less than a slice."""


def free(_: float) -> float:
    """A `Pay` that charges nothing."""
    return 0.0


def _price(gap: int, length: int) -> float:
    """The price of resuming a room after `gap` missed events, if its log has `length` entries (SPEC
    1.11)."""
    if gap <= GAP:
        return 0.0
    return (gap if gap <= RECENT else length) / EVENTS


class Recovery:
    """Reads logs. `apply` takes the next entry of a room in memory; `doubt` hears of a room that
    could not be read."""

    def __init__(
        self,
        log: RoomLog,
        cache: RoomCache,
        proofs: Proofs,
        slices: Slices,
        apply: Callable[[Live, Entry], None],
        doubt: Callable[[str], None],
    ) -> None:
        self._log = log
        self._cache = cache
        self._proofs = proofs
        self._slices = slices
        self._apply = apply
        self._doubt = doubt
        self.unplayable: dict[str, UnknownGame] = {}
        """Requested rooms whose rules this node lacks, each with what it needs."""

    async def entries(self, room_id: str) -> list[Entry]:
        """The room's log. Raises Refused if there is no such room, and StoreUnavailable."""
        entries = await self._log.read(room_id) or await self._left(room_id)
        if not entries:
            raise Refused(Code.UNKNOWN_ROOM, field="room")
        return entries

    async def fold(self, room_id: str, entries: list[Entry]) -> Room:
        """The fold of a log, in slices if it is long. Raises CorruptLog, and UnknownGame, which it
        also notes in `unplayable`."""
        try:
            if len(entries) <= SHORT:
                return refold(room_id, entries)
            return await self._slices.work(refolding(room_id, entries))
        except UnknownGame as error:
            if len(self.unplayable) < MOST_UNPLAYABLE:
                self.unplayable[room_id] = error
            raise

    async def shown(self, room: Room, entries: list[Entry]) -> tuple[Room, list[Entry]]:
        """A room as spectators see it, and the entries that they may not know yet."""
        if not is_delayed(room):
            return room, []
        end = horizon(room)
        return await self.fold(room.id, entries[:end]), entries[end:]

    async def catch_up(self, live: Live) -> None:
        """Bring a room to the end of its log, whatever was missed. Raises Refused if the room is
        gone, CorruptLog and StoreUnavailable."""
        async with live.catching_up:
            known = live.room.place
            entries = await self._log.read(live.room.id, first=known.seq)
            if not entries or entries[0].place != known:
                await self._renew(live, known)
                return
            for entry in entries:
                match step(live.room.place, entry):
                    case Step.NEXT:
                        self._apply(live, entry)
                    case Step.HOLE | Step.FORK:
                        raise CorruptLog(live.room.id, entry.seq, "does not follow")

    async def _left(self, room_id: str) -> list[Entry]:
        """The entries of a log, confirmed like an appended entry: only that can show what was lost.
        Raises StoreUnavailable."""
        for _ in range(TRIES):
            entries = await self._log.read(room_id)
            end = entries[-1].place if entries else EMPTY
            if await self._log.confirm(room_id, end, last=True):
                return entries
        raise StoreUnavailable

    async def renew(self, live: Live, known: Place) -> None:
        """Begin a new epoch, because a client proves that the log has lost an event."""
        async with live.catching_up:
            await self._renew(live, known)

    async def _renew(self, live: Live, known: Place) -> None:
        """The log lacks a place that we know, so it has lost its end. Begin a new epoch with the
        rest."""
        room_id = live.room.id
        put_away: Place | None = None
        for _ in range(TRIES):
            entries = await self._left(room_id)
            if not entries:
                self._end(live)
                raise Refused(Code.UNKNOWN_ROOM, field="room")
            room = await self.fold(room_id, entries)
            if room.place.epoch > known.epoch or room.place == put_away:
                break
            card = listed(room, room_card(room))
            # Epochs are named by time (SPEC 3.2), so an epoch that a fail-over loses is not reused.
            epoch = max(known.epoch + 1, self._log.now() // 1_000)
            try:
                await self._log.append(
                    room_id,
                    room.place,
                    encode_record(Renewed()),
                    AppendOptions(card=card, epoch=epoch),
                )
                metrics.count_event(Renewed())
            except Conflict:
                put_away = room.place  # if it still ends there: then nothing can be appended
        else:
            raise StoreUnavailable
        logger.error(
            "the store lost the end of a log", room=room_id, epoch=known.epoch, seq=known.seq
        )
        live.begin(room, *await self.shown(room, entries))
        for follower in live.followers:
            live.send_snapshot(follower)

    def _end(self, live: Live) -> None:
        """Drop a room that the store no longer has."""
        room_id = live.room.id
        if self._cache.live.get(room_id) is live:
            self._cache.let_go(room_id)
            live.end()
        if live.room.status != "over":  # else its retention has ended
            metrics.ROOMS_LOST.inc()
            logger.error(
                "the store has lost a room: see PieruleRoomsLost in the runbook", room=room_id
            )

    async def repair(self, live: Live) -> None:
        """Catch up with what the subscription has missed, and count it."""
        known = live.room.place
        try:
            await self.catch_up(live)
        except StoreUnavailable:
            self._doubt(live.room.id)
            raise
        found = live.room.place
        if found.epoch == known.epoch:
            metrics.HOLES_REPAIRED.inc(found.seq - known.seq)

    async def missed(
        self, live: Live, user: User, since: Place, pay: Pay = free
    ) -> list[Event] | None:
        """The events after a place that a user may see, in order. None if the log does not have
        that place, or the user may not know it or cannot pay: then a snapshot costs us less."""
        gap = live.view(user).place.seq - since.seq
        if pay(_price(gap, live.room.place.seq)):
            return None
        found = None
        if since.seq <= live.view(user).place.seq:
            found = await self._since(live, since)
        if found is None:  # this node may be behind, or know what the log has lost
            await self.repair(live)
            found = await self._since(live, since)
        end = live.view(user).place.seq
        if found is None or since.seq > end:
            return None
        return [event for event in found if event.seq <= end]

    async def has_told(self, live: Live, user: User, epoch: int, seq: int) -> bool:
        """Whether the log has an event of this epoch and number that a follower may know."""
        if not 1 <= seq <= live.view(user).place.seq:
            return False
        recent = live.recent
        if recent and seq >= recent[0].seq:
            return recent[seq - recent[0].seq].epoch == epoch
        return any(entry.epoch == epoch for entry in (await self._log.read(live.room.id, seq))[:1])

    async def _since(self, live: Live, since: Place) -> list[Event] | None:
        if since == live.room.place:
            return []
        recent = live.recent
        if recent and since.seq >= recent[0].seq:
            kept = list(recent)[since.seq - recent[0].seq :]
            return kept[1:] if kept and place_of(kept[0]) == since else None
        known = await self._log.read(live.room.id, since.seq) if since.seq else []
        if not known or known[0].place != since:
            return None
        entries = await self._log.read(live.room.id)
        first = max(1, min(since.seq, len(entries) - RECENT))
        room, events = await self._slices.work(
            events_after(live.room.id, entries, first, self._proofs)
        )
        events += [event for event in live.recent if event.seq > room.place.seq]
        if live.recent is recent:
            live.remember(events)
        return [event for event in events if event.seq > since.seq]

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where the logs of these rooms end. If the log of a finished room is gone, this takes the
        room as put away, because a closer look would cost more."""
        ends = await self._log.ends(rooms)
        for room, place in self._cache.places(rooms).items():
            if self._cache.live[room].room.status == "over" and ends.get(room) == EMPTY:
                ends[room] = place
        return ends

"""The rooms that this node has at hand, and their audience.

A `Live` room is a cache of a log, kept up to date by the store's subscription (laws 2 and 5).
Every event is folded once and serialised once for each codec, however many follow (law 11).
Whatever does not fit what is known is settled by reading the log (law 6).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection
from typing import ParamSpec

import msgspec
import structlog
from msgspec import UNSET

from pierule_protocol.codes import Code
from pierule_protocol.events import Entry, Place, Renewed, Step, encode_record, step
from pierule_protocol.messages import Event, LogEntry, Ok, ServerMessage, Snapshot
from pierule_protocol.room import (
    CorruptLog,
    Foreseen,
    Room,
    before,
    diff,
    fold,
    room_card,
    room_digest,
    room_state,
)
from pierule_server.connection import Connection, frame
from pierule_server.decide import Refused
from pierule_server.presence import Announcer, Audience, Part
from pierule_server.store.log import Conflict, Log, StoreUnavailable

log = structlog.get_logger()

P = ParamSpec("P")

RECENT = 128
"""Events of a room kept ready for those who resume; older ones are made from the log again."""
RETRY = 1.0
"""Seconds after which a room that is known to be behind asks a store that was away again."""


class Live:
    """One room at hand: its fold, those who follow it here, and its latest events."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.followers: set[Connection] = set()
        self.audience = Audience()
        self.recent: deque[Event] = deque(maxlen=RECENT)
        self.foreseen: Foreseen | None = None
        self.catching_up = asyncio.Lock()
        self.behind = False
        self.mending = False
        self.snapshots: dict[str, bytes] = {}

    def send(self, message: ServerMessage) -> None:
        """Send to every follower, serialising once for each codec."""
        frames: dict[str, bytes] = {}
        for follower in self.followers:
            codec = follower.codec
            data = frames.get(codec.subprotocol)
            if data is None:
                data = frames[codec.subprotocol] = frame(codec, message)
            follower.push(data)

    def measure_lag(self) -> None:
        """Have the round trip to the player measured whose clock runs now: the ping goes out
        right behind the event that began the turn."""
        clock = self.room.clock
        if clock is None or clock.running is None:
            return
        holder = self.room.seats[clock.running]
        for follower in self.followers:
            if holder and follower.user and follower.user.id == holder.user:
                follower.measure_lag()

    def send_snapshot(self, follower: Connection) -> None:
        """Send the room as it is; the bytes are kept until the next event."""
        codec = follower.codec
        data = self.snapshots.get(codec.subprotocol)
        if data is None:
            data = self.snapshots[codec.subprotocol] = frame(
                codec, Snapshot(state=room_state(self.room))
            )
        follower.push(data)


class Hub:
    """All rooms at hand on this node; the listener of the log's subscriptions."""

    def __init__(self, node: str, idle_rooms: int) -> None:
        self.log: Log
        self._node = node
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()
        self._idle_rooms = max(idle_rooms, 1)  # a room just loaded is to be there to be followed
        self._tasks: set[asyncio.Task[None]] = set()
        self._announcer = Announcer(self._settle_audience, self._followed)

    def start(self, log: Log) -> None:
        """Begin to work over a log whose listener this hub is."""
        self.log = log
        self._start(self._announcer.run)

    async def stop(self) -> None:
        """End all tasks."""
        for task in [*self._tasks, *self._loading.values()]:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._loading.values(), return_exceptions=True)

    # --- rooms come and go -----------------------------------------------------------------

    async def get(self, room_id: str) -> Live:
        """The room, from memory or from its log. Raises Refused if there is none."""
        loading = self._loading.get(room_id)
        if loading is None:
            live = self._live.get(room_id)
            if live is not None:
                if room_id in self._idle:
                    self._idle.move_to_end(room_id)
                return live
            loading = self._loading[room_id] = asyncio.create_task(self._load(room_id))
            loading.add_done_callback(lambda _: self._loading.pop(room_id))
        return await asyncio.shield(loading)

    async def _load(self, room_id: str) -> Live:
        entries = await self.log.read(room_id)
        if not entries:
            raise Refused(Code.UNKNOWN_ROOM, field="room")
        live = Live(refold(room_id, entries))
        # Subscribe, then read again: what is appended in between is found by one or the other.
        await self.log.subscribe(room_id)
        self._live[room_id] = live
        try:
            await self.catch_up(live)
        except Exception:
            self._forget(room_id)  # it may lack what was appended in between
            raise
        self._rest(live)
        return live

    def _rest(self, live: Live) -> None:
        """Keep a room that nobody follows for a while; let go of the one unused the longest."""
        if live.followers:
            return
        self._idle[live.room.id] = None
        self._idle.move_to_end(live.room.id)
        while len(self._idle) > self._idle_rooms:
            self._forget(next(iter(self._idle)))

    def _forget(self, room_id: str) -> None:
        self._live.pop(room_id, None)
        self._idle.pop(room_id, None)
        self._start(self._unsubscribe, room_id)

    async def _unsubscribe(self, room_id: str) -> None:
        await self.log.unsubscribe(room_id)
        live = self._live.get(room_id)
        if live is not None:  # it was wanted again meanwhile
            await self.log.subscribe(room_id)
            await self.catch_up(live)

    def follow(
        self, connection: Connection, live: Live, missed: list[Event] | None, answer: Ok
    ) -> bool:
        """Make a connection a follower: send the answer, then the events that it missed or a
        snapshot; what happens from now on follows by itself.

        False, and nothing is sent, if the room was let go meanwhile: get it again.
        """
        if self._live.get(live.room.id) is not live:
            return False
        connection.send(answer)
        live.followers.add(connection)
        connection.following.add(live.room.id)
        self._idle.pop(live.room.id, None)
        if missed is None:
            live.send_snapshot(connection)
        else:
            for event in missed:
                connection.send(event)
        connection.send(live.audience.total(live.room.id))
        self._announcer.touch(live.room.id)
        return True

    def leave(self, connection: Connection, room_id: str) -> None:
        """No longer send a room's events to a connection."""
        connection.following.discard(room_id)
        live = self._live.get(room_id)
        if live is not None and connection in live.followers:
            live.followers.discard(connection)
            self._announcer.touch(room_id)
            self._rest(live)

    # --- what the log tells ----------------------------------------------------------------

    def entry(self, room: str, entry: Entry) -> None:
        """An entry was published (see `store.log.Listener`)."""
        live = self._live.get(room)
        if live is None:
            return
        match step(live.room.place, entry):
            case Step.NEXT:
                try:
                    self._apply(live, entry)
                except CorruptLog as error:
                    log.exception("corrupt log", error=str(error))
            case Step.HOLE | Step.FORK:
                self._mend(live)

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms may be missing."""
        for room in rooms:
            if room in self._live:
                self._mend(self._live[room])

    def _mend(self, live: Live) -> None:
        live.behind = True
        if not live.mending:
            live.mending = True
            self._start(self._catch_up_at_last, live)

    async def _catch_up_at_last(self, live: Live) -> None:
        """Catch up, however long the store is away: nobody else may ever ask."""
        try:
            while live.behind and self._live.get(live.room.id) is live:
                live.behind = False
                try:
                    await self.catch_up(live)
                except StoreUnavailable as error:
                    log.warning("cannot catch up yet", room=live.room.id, error=str(error))
                    live.behind = True
                    await asyncio.sleep(RETRY)
        finally:
            live.mending = False

    async def catch_up(self, live: Live) -> None:
        """Bring a room to the end of its log, whatever was missed."""
        async with live.catching_up:
            known = live.room.place
            entries = await self.log.read(live.room.id, first=known.seq)
            if not entries or entries[0].place != known:
                await self._renew(live, known)
                return
            for entry in entries:
                if step(live.room.place, entry) is Step.NEXT:
                    self._apply(live, entry)

    async def _renew(self, live: Live, known: Place) -> None:
        """The log does not hold what we know: its end was lost. What is left begins a new epoch."""
        room_id = live.room.id
        log.error("the store lost the end of a log", room=room_id, epoch=known.epoch, seq=known.seq)
        while True:
            entries = await self.log.read(room_id)
            if not entries:
                self._forget(room_id)
                raise Refused(Code.UNKNOWN_ROOM, "the store has lost this room", field="room")
            room = refold(room_id, entries)
            if room.place.epoch > known.epoch:
                break
            card = None if room.status == "over" else msgspec.json.encode(room_card(room))
            try:
                await self.log.append(
                    room_id, room.place, encode_record(Renewed()), card=card, renew=True
                )
            except Conflict:
                continue
        live.room = room
        live.foreseen = None
        live.recent.clear()
        live.snapshots.clear()
        for follower in live.followers:
            live.send_snapshot(follower)

    def _apply(self, live: Live, entry: Entry) -> None:
        event = fold_event(live.room, entry, live.foreseen)
        live.foreseen = None
        live.recent.append(event)
        live.snapshots.clear()
        live.send(event)
        if event.diff.seats is not UNSET:
            self._announcer.touch(live.room.id)
        live.measure_lag()

    async def missed(self, live: Live, since: Place) -> list[Event] | None:
        """The events after a place, in order; None if the log does not know that place."""
        if since > live.room.place:
            await self.catch_up(live)  # the client may know more than this node has heard
        if since == live.room.place:
            return []
        recent = live.recent
        if recent and since.seq >= recent[0].seq:
            kept = list(recent)[since.seq - recent[0].seq :]
            return kept[1:] if kept and _place(kept[0]) == since else None
        entries = await self.log.read(live.room.id)
        if not 1 <= since.seq <= len(entries) or entries[since.seq - 1].place != since:
            return None
        room = refold(live.room.id, entries[: since.seq])
        events = [fold_event(room, entry) for entry in entries[since.seq :]]
        return events + [event for event in recent if event.seq > room.place.seq]

    # --- the audience ----------------------------------------------------------------------

    def note(self, room: str, text: str) -> None:
        """A node told of its part of the audience (see `store.log.Listener`)."""
        live = self._live.get(room)
        if live is not None and live.audience.hear(self._node, text):
            self._announcer.touch(room)

    def _followed(self) -> list[str]:
        rooms = [room_id for room_id, live in self._live.items() if live.followers]
        for room_id in rooms:
            self._live[room_id].audience.announce = True
        return rooms

    async def _settle_audience(self, room_id: str) -> None:
        live = self._live.get(room_id)
        if live is None:
            return
        audience = live.audience
        first_time = audience.own is None
        users = (follower.user.id for follower in live.followers if follower.user)
        changed = audience.count(live.room, users)
        total = audience.total(room_id)
        if total != audience.shown:
            audience.shown = total
            live.send(total)
        if changed or audience.announce:
            audience.announce = False
            text = (audience.own or Part()).note(self._node, ask=first_time)
            try:
                await self.log.announce(room_id, text)
            except StoreUnavailable as error:
                audience.announce = True  # at the next refresh
                log.warning("audience not announced", room=room_id, error=str(error))

    # --- tasks -----------------------------------------------------------------------------

    def _start(self, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs) -> None:
        task = asyncio.create_task(self._guard(work, *args, **kwargs))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guard(
        self, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Background work may find the store away: the next gap or request tries again."""
        try:
            await work(*args, **kwargs)
        except (StoreUnavailable, Refused) as error:
            log.warning("background work given up", error=str(error))
        except CorruptLog as error:
            log.exception("corrupt log", error=str(error))


def refold(room_id: str, entries: list[Entry]) -> Room:
    """The fold of a whole log (at least one entry). Raises CorruptLog."""
    room: Room | None = None
    for entry in entries:
        room = fold(room, room_id, entry)
    assert room is not None
    return room


def log_entries(room_id: str, entries: list[Entry]) -> list[LogEntry]:
    """A whole log with the digest after each entry."""
    room: Room | None = None
    kept = []
    for entry in entries:
        room = fold(room, room_id, entry)
        kept.append(
            LogEntry(
                epoch=entry.epoch,
                seq=entry.seq,
                chain=entry.chain,
                at=entry.at,
                record=entry.record,
                digest=room_digest(room),
            )
        )
    return kept


def fold_event(room: Room, entry: Entry, foreseen: Foreseen | None = None) -> Event:
    """Fold one entry and give the event that tells clients of it."""
    old = before(room)
    fold(room, room.id, entry, foreseen)
    return Event(
        room=room.id,
        epoch=entry.epoch,
        seq=entry.seq,
        chain=entry.chain,
        at=entry.at,
        record=entry.record,
        diff=diff(old, room),
        digest=room_digest(room),
    )


def _place(event: Event) -> Place:
    return Place(event.epoch, event.seq, event.chain)

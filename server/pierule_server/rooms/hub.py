"""The rooms that this node has at hand, and their audience.

A `Live` room is a cache of a log, kept up to date by the store's subscription (laws 2 and 5).
Every event is folded once and serialised once for each codec, however many follow (law 11).
Whatever does not fit what is known is settled by reading the log (law 6).
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from typing import ParamSpec

import structlog
from msgspec import UNSET

from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.events import EMPTY, Entry, Place, Renewed, Step, encode_record, step
from pierule_protocol.messages import CHANNELS, Channel, Event, Line, Notice, Ok
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame, room_card
from pierule_server import metrics
from pierule_server.gateway.connection import Connection
from pierule_server.gateway.connections import Connections
from pierule_server.identity.tokens import User
from pierule_server.rooms.attendance import Attendance
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.decisions.delay import horizon, is_delayed, listed
from pierule_server.rooms.live import Live, events_after, place_of, refold, refolding
from pierule_server.rooms.positions import Positions
from pierule_server.rooms.proofs import Proofs
from pierule_server.rooms.slices import Slices
from pierule_server.rooms.talks import Talks, end_apartness
from pierule_server.rooms.topic import Topic
from pierule_server.store.room_log import Conflict, Log, StoreUnavailable, Terms
from pierule_server.store.tables.quarantine import damage_of
from pierule_server.store.tables.tables import Tables

log = structlog.get_logger()

P = ParamSpec("P")

TRIES = 8
"""How often a log is read anew to find its end. Nodes rarely meet there; more means that the store
ails."""

SHORT = 100
"""Entries of a log that are folded at once: they take less than a slice."""

RETRY = 1.0
"""Seconds between two tries to subscribe to a room that must not stay deaf."""


class Hub:
    """All rooms at hand on this node; the listener of the log's subscriptions."""

    def __init__(
        self,
        node: str,
        log: Log,
        tables: Tables,
        idle_rooms: int,
        connections: Connections | None = None,
    ) -> None:
        self.log = log
        self.proofs = Proofs(tables.secrets)
        self.talks = Talks(tables.chats, self.catch_up)
        self._quarantine = tables.quarantine
        self.topics: dict[str, Topic] = {}
        """Who hears of what is published under names that are no rooms'."""
        self.now: Callable[[], int] = _wall_clock
        """The store's time in milliseconds, roughly, until somebody knows it better."""
        self.slices = Slices()
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()
        self._idle_rooms = max(idle_rooms, 1)  # a room just loaded is to be there to be followed
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections = Connections() if connections is None else connections
        self.attendance = Attendance(node, log, self._live, self._start)
        followed = self.attendance.followed
        self._positions = Positions(followed, self._known, self._ends, self._mend)

    def start(self) -> None:
        """Begin to work in the background."""
        self._start(self.attendance.run)
        self._start(self._positions.run)

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
        if await self._quarantine.holds(room_id):
            raise Refused(Code.DAMAGED, field="room")
        entries = await self.entries(room_id)
        room = await self._fold(room_id, entries)
        live = Live(room, *await self._shown(room, entries), self.proofs)
        # Subscribe, then read again: what is appended in between is found by one or the other.
        await self.log.subscribe(room_id)
        self._live[room_id] = live
        try:
            await self.catch_up(live)
        except BaseException:  # It is to be loaded again, not to be served as it is.
            self._let_go(room_id)
            raise
        self._rest(live)
        return live

    def players(self) -> set[str]:
        """Who holds seats in the rooms at hand."""
        rooms = (live.room for live in self._live.values())
        return {holder.user for room in rooms for holder in room.seats if holder}

    def forget(self, users: Collection[str]) -> None:
        """These have no names any more, nor in rooms that are being read right now."""

        def now(_: object = None) -> None:
            for live in self._live.values():
                live.forget(users)

        now()
        for loading in self._loading.values():
            loading.add_done_callback(now)

    def at_hand(self, room_id: str) -> Room | None:
        """The room, if this node has it in memory."""
        live = self._live.get(room_id)
        return None if live is None else live.room

    async def peek(self, room_id: str) -> Room | None:
        """The room as it is now, from memory or from its log; None if there is none, or none that
        can be read. It is not kept."""
        return self.at_hand(room_id) or await self.read(room_id)

    async def read(self, room_id: str) -> Room | None:
        """The room as its log has it; None if there is none, or none that can be read."""
        try:
            entries = await self.log.read(room_id)
            return await self._fold(room_id, entries) if entries else None
        except CorruptLog as error:
            await self.set_aside(error)
        except UnknownGame as error:
            log.warning("a room cannot be read here", error=str(error))
        return None

    async def entries(self, room_id: str) -> list[Entry]:
        """The room's log. Raises Refused if there is none."""
        entries = await self.log.read(room_id) or await self._left(room_id)
        if not entries:
            raise Refused(Code.UNKNOWN_ROOM, field="room")
        return entries

    async def _fold(self, room_id: str, entries: list[Entry]) -> Room:
        if len(entries) <= SHORT:
            return refold(room_id, entries)
        return await self.slices.work(refolding(room_id, entries))

    async def _shown(self, room: Room, entries: list[Entry]) -> tuple[Room, list[Entry]]:
        """A room as spectators see it, and those of its entries that they do not know yet."""
        if not is_delayed(room):
            return room, []
        end = horizon(room)
        return await self._fold(room.id, entries[:end]), entries[end:]

    def _rest(self, live: Live) -> None:
        """Keep a room that nobody follows for a while; let go of the one unused the longest."""
        if live.followers:
            return
        self._idle[live.room.id] = None
        self._idle.move_to_end(live.room.id)
        while len(self._idle) > self._idle_rooms:
            self._let_go(next(iter(self._idle)))

    def drop_finished(self) -> None:
        """Let go of rooms that are over and that nobody follows: hardly anybody will come."""
        for room_id in [each for each in self._idle if self._live[each].room.status == "over"]:
            self._let_go(room_id)

    def _let_go(self, room_id: str) -> None:
        self._idle.pop(room_id, None)
        self._live.pop(room_id, None)
        self._start(self._unsubscribe, room_id)

    async def _unsubscribe(self, room_id: str) -> None:
        await self.log.unsubscribe(room_id)
        if room_id in self._live:  # it was wanted again meanwhile
            await self._subscribe_again(room_id)

    async def _subscribe_again(self, room_id: str) -> None:
        """Until it is done: a room at hand must not stay deaf."""
        while room_id in self._live:
            try:
                await self.log.subscribe(room_id)
            except StoreUnavailable:
                await asyncio.sleep(RETRY)
            else:
                self._positions.doubt([room_id])
                return

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
        connection.send(live.audience.total(live.shown))
        if live.talk is not None:
            for channel, lines in live.talk.lines.items():
                live.tell(channel, lines, [connection])
        self.attendance.touch(live.room.id)
        return True

    def leave(self, connection: Connection, room_id: str) -> None:
        """No longer send a room's events to a connection."""
        connection.following.discard(room_id)
        live = self._live.get(room_id)
        if live is not None and connection in live.followers:
            live.followers.discard(connection)
            self.attendance.touch(room_id)
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
                    self._start(self.set_aside, error)
            case Step.HOLE | Step.FORK:
                self._start(self.repair, live)

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms may be missing."""
        metrics.RESUBSCRIPTIONS.inc(len(rooms))
        for name in self.topics.keys() & rooms:
            self.topics[name].gap()
        self._positions.doubt(rooms)
        for room in self._live.keys() & rooms:
            self.attendance.missed(room)
            if self._live[room].talk is not None:
                self._start(self.talks.read, self._live[room], *CHANNELS)

    def reachable(self, yes: bool, trouble: str | None = None) -> None:
        """The store serves again, or does not: tell everybody (SPEC 1.5)."""
        if yes:
            log.info("the store is back")
        else:
            log.warning("the store is away", told=trouble, troubles=self.log.troubles)
        away = None if yes else Notice(kind="store_away", text=trouble)
        self._connections.store_away = away
        self._connections.tell(away or Notice(kind="store_back"))
        if yes:
            self._positions.doubt(self.attendance.followed())

    async def repair(self, live: Live) -> None:
        """Catch up with what the subscription has missed, and count it."""
        known = live.room.place
        try:
            await self.catch_up(live)
        except StoreUnavailable:
            self._positions.doubt([live.room.id], soon=False)
            raise
        found = live.room.place
        if found.epoch == known.epoch:
            metrics.HOLES_REPAIRED.inc(found.seq - known.seq)

    async def _mend(self, room_id: str, deaf: bool) -> None:
        """Repair a room that is not where its log ends. If nothing else has shown that, its
        subscription cannot be trusted."""
        live = self._live.get(room_id)
        if live is None:
            return
        await self._guard(self.repair, live)
        if deaf:
            await self.log.unsubscribe(room_id)
            await self._subscribe_again(room_id)

    def _known(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where these rooms are, as far as they are at hand."""
        return {room: self._live[room].room.place for room in rooms if room in self._live}

    async def _ends(self, rooms: Collection[str]) -> dict[str, Place]:
        """Where the logs of these rooms end. One that is gone from a room that is over was put
        away, as far as can be told at this price; while it is there, its end may be lost."""
        ends = await self.log.ends(rooms)
        for room, place in self._known(rooms).items():
            if self._live[room].room.status == "over" and ends.get(room) == EMPTY:
                ends[room] = place
        return ends

    async def catch_up(self, live: Live) -> None:
        """Bring a room to the end of its log, whatever was missed."""
        async with live.catching_up:
            known = live.room.place
            entries = await self.log.read(live.room.id, first=known.seq)
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
        """What a log has, as safely as what was appended; nothing less shows what was lost."""
        for _ in range(TRIES):
            entries = await self.log.read(room_id)
            end = entries[-1].place if entries else EMPTY
            if await self.log.confirm(room_id, end, last=True):
                return entries
        raise StoreUnavailable

    async def _renew(self, live: Live, known: Place) -> None:
        """The log does not hold what we know: its end was lost. What is left begins a new epoch."""
        room_id = live.room.id
        archived: Place | None = None
        for _ in range(TRIES):
            entries = await self._left(room_id)
            if not entries:
                self._end(live)
                raise Refused(Code.UNKNOWN_ROOM, field="room")
            room = await self._fold(room_id, entries)
            if room.place.epoch > known.epoch or room.place == archived:
                break
            card = listed(room, room_card(room))
            # Named by the time (SPEC 3.2): one that a fail-over forgets does not come again.
            epoch = max(known.epoch + 1, self.now() // 1_000)
            try:
                await self.log.append(
                    room_id, room.place, encode_record(Renewed()), Terms(card=card, epoch=epoch)
                )
                metrics.count_event(Renewed())
            except Conflict:
                archived = room.place  # if it still ends there: then nothing can be appended
        else:
            raise StoreUnavailable
        log.error("the store lost the end of a log", room=room_id, epoch=known.epoch, seq=known.seq)
        live.begin(room, *await self._shown(room, entries))
        for follower in live.followers:
            live.send_snapshot(follower)

    def _end(self, live: Live) -> None:
        """Let go of a room that the store has no more."""
        room_id = live.room.id
        if self._live.get(room_id) is live:
            self._let_go(room_id)
            live.end()
        if live.room.status != "over":  # else its retention has ended
            metrics.ROOMS_LOST.inc()
            log.error("the store has lost a room", room=room_id)

    async def set_aside(self, error: CorruptLog) -> None:
        """Have all nodes leave a room alone whose log is damaged, until an operator has seen to it.
        Raises StoreUnavailable."""
        if await self._quarantine.put(error.room, damage_of(error)):
            metrics.ROOMS_DAMAGED.inc()
            log.critical("a log is damaged; its room is set aside", room=error.room, seq=error.seq,
                         why=error.why)  # fmt: skip
        self.aside(error.room)

    def aside(self, room: str) -> None:
        """A room was set aside (see `store.log.Listener`): those who follow it are told."""
        live = self._live.get(room)
        if live is not None:
            self._let_go(room)
            live.end(MEANINGS[Code.DAMAGED].text)

    def _apply(self, live: Live, entry: Entry) -> None:
        event = live.apply(entry)
        if event.diff.status == "over":
            end_apartness(live)
        self._count_delivery(entry, len(live.followers))
        if event.diff.seats is not UNSET:
            self.attendance.touch(live.room.id)
        live.measure_lag()

    def _count_delivery(self, entry: Entry, followers: int) -> None:
        if followers:
            metrics.DELIVERIES.count(more=followers)
            metrics.DELIVERY_SECONDS.observe(max(0, self.now() - entry.at) / 1_000)

    def measure(self) -> None:
        """Bring the metrics of the rooms at hand up to date."""
        self.log.measure()
        metrics.ROOMS.labels("idle").set(len(self._idle))
        metrics.ROOMS.labels("followed").set(len(self._live) - len(self._idle))

    async def missed(self, live: Live, user: User, since: Place) -> list[Event] | None:
        """The events after a place that a user may see, in order; None if the log does not know
        that place, or the user may not."""
        found = None
        if since.seq <= live.view(user).place.seq:
            found = await self._since(live, since)
        if found is None:  # This node may be behind, or be the one that knows what was lost.
            await self.repair(live)
            found = await self._since(live, since)
        end = live.view(user).place.seq
        if found is None or since.seq > end:
            return None
        return [event for event in found if event.seq <= end]

    async def has_told(self, user: User, room_id: str, epoch: int, seq: int) -> bool:
        """Whether a follower can know an event of this epoch and number, as the log has it."""
        live = await self.get(room_id)
        if not 1 <= seq <= live.view(user).place.seq:
            return False
        recent = live.recent
        if recent and seq >= recent[0].seq:
            return recent[seq - recent[0].seq].epoch == epoch
        return any(entry.epoch == epoch for entry in (await self.log.read(room_id, seq))[:1])

    async def renew(self, live: Live, known: Place) -> None:
        """Begin a new epoch, because somebody who can be believed knows what the log has lost."""
        async with live.catching_up:
            await self._renew(live, known)

    async def _since(self, live: Live, since: Place) -> list[Event] | None:
        if since == live.room.place:
            return []
        recent = live.recent
        if recent and since.seq >= recent[0].seq:
            kept = list(recent)[since.seq - recent[0].seq :]
            return kept[1:] if kept and place_of(kept[0]) == since else None
        entries = await self.log.read(live.room.id)
        if not 1 <= since.seq <= len(entries) or entries[since.seq - 1].place != since:
            return None
        room, events = await self.slices.work(
            events_after(live.room.id, entries, since.seq, self.proofs)
        )
        return events + [event for event in live.recent if event.seq > room.place.seq]

    # --- what is no event ----------------------------------------------------------------------

    def note(self, room: str, text: str) -> None:
        """A node told of its part of the audience (see `store.log.Listener`)."""
        topic = self.topics.get(room)
        if topic is not None:
            topic.note(text)
        live = self._live.get(room)
        if live is not None:
            self.attendance.hear(live, text)

    def line(self, room: str, channel: Channel, after: int, line: Line) -> None:
        """A line was said (see `store.log.Listener`)."""
        live = self._live.get(room)
        if live is not None and live.talk is not None:
            if live.room.place.seq < after or line.seq > live.talk.last(channel) + 1:
                self._start(self.talks.read, live, channel)
            else:
                live.tell(channel, live.talk.take(channel, [line]), live.followers)

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
            await self._guard(self.set_aside, error)
        except UnknownGame as error:
            log.warning("a room cannot be read here", error=str(error))


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000

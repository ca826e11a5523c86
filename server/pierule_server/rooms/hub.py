"""Brings what the store publishes about rooms in memory to their followers.

A `Live` room is a cache of a log. The store's subscription keeps it up to date (laws 2 and 5). The
node folds each event once, and serializes it once for each codec, however many clients follow (law
11). `RoomCache` decides which rooms are in memory. `Recovery` handles everything that does not fit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from typing import ParamSpec, Protocol

import structlog
from msgspec import UNSET

from pierule_protocol import world
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.events import Entry, Step, step
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import CHANNELS, Channel, ChatMessage, Event, Notice, Ok
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.connections.connections import Connections
from pierule_server.rooms.attendance import Attendance
from pierule_server.rooms.cache import RoomCache
from pierule_server.rooms.chat_recovery import ChatRecovery, merge_channels
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.live import Live
from pierule_server.rooms.place_check import PlaceCheck
from pierule_server.rooms.proofs import Proofs
from pierule_server.rooms.recovery import Recovery
from pierule_server.rooms.slices import Slices
from pierule_server.rooms.unnamed import Unnamed
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.naming import forgotten
from pierule_server.store.tables.quarantine import damage_of
from pierule_server.store.tables.tables import Tables
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

P = ParamSpec("P")

RETRY = 1.0
"""Seconds between two attempts to subscribe to a room."""

LOG_EVERY = 10.0
"""Seconds between two log messages about background work that gave up."""


class Topic(Protocol):
    """Listens to a channel other than a room's. Its methods must not block."""

    def note(self, text: str) -> None:
        """A text was published on the channel."""

    def gap(self) -> None:
        """Messages on the channel may be missing."""


class Hub:
    """Listens to the subscriptions of the log, and knows the followers of rooms on this node."""

    def __init__(
        self,
        node: str,
        log: RoomLog,
        tables: Tables,
        idle_rooms: int,
        connections: Connections | None = None,
    ) -> None:
        self._log = log
        self.proofs = Proofs(tables.secrets)
        self._quarantine = tables.quarantine
        self._accounts = tables.accounts
        self.topics: dict[str, Topic] = {}
        """Subscribers to channels other than rooms, by name."""
        self.on_deadline: Callable[[int], None] = lambda _: None
        """Called with each deadline that an event sets, in the store's ms since 1970."""
        self.slices = Slices()
        self.cache = RoomCache(idle_rooms, self._load, self._let_go)
        self.recovery = Recovery(
            log, self.cache, self.proofs, self.slices, self._apply, self._doubt
        )
        self.chat_recovery = ChatRecovery(tables.chats, self.recovery.catch_up)
        self._unnamed = Unnamed(log, self.cache, self.recovery, self._start)
        self._tasks = Tasks()
        self._silent_until, self._unlogged = 0.0, 0
        self._connections = Connections() if connections is None else connections
        self.attendance = Attendance(node, log, tables.deadlines, self.cache.live, self._start)
        self._place_check = PlaceCheck(
            self.attendance.followed, self.cache.places, self.recovery.ends, self._mend
        )

    def start(self) -> None:
        """Start the background work."""
        self._start(self.attendance.run)
        self._start(self._place_check.run)

    async def stop(self) -> None:
        """Stop all tasks."""
        await self._tasks.stop()
        await self.cache.stop()

    @property
    def unplayable(self) -> Mapping[str, UnknownGame]:
        """Requested rooms whose rules this node lacks, each with what it needs."""
        return self.recovery.unplayable

    def measure(self) -> None:
        """Update the metrics of the rooms in memory."""
        self._log.measure()
        self.cache.measure()

    # --- rooms come and go -----------------------------------------------------------------

    async def _load(self, room_id: str) -> Live:
        if await self._quarantine.holds(room_id):
            raise Refused(Code.DAMAGED, field="room")
        entries = await self.recovery.entries(room_id)
        room = await self.recovery.fold(room_id, entries)
        live = Live(room, *await self.recovery.shown(room, entries), self.proofs)
        # Subscribe, then read again: one of them finds whatever is appended in between (law 6).
        await self._log.subscribe(room_id)
        self.cache.live[room_id] = live
        try:
            await self.recovery.catch_up(live)
        except BaseException:  # an incomplete room must be loaded again
            self.cache.let_go(room_id)
            raise
        self.cache.rest(live)
        return live

    async def peek(self, room_id: str) -> Room | None:
        """The room, from memory or from its log; None if it does not exist or cannot be read. It
        does not stay in memory."""
        return self.cache.at_hand(room_id) or await self.read(room_id)

    async def read(self, room_id: str) -> Room | None:
        """The room, from its log; None if it does not exist or cannot be read. A damaged room goes
        into quarantine. Raises StoreUnavailable."""
        try:
            entries = await self._log.read(room_id)
            return await self.recovery.fold(room_id, entries) if entries else None
        except CorruptLog as error:
            await self.set_aside(error)
        except UnknownGame as error:
            logger.warning("a room needs a game that this node lacks: install it", error=str(error))
        return None

    def _let_go(self, room_id: str) -> None:
        self._start(self._unsubscribe, room_id)

    def _doubt(self, room_id: str) -> None:
        self._place_check.doubt([room_id], soon=False)

    async def _unsubscribe(self, room_id: str) -> None:
        await self._log.unsubscribe(room_id)
        if room_id in self.cache.live:  # it was wanted again meanwhile
            await self._subscribe_again(room_id)

    async def _subscribe_again(self, room_id: str) -> None:
        """Subscribe to a room, and try again until it works: a room in memory must get its
        events."""
        while room_id in self.cache.live:
            try:
                await self._log.subscribe(room_id)
            except StoreUnavailable:
                await asyncio.sleep(RETRY)
            else:
                self._place_check.doubt([room_id])
                return

    def follow(
        self, connection: Connection, live: Live, missed: list[Event] | None, answer: Ok
    ) -> bool:
        """Make a connection a follower. Send the answer, then the events that it missed, or
        (`missed` is None) a snapshot. It gets all later events.

        Returns False and sends nothing if the room was dropped meanwhile: get it again.
        """
        if not self.cache.use(live):
            return False
        connection.send(answer)
        live.followers.add(connection)
        connection.following.add(live.room.id)
        if missed is None:
            live.send_snapshot(connection)
        else:
            for event in missed:
                connection.send(event)
        connection.send(live.audience.total(live.shown))
        if live.chat_history is not None:
            for channel, lines in live.chat_history.messages.items():
                live.tell(channel, lines, [connection])
        self.attendance.touch(live.room.id)
        return True

    def leave(self, connection: Connection, room_id: str) -> None:
        """Stop sending a room's events to a connection."""
        connection.following.discard(room_id)
        live = self.cache.live.get(room_id)
        if live is not None and connection in live.followers:
            live.followers.discard(connection)
            self.attendance.touch(room_id)
            self.cache.rest(live)

    # --- what the log tells ----------------------------------------------------------------

    def entry(self, room: str, entry: Entry) -> None:
        """An entry was published (see `store.room_log.Listener`)."""
        live = self.cache.live.get(room)
        if live is None:
            return
        match step(live.room.place, entry):
            case Step.NEXT:
                try:
                    self._apply(live, entry)
                except CorruptLog as error:
                    self._start(self.set_aside, error)
            case Step.HOLE | Step.FORK:
                self._start(self.recovery.repair, live)

    def gap(self, rooms: Collection[str]) -> None:
        """Messages about these rooms or topics may be missing."""
        metrics.RESUBSCRIPTIONS.inc(len(rooms))
        for name in sorted(self.topics.keys() & rooms):
            self.topics[name].gap()
        self._place_check.doubt(rooms)
        for room in sorted(self.cache.live.keys() & rooms):
            self.attendance.missed(room)
            if self.cache.live[room].chat_history is not None:
                self._start(self.chat_recovery.read, self.cache.live[room], *CHANNELS)

    def unnamed(self, room: str) -> None:
        """A log was read without names (see `store.room_log.Listener`)."""
        self._unnamed.note(room)

    def reachable(self, yes: bool, trouble: str | None = None) -> None:
        """The store serves again, or no longer: tell all clients (SPEC 1.5)."""
        if yes:
            logger.info("the store is back")
        else:
            logger.warning("the store is away", told=trouble, troubles=self._log.troubles)
        away = None if yes else Notice(kind="store_away", text=trouble)
        self._connections.store_away = away
        self._connections.tell(away or Notice(kind="store_back"))
        if yes:
            self._place_check.doubt(self.attendance.followed())

    async def _mend(self, room_id: str, deaf: bool) -> None:
        """Repair a room that is not at the end of its log. If it is `deaf`, its subscription missed
        events without a sign, so subscribe again."""
        live = self.cache.live.get(room_id)
        if live is None:
            return
        await self._guard(self.recovery.repair, live)
        if deaf:
            await self._log.unsubscribe(room_id)
            await self._subscribe_again(room_id)

    async def set_aside(self, error: CorruptLog) -> None:
        """Put a room with a damaged log into quarantine, so all nodes leave it alone until an
        operator has looked after it. Raises StoreUnavailable."""
        if await self._quarantine.put(error.room, damage_of(error)):
            metrics.ROOMS_DAMAGED.inc()
            logger.critical(
                "a log is damaged; its room is in quarantine: see `pierule admin rooms quarantine`",
                room=error.room, seq=error.seq, why=error.why,
            )  # fmt: skip
        self.aside(error.room)

    async def is_aside(self, room_id: str) -> bool:
        """Whether a room is in quarantine. Those in memory are not. Raises StoreUnavailable."""
        return self.cache.at_hand(room_id) is None and await self._quarantine.holds(room_id)

    async def remains(self, room_id: str) -> Room | None:
        """What can be read of a room in quarantine, if anything. Raises StoreUnavailable."""
        room = None
        entries = await forgotten(self._accounts, await self._quarantine.readable(room_id))
        with suppress(CorruptLog, UnknownGame):
            for entry in entries:
                room = fold(room, room_id, entry)
        return room

    def aside(self, room: str) -> None:
        """A room was put into quarantine (see `store.room_log.Listener`): tell its followers."""
        live = self.cache.live.get(room)
        if live is not None:
            self.cache.let_go(room)
            live.end(MEANINGS[Code.DAMAGED].text)

    def _apply(self, live: Live, entry: Entry) -> None:
        event = live.apply(entry)
        if event.diff.status == "over":
            merge_channels(live)
        self._count_delivery(entry, len(live.followers))
        if event.diff.seats is not UNSET:
            self.attendance.touch(live.room.id)
        if (deadline := live.room.deadline) is not None:
            self.on_deadline(deadline)
        live.measure_lag()

    def _count_delivery(self, entry: Entry, followers: int) -> None:
        if followers:
            metrics.DELIVERIES.count(more=followers)
            metrics.DELIVERY_SECONDS.observe(max(0, self._log.now() - entry.at) / 1_000)

    # --- what is no event ----------------------------------------------------------------------

    def note(self, room: str, text: str) -> None:
        """A text was published: about a topic, or a node's part of an audience (see
        `store.room_log.Listener`)."""
        topic = self.topics.get(room)
        if topic is not None:
            topic.note(text)
        live = self.cache.live.get(room)
        if live is not None:
            self.attendance.hear(live, text)

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        """A chat message came (see `store.room_log.Listener`)."""
        live = self.cache.live.get(room)
        if live is not None and live.chat_history is not None:
            if live.room.place.seq < after or line.seq > live.chat_history.last(channel) + 1:
                self._start(self.chat_recovery.read, live, channel)
            else:
                live.tell(channel, live.chat_history.take(channel, [line]), live.followers)

    # --- tasks -----------------------------------------------------------------------------

    def _start(self, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs) -> None:
        self._tasks.begin(self._guard(work, *args, **kwargs))

    async def _guard(
        self, work: Callable[P, Awaitable[None]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Run background work, and handle its errors. If the store is away, the next gap or request
        tries again."""
        try:
            await work(*args, **kwargs)
        except (StoreUnavailable, Refused) as error:
            self._gave_up(error)
        except CorruptLog as error:
            await self._guard(self.set_aside, error)
        except UnknownGame as error:
            logger.warning("a room needs a game that this node lacks: install it", error=str(error))

    def _gave_up(self, error: Exception) -> None:
        """Log that background work gave up, but not for each of thousands of rooms."""
        now = world.monotonic()
        if now < self._silent_until:
            self._unlogged += 1
            return
        logger.warning("background work gave up for now", error=str(error), unlogged=self._unlogged)
        self._silent_until, self._unlogged = now + LOG_EVERY, 0

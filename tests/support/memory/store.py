"""The room log in the memory of one process: for tests, and to read what `Log` means.

Several `MemoryRoomLog`s may share one `MemoryStore`, as several nodes share a store. It knows
nothing of connections: it never fails, and loses everything with its process.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from math import inf
from typing import Any

from pierule_protocol.log.events import EMPTY, EPOCH, Entry, Place, chain
from pierule_protocol.messages import Channel, ChatMessage, Seat
from pierule_server.store.room_log import (
    FINISHED_LEASE_MS,
    NOBODY,
    Conflict,
    Listener,
    Returned,
    StillAwaited,
    TooEarly,
    TooLate,
    Uncredited,
    holds,
)
from pierule_server.store.tables.deadlines import HEARTBEAT_MS, STALE_MS, Sweep
from pierule_server.store.tables.naming import forgotten
from pierule_server.store.tables.paging import OPEN
from pierule_server.store.tables.put_away import pack, unpack
from pierule_server.store.tables.tables import Tables
from pierule_server.terms import KEEP_CARD, Absence, AppendOptions, Deadline, Outage, Timing
from support.memory.accounts import MemoryAccounts
from support.memory.archive_queue import MemoryArchiveQueue
from support.memory.block_lists import MemoryBlockLists
from support.memory.chats import MemoryChats
from support.memory.inboxes import MemoryInboxes
from support.memory.listing import MemoryListing
from support.memory.memberships import MemoryMemberships
from support.memory.moderation import MemoryReports
from support.memory.origins import MemoryOrigins
from support.memory.pools import MemoryPools
from support.memory.quarantine import MemoryQuarantine
from support.memory.secrets import MemorySecrets
from support.memory.webhooks import MemoryWebhooks

FOREVER = 2**62


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class MemoryStore:
    """What the logs of all nodes share."""

    def __init__(self, clock: Callable[[], int] = _milliseconds) -> None:
        self.clock = clock
        self.logs: dict[str, list[Entry]] = {}
        self.cards: dict[str, tuple[int, bytes]] = {}
        self.finished: dict[str, int] = {}
        self.archives: dict[str, tuple[int, bytes]] = {}
        self.deadlines: dict[str, int] = {}
        self.idle: set[str] = set()
        self.heartbeat: int | None = None
        self.lost: dict[str, Outage] = {}
        self.seen: dict[tuple[str, Seat], int] = {}
        self.outage_ended = 0
        self.subscribers: defaultdict[str, set[Listener]] = defaultdict(set)
        self.chats = MemoryChats(self.logs, self._publish_message)
        self.block_lists = MemoryBlockLists()
        self.secrets = MemorySecrets()
        self.reports = MemoryReports()
        self.quarantine = MemoryQuarantine(
            lambda room: self.tell(room, lambda listener: listener.aside(room)), self.forget,
            lambda room: self.logs.get(room, []),
        )  # fmt: skip
        self.memberships = MemoryMemberships(self.clock, self.deadlines)
        self.accounts = MemoryAccounts(self.clock)
        self.archive_queue = MemoryArchiveQueue(self.clock, self.expire)
        self.pools = MemoryPools(self.clock)
        self.origins = MemoryOrigins()
        self.listing = MemoryListing(self.clock, self.cards, self.deadlines, self.pools)
        self.webhooks = MemoryWebhooks(self.clock)
        self.inboxes = MemoryInboxes(
            self.clock,
            lambda topic, text: self.tell(topic, lambda listener: listener.note(topic, text)),
            self.webhooks.call,
        )

    def last_seen(self, room: str, seat: Seat) -> int:
        """When a player was last present, or might have been."""
        return max(self.seen.get((room, seat), 0), self.outage_ended)

    def check_absence(self, room: str, at: int, absence: Absence) -> None:
        """The one decision between a claim and a return."""
        if self.heartbeat is None or at - self.heartbeat > STALE_MS:
            raise Uncredited(room)
        if self.last_seen(room, absence.seat) != absence.seen:
            raise Returned(room)
        if at < absence.until:
            raise StillAwaited(absence.until - at)

    def check_time(self, room: str, at: int, timing: Timing) -> None:
        """The one decision between an action and a time-out."""
        deadline = self.deadlines.get(room)
        if timing == "any":
            return
        clocked = deadline is not None and room not in self.idle
        if clocked and (
            room in self.lost or self.heartbeat is None or self.clock() - self.heartbeat > STALE_MS
        ):
            raise Uncredited(room)
        if timing == "in_time" and deadline is not None and at > deadline:
            raise TooLate(at - deadline)
        if timing == "due" and (deadline is None or at <= deadline):
            raise TooEarly(room)

    def set_deadline(self, room: str, at: int, deadline: Deadline) -> None:
        """Apply the rule for the next deadline."""
        known = self.deadlines.get(room)
        if deadline.rule in ("none", "void"):
            self.archive_queue.waiting[room] = at
        if deadline.rule == "none":
            self.deadlines.pop(room, None)
            self.lost.pop(room, None)
            self.finished[room] = at
        elif deadline.rule not in ("keep", "void") and (deadline.rule != "by" or known is not None):
            if not self.deadlines:
                self.heartbeat = at
            base = known if deadline.rule == "by" else at
            self.deadlines[room] = (base or 0) + deadline.ms
            (self.idle.add if deadline.rule == "idle" else self.idle.discard)(room)

    def touch_heartbeat(self, now: int) -> None:
        """Write the heartbeat; mark the outage if it was stale."""
        if not self.deadlines:
            return
        if self.heartbeat is not None and now - self.heartbeat > STALE_MS:
            self.outage_ended = now
            for room in self.deadlines.keys() - self.idle:
                earlier = self.lost.get(room)
                lost_from = earlier.lost_from if earlier else self.heartbeat
                self.lost[room] = Outage(lost_from, now)
        if self.heartbeat is None or not 0 <= now - self.heartbeat < HEARTBEAT_MS:
            self.heartbeat = now

    def packed(self, room: str) -> bytes | None:
        """The value of a room that was put away, until its retention ends."""
        until, packed = self.archives.get(room, (0, b""))
        if until <= self.clock():
            self.archives.pop(room, None)
            return None
        return packed

    def expire(self, room: str, retention: int) -> None:
        """Forget a room that was put away in so many milliseconds."""
        if room in self.archives:
            self.archives[room] = (self.clock() + retention, self.archives[room][1])

    def _publish_message(self, room: str, channel: Channel, line: ChatMessage) -> None:
        after = self.logs[room][-1].seq
        self.tell(room, lambda listener: listener.chat_message(room, channel, after, line))

    def tell(self, room: str, call: Callable[[Listener], None]) -> None:
        """Call each present subscriber, but later, as a real store would."""
        loop = asyncio.get_running_loop()
        for listener in self.subscribers[room]:
            loop.call_soon(call, listener)

    def forget(self, room: str) -> None:
        """Remove a room from everything but its log."""
        tables: list[dict[str, Any]] = [self.deadlines, self.finished, self.cards, self.lost]
        tables.append(self.archive_queue.waiting)
        for table in tables:
            table.pop(room, None)


class MemoryDeadlines:
    """`deadlines` of a store in memory: see `pierule_server.store.tables.deadlines`."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    async def sweep(self, more: int = 0) -> Sweep:
        store, now = self._store, self._store.clock()
        store.touch_heartbeat(now)
        due = [room for room, deadline in store.deadlines.items() if deadline < now]
        return Sweep(now, due, list(store.lost), min(store.deadlines.values(), default=inf))

    async def of(self, room: str) -> float | None:
        return self._store.deadlines.get(room)

    async def outage(self, room: str) -> Outage | None:
        self._store.touch_heartbeat(self._store.clock())
        return self._store.lost.get(room)

    async def mark_seen(self, players: Mapping[str, Collection[Seat]]) -> None:
        now = self._store.clock()
        self._store.seen.update(((room, seat), now) for room in players for seat in players[room])

    async def seen(self, room: str) -> tuple[int, int]:
        return self._store.last_seen(room, 0), self._store.last_seen(room, 1)

    async def extend(self, rooms: Mapping[str, int]) -> None:
        store = self._store
        for room in store.idle.intersection(rooms).intersection(store.deadlines):
            store.deadlines[room] = max(store.deadlines[room], store.clock() + rooms[room])


class MemoryRoomLog:
    """A node's view of a `MemoryStore`. See `Log`."""

    troubles: list[str] = []  # noqa: RUF012 - it never fails

    def serves(self, room: str) -> bool:
        return True

    def measure(self) -> None:
        pass

    def now(self) -> int:
        return self._store.clock()

    def __init__(self, store: MemoryStore, listener: Listener = NOBODY) -> None:
        self._store = store
        self._listener = listener
        self.short = False
        self.tables = Tables(
            accounts=store.accounts,
            archive_queue=store.archive_queue,
            chats=store.chats,
            deadlines=MemoryDeadlines(store),
            memberships=store.memberships,
            inboxes=store.inboxes,
            listing=store.listing,
            origins=store.origins,
            pools=store.pools,
            quarantine=store.quarantine,
            reports=store.reports,
            secrets=store.secrets,
            block_lists=store.block_lists,
            webhooks=store.webhooks,
        )

    def listen(self, listener: Listener) -> None:
        self._listener = listener

    async def append(
        self, room: str, expected: Place, record: bytes, terms: AppendOptions
    ) -> Entry:
        store = self._store
        entries = store.logs.get(room, [])
        if expected != (entries[-1].place if entries else EMPTY) or store.packed(room):
            raise Conflict(room)
        credit = terms.credit
        if credit is not None and credit != store.lost.get(room):
            raise Conflict(room)
        epoch = terms.epoch or max(expected.epoch, EPOCH)
        seq = expected.seq + 1
        at = max(store.clock(), entries[-1].at if entries else 0, credit.lost_to if credit else 0)
        store.check_time(room, at, terms.timing)
        if terms.absence is not None:
            store.check_absence(room, at, terms.absence)
        link = chain(expected.chain, epoch, seq, record, at)
        entry = Entry(epoch, seq, link, at, record.decode(), terms.names)
        store.logs.setdefault(room, []).append(entry)
        if terms.card is None:
            store.cards.pop(room, None)
        elif terms.card != KEEP_CARD:
            store.cards[room] = _relisted(store.cards.get(room), at, terms.card)
        store.set_deadline(room, at, terms.deadline)
        if credit is not None:
            store.lost.pop(room, None)
        store.tell(room, lambda listener: listener.entry(room, entry))
        return entry

    def begin(
        self,
        room: str,
        expected: Place,
        record: bytes,
        terms: AppendOptions,
        then: Callable[[Entry | None], None],
    ) -> bool:
        task = asyncio.ensure_future(self.append(room, expected, record, terms))
        task.add_done_callback(lambda _: then(None if task.exception() else task.result()))
        return True

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        entries = self._store.logs.get(room)
        if entries is None:
            packed = self._store.packed(room)
            entries = unpack(packed) if packed else []
        entries = entries[max(first, 1) - 1 :]
        return await forgotten(self.tables.accounts, entries, lambda: self._listener.unnamed(room))

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        return holds(await self.read(room, place.seq), place, last=last)

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        logs = self._store.logs
        return {room: logs[room][-1].place if logs.get(room) else EMPTY for room in rooms}

    async def lease_finished(self, after: int, limit: int) -> list[str]:
        finished, ended = self._store.finished, self._store.clock() - after
        rooms = [room for room, at in finished.items() if at <= ended][:limit]
        finished.update((room, ended + FINISHED_LEASE_MS) for room in rooms)
        return rooms

    async def put_away(self, room: str, entries: list[Entry], retention: int | None) -> None:
        store, queue = self._store, self._store.archive_queue
        packed, kept = pack(entries), store.logs.get(room)
        if kept is None:
            store.finished.pop(room, None)
        if kept is None or kept[-1].place != entries[-1].place:
            raise Conflict(room)
        held = retention is not None and queue.holds(room)
        store.archives[room] = (FOREVER if held else store.clock() + (retention or 0), packed)
        if retention is None:
            queue.waiting.pop(room, None)
        elif not queue.wanted:
            gone = store.clock() - retention
            queue.waiting = {room: at for room, at in queue.waiting.items() if at > gone}
        del store.logs[room]
        store.finished.pop(room, None)
        for seat in (0, 1):
            store.seen.pop((room, seat), None)

    async def recard(self, room: str, change: Callable[[bytes], bytes]) -> None:
        if room in self._store.cards:
            at, card = self._store.cards[room]
            self._store.cards[room] = (at, change(card))

    async def subscribe(self, room: str, /) -> None:
        self._store.subscribers[room].add(self._listener)

    async def unsubscribe(self, room: str, /) -> None:
        self._store.subscribers[room].discard(self._listener)

    async def announce(self, room: str, text: str) -> None:
        self._store.tell(room, lambda listener: listener.note(room, text))

    async def close(self) -> None:
        for listeners in self._store.subscribers.values():
            listeners.discard(self._listener)


def _relisted(listed: tuple[int, bytes] | None, at: int, card: bytes) -> tuple[int, bytes]:
    """The new score and card of a room, given its listing so far; as `append.lua` does it."""
    is_open = b'"status":"open"' in card
    card = re.sub(rb'"at":[0-9]+', b'"at":%d' % at, card, count=1)
    if listed is not None and (listed[0] >= OPEN) == is_open:
        return listed[0], card
    return (at + OPEN if is_open else at), card

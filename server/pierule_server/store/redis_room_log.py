"""The room log in Redis or Valkey: single, embedded or a cluster, with the same code.

It turns requests into commands, and replies into entries. The topology decides which server gets a
command; the subscriptions hear of events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Self

from redis.exceptions import ResponseError

from pierule_protocol.log.events import EPOCH, Entry, Place, chain_record
from pierule_protocol.messages import CHANNELS
from pierule_protocol.state.room import CorruptLog
from pierule_server import metrics
from pierule_server.store.buckets import (
    BUCKETS,
    append_names,
    bucket_of,
    cards_key,
    channel,
    finished_key,
    log_key,
    mark_key,
    messages_key,
    put_away_key,
    seen_key,
    unarchived_key,
)
from pierule_server.store.clock import StoreClock
from pierule_server.store.driver import preflight
from pierule_server.store.driver.access import Access, Rest, Script
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.health import Standing
from pierule_server.store.driver.memory_reserve import Reserve
from pierule_server.store.driver.pipeline import Reply
from pierule_server.store.driver.primary import DEFAULT_TIMEOUTS, Timeouts
from pierule_server.store.driver.store_check import Watch
from pierule_server.store.driver.topology import Topology
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
from pierule_server.store.subscriptions import Subscriptions
from pierule_server.store.tables.deadlines import STALE_MS
from pierule_server.store.tables.ends import ends
from pierule_server.store.tables.naming import encode_names, forgotten
from pierule_server.store.tables.put_away import pack, unpack
from pierule_server.store.tables.reading import entry_of, is_no_log
from pierule_server.store.tables.tables import Tables
from pierule_server.terms import Absence, AppendOptions, Outage

APPEND = Script("append.lua")
_LEASE_FINISHED = Script("lease_finished.lua")
_PUT_AWAY = Script("put_away.lua")
_CONFIRM = Script("confirm.lua")
_REPLACE_CARD = Script("replace_card.lua")


class RedisRoomLog:
    """A node's view of the store at a URL. `open` makes it. For its methods see `RoomLog`."""

    def __init__(
        self,
        topology: Topology,
        listener: Listener,
        timeouts: Timeouts,
        replicas: int,
        disk: Disk | None = None,
    ) -> None:
        self._topology = topology
        self._disk = disk
        self._store = Access(topology, timeouts)
        self._replicas = replicas
        self._subscriptions = Subscriptions(topology, listener)
        self._standing = Standing(lambda: topology.trouble, listener.reachable)
        topology.health_changed = self._health_changed
        self._watch = Watch(topology, replicas)
        self._reserve = Reserve(topology)
        self._clock = StoreClock()
        self.tables = Tables.of(self._store, self._clock)

    @classmethod
    async def open(
        cls,
        url: str,
        listener: Listener = NOBODY,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        replicas: int = 0,
        *,
        accept_volatile: bool = False,
        disk: Disk | None = None,
    ) -> Self:
        """Connect to the store at `url`: `redis://`, `rediss://` (TLS) or `unix://`, with the
        options of redis-py. For a cluster, use the URL of any member; the store tells that it is
        one. For a store behind Sentinel see `sentinel.FORM`. An entry counts as appended when
        `replicas` have confirmed it. With `accept_volatile`, the store may be one that forgets
        acknowledged entries. `disk` is that of an embedded store.

        Raises `StoreUnavailable` if the store does not answer, `StoreUnusable` if it must not be
        used, and `ValueError` for a wrong URL."""
        topology = Topology(url, timeouts, replicas, disk)
        log = cls(topology, listener, timeouts, replicas, disk)
        try:
            async with log._store.bounded():
                await topology.discover()
                await preflight.check(topology, accept_volatile=accept_volatile)
                await log.tables.secrets.read()
                await log._watch.look()
            await log._reserve.look()
            log._watch.start()
            log._reserve.start()
        except BaseException:
            await log.close()
            raise
        return log

    def listen(self, listener: Listener) -> None:
        self._subscriptions.listener = listener
        self._standing.tell = listener.reachable

    @property
    def troubles(self) -> list[str]:
        ailing = [f"store {name} {trouble}" for name, trouble in self._topology.troubles.items()]
        short = self._reserve.trouble, None if ailing or not self._disk else self._disk.trouble
        return ailing + self._watch.troubles + [each for each in short if each]

    def _health_changed(self) -> None:
        self._standing.look()
        if not self._topology.troubles:
            self._watch.look_soon()

    def serves(self, room: str) -> bool:
        return self._topology.primary(bucket_of(room)).health.trouble is None

    def now(self) -> int:
        return self._clock.now()

    def measure(self) -> None:
        metrics.STORE_PRIMARY_UP.clear()
        troubles = self._topology.troubles
        for name in map(str, self._topology.primaries):
            metrics.STORE_PRIMARY_UP.labels(name).set(name not in troubles)
        if self._disk is not None:
            self._disk.measure()

    @property
    def short(self) -> bool:
        return self._reserve.short

    async def append(
        self, room: str, expected: Place, record: bytes, terms: AppendOptions
    ) -> Entry:
        bucket, rest = _append_arguments(room, expected, record, terms)
        reply = await self._store.run(APPEND, bucket, rest, write=True)
        return _outcome(reply, room, record, terms)

    def begin(
        self,
        room: str,
        expected: Place,
        record: bytes,
        terms: AppendOptions,
        then: Callable[[Entry | None], None],
    ) -> bool:
        if self._replicas:
            return False

        def kept(reply: Reply) -> None:
            then(_appended(reply, record, terms))

        bucket, rest = _append_arguments(room, expected, record, terms)
        return self._topology.primary(bucket).begin((*APPEND.begins, *rest), kept)

    async def read(self, room: str, first: int = 1) -> list[Entry]:
        async with self._store.bounded():
            entries = await self._read(room, max(first, 1))
            unnamed = self._subscriptions.listener.unnamed
            return await forgotten(self.tables.accounts, entries, lambda: unnamed(room))

    async def _read(self, room: str, first: int) -> list[Entry]:
        bucket = bucket_of(room)
        try:
            reply = await self._topology.request(bucket, "XRANGE", log_key(room), f"{first}-0", "+")
            if reply:
                return [entry_of(room, *item) for item in reply]
            packed = await self._topology.request(bucket, "GET", put_away_key(room))
        except ResponseError as error:
            if is_no_log(error):
                raise CorruptLog(room, 0, "is not a log but something else") from error
            raise
        try:
            return [] if packed is None else unpack(packed)[first - 1 :]
        except ValueError as error:
            raise CorruptLog(room, 0, f"is {error}") from error

    async def confirm(self, room: str, place: Place, *, last: bool = False) -> bool:
        if self._replicas:
            bucket = bucket_of(room)
            keys = (log_key(room), mark_key(bucket), put_away_key(room))
            rest = (len(keys), *keys, place.epoch, place.seq, place.chain)
            async with self._store.bounded():
                found = await _CONFIRM.run(self._topology.request, bucket, *rest, write=True)
            if found is not None:
                return not last or bool(found <= 1)
        # The room may be put away.
        return holds(await self.read(room, place.seq), place, last=last)

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        async with self._store.bounded():
            return await ends(self._topology, rooms)

    async def lease_finished(self, after: int, limit: int) -> list[str]:
        each = -(-limit // BUCKETS)
        replies = await self._store.everywhere(
            _LEASE_FINISHED,
            lambda bucket: (1, finished_key(bucket), after, FINISHED_LEASE_MS, each),
        )
        return [room.decode() for reply in replies for room in reply]

    async def put_away(self, room: str, entries: list[Entry], retention: int | None) -> None:
        bucket, end = bucket_of(room), entries[-1]
        keys = [log_key(room), put_away_key(room), finished_key(bucket)]
        keys += [*(messages_key(room, each) for each in CHANNELS), seen_key(bucket)]
        keys.append(unarchived_key(bucket))
        kept = "" if retention is None else retention
        arguments = (room, end.epoch, end.seq, end.chain, pack(entries), kept)
        reply = await _PUT_AWAY.run(self._store.request, bucket, len(keys), *keys, *arguments)
        if reply is None:
            raise Conflict(room)

    async def recard(self, room: str, change: Callable[[bytes], bytes]) -> None:
        bucket, request = bucket_of(room), self._topology.request
        key = cards_key(bucket)
        async with self._store.bounded():
            while (card := await request(bucket, "HGET", key, room)) is not None:
                rest = (1, key, room, card, change(card))
                if await _REPLACE_CARD.run(request, bucket, *rest, write=True) is not None:
                    break

    async def subscribe(self, room: str, /) -> None:
        async with self._store.bounded():
            await self._subscriptions.subscribe(room)

    async def unsubscribe(self, room: str, /) -> None:
        self._subscriptions.unsubscribe(room)

    async def announce(self, room: str, text: str) -> None:
        await self._store.request(bucket_of(room), "SPUBLISH", channel(room), f"note {text}")

    async def close(self) -> None:
        self._standing.close()
        await self._watch.stop()
        await self._reserve.stop()
        await self._subscriptions.close()
        await self._topology.close()


def _append_arguments(
    room: str, expected: Place, record: bytes, terms: AppendOptions
) -> tuple[int, Rest]:
    """The bucket whose primary runs the script, and what follows the script in the command."""
    epoch = terms.epoch or max(expected.epoch, EPOCH)
    half = chain_record(expected.chain, epoch, expected.seq + 1, record)
    bucket, publishing, keys = append_names(room)
    keys += _further_keys(room, expected, terms)
    return bucket, (
        len(keys), *keys, publishing, room, expected.epoch, expected.seq, expected.chain, epoch,
        half, record, terms.card or b"", terms.timing, STALE_MS, terms.deadline.rule,
        terms.deadline.ms, "" if terms.credit is None else _lost(terms.credit),
        "" if terms.absence is None else _absent(terms.absence),
        encode_names(terms.names) if terms.names else b"",
    )  # fmt: skip


def _appended(reply: Reply, record: bytes, terms: AppendOptions) -> Entry | None:
    """The appended entry; None if there is none, or if the outcome is unknown."""
    match reply:
        case [epoch, seq, link, at]:
            return Entry(epoch, seq, link, at, record.decode(), terms.names)
    return None


def _outcome(reply: Reply, room: str, record: bytes, terms: AppendOptions) -> Entry:
    """The appended entry. If there is none, raises what `RoomLog.append` raises."""
    entry = _appended(reply, record, terms)
    if entry is not None:
        return entry
    match reply:
        case None:
            raise Conflict(room)
        case [b"lost"]:
            raise Uncredited(room)
        case [b"late", by]:
            raise TooLate(by)
        case [b"early"]:
            raise TooEarly(room)
        case [b"seen"]:
            raise Returned(room)
        case [b"awaited", left]:
            raise StillAwaited(left)
    raise AssertionError(f"append.lua has returned {reply}")


def _lost(outage: Outage) -> str:
    """An outage in the form of `heartbeat.lua`."""
    return f"{outage.lost_from} {outage.lost_to}"


def _further_keys(room: str, expected: Place, terms: AppendOptions) -> tuple[str, ...]:
    """The keys that only some entries need, for example when a room begins or ends."""
    keys: tuple[str, ...] = ()
    if expected.seq == 0:
        keys += (put_away_key(room),)
    if terms.absence is not None:
        keys += (seen_key(bucket_of(room)),)
    if terms.deadline.rule in ("none", "void"):
        keys += (unarchived_key(bucket_of(room)),)
    return keys


def _absent(absence: Absence) -> str:
    return f"{absence.seat} {absence.seen} {absence.until}"

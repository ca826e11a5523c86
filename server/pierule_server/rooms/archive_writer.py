"""Writes finished games to the archive (`pierule_archive`), each once, in the order of their ends.

The store queues what the archive lacks (`store.tables.archive_queue`) and keeps it until it is
written. All nodes look at the queue; the node that has the lease writes. If it dies, another node
goes on a few seconds later. It writes nothing twice, because the archive knows what it has. While
the archive is away, everything waits.

The database blocks, so it has a thread of its own. The event loop reads the games, in slices.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import structlog

from pierule_archive.batch import ArchiveAway, Batch, KeptGame, Unkeepable, Void
from pierule_archive.game import Game, NotFinished, game_at_hand, reading_game
from pierule_protocol import world
from pierule_protocol.log.events import Closed, Entry, decode_record
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_ratings import Rating
from pierule_server import metrics
from pierule_server.rooms.hub import Hub
from pierule_server.settings import Settings
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.archive_queue import ArchiveQueue, Backlog, Unarchived
from pierule_server.tasks import kept

logger = structlog.get_logger()

T = TypeVar("T")

PAUSE = 1.0
"""About how many seconds lie between two looks once nothing waits. Games that end meanwhile share
one transaction; many small transactions would cost a node more."""

IDLE_PAUSE = 10.0
"""About how many seconds lie between two looks of a node without an archive."""

LEASE_MS = 3_000
"""If this node is silent for this many milliseconds, another node writes."""

STUCK = 60.0
"""If a write does not end within this many seconds, another node may repeat it."""

READ_SECONDS = 10.0
"""Seconds that a player waits for their games from the archive."""

CLOSE = 5.0
"""Seconds that a write may take when the node stops."""

BATCH = 64
"""The most games in one transaction."""

AT_ONCE = 8
"""Logs to read in parallel: few, because players' requests come first."""

SHELVED = 60.0
"""Seconds for which the writer skips a game that cannot be archived."""

CHECK_PAUSE = 60.0
CHECK_SHARE = 100
"""At least this many seconds lie between two looks for damage, and this many times as long as the
last one took: a look reads the whole file."""

LATE_MS = 30_000
"""Milliseconds for which an entry may wait before operators are told."""


class Writer(Protocol):
    """Writes to the archive: see `pierule_archive.writer`."""

    def open(self) -> None: ...

    def write(self, batch: Batch) -> int: ...

    def games_of(self, player: str, first: int, most: int) -> list[KeptGame]: ...

    def ratings_of(self, game: str, several: Collection[str]) -> dict[str, Rating]: ...

    def damage(self, over: Callable[[], bool]) -> str | None: ...

    def close(self) -> None: ...


_KEPT = (
    "there is no --archive, but the store had one: finished games stay in the store until a node "
    "with --archive writes them, or until you run `pierule admin archive give-up`"
)


@dataclass(frozen=True, slots=True)
class _Found:
    """What to archive of a queue's entry: the game and its voids; nothing for a room without a
    finished game, and for a user to forget."""

    entry: Unarchived
    game: Game | None = None
    voids: tuple[Void, ...] = ()


class ArchiveWriter:
    """Writes what is queued to the archive. A node has one. Without a `writer` it only looks, so
    that operators learn what waits."""

    def __init__(
        self, node: str, hub: Hub, log: RoomLog, queue: ArchiveQueue, settings: Settings,
        writer: Writer | None = None,
    ) -> None:  # fmt: skip
        self._node = node
        self._hub = hub
        self._log = log
        self._queue = queue
        self._retention = settings.retention * 1_000
        self._expected = settings.archive != "off"
        self._writer = writer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._checks = ThreadPoolExecutor(1, thread_name_prefix="archive check")
        self._tasks: list[asyncio.Task[None]] = []
        self._backlog = Backlog(0, wanted=False, oldest=[])
        self._away: str | None = None
        self._damage: str | None = None
        self._stopping = threading.Event()
        self._shelved: dict[str, tuple[float, str]] = {}

    async def start(self) -> None:
        """Open the archive and begin to look at the queue. If the database does not answer, it is
        tried again later. Raises OSError for trouble that will not go away by itself."""
        if self._writer is not None:
            try:
                await self._in_thread(self._writer.open)
            except ArchiveAway as error:
                if error.lasting:
                    raise OSError(str(error)) from error
                self._missed(error)
            self._tasks.append(asyncio.create_task(kept(self._check, "archive check")))
        elif self._expected:
            with suppress(StoreUnavailable):  # then it has to be said without that
                await self.look()
            logger.warning(_KEPT if self._backlog.wanted else self._loss)
        self._tasks.append(asyncio.create_task(kept(self._run, "archive writer")))

    async def stop(self) -> None:
        """Stop; another node goes on. A write that the thread has begun may still end by itself."""
        self._stopping.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writer is not None:
            await asyncio.wait([self._in_thread(self._writer.close)], timeout=CLOSE)
            with suppress(StoreUnavailable):
                await self._queue.lease(self._node, 0)
        self._thread.shutdown(wait=False)
        self._checks.shutdown(wait=False)

    async def games_of(self, player: str, first: int, most: int) -> list[KeptGame]:
        """At most `most` archived games of a player, from feed number `first` on; none without an
        archive. Raises ArchiveAway, also if the archive does not answer in `READ_SECONDS`."""
        if self._writer is None:
            return []
        asked = self._in_thread(partial(self._writer.games_of, player, first, most))
        if not (await asyncio.wait([asked], timeout=READ_SECONDS))[0]:
            raise ArchiveAway("it does not answer")
        return await asked

    async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
        """The archived ratings of these players in a game; none without an archive. Raises
        ArchiveAway. It may take long; if you cancel it before it begins, it costs nothing."""
        if self._writer is None:
            return {}
        return await self._in_thread(partial(self._writer.ratings_of, game, players))

    # --- what operators read -------------------------------------------------------------------

    @property
    def troubles(self) -> list[str]:
        """What operators should know, in sentences."""
        found = [f"{name} cannot be archived: {why}" for name, (_, why) in self._shelved.items()]
        late = self._oldest_ms() > LATE_MS
        if self._writer is None and self._expected and not self._backlog.wanted:
            found.append(self._loss)
        elif self._away is not None:
            found.append(f"the archive is away: {self._away}; {self._waiting}")
        elif late and self._writer is not None:
            found.append(f"the archive lags behind: {self._waiting}")
        elif late and self._backlog.wanted:
            found.append(
                f"no node with --archive writes: {self._waiting}. Start one; or, if you want no "
                "archive any more, run `pierule admin archive give-up`"
            )
        return found

    def measure(self) -> None:
        """Update the metrics of the backlog."""
        metrics.ARCHIVE_WAITING.set(self._backlog.count if self._backlog.wanted else 0)
        metrics.ARCHIVE_OLDEST_SECONDS.set(self._oldest_ms() / 1_000)

    def _oldest_ms(self) -> int:
        """How long the oldest entry has waited, in ms; 0 if no archive is wanted."""
        if not self._backlog.wanted or not self._backlog.oldest:
            return 0
        return max(0, self._log.now() - self._backlog.oldest[0].at)

    @property
    def _waiting(self) -> str:
        seconds = self._oldest_ms() // 1_000
        return f"{self._backlog.count} finished games wait, the oldest for {seconds} s"

    @property
    def _loss(self) -> str:
        days = self._retention / 86_400_000
        return f"there is no --archive: finished games are forgotten after {days:g} days"

    def _missed(self, error: ArchiveAway) -> None:
        """Note that the archive is away, and log it once."""
        metrics.ARCHIVE_FAILURES.inc()
        if self._away is None:
            logger.warning("the archive is away; finished games wait in the store", why=str(error))
        self._away = str(error)

    def _reached(self) -> None:
        if self._away is not None:
            logger.info("the archive is back", waiting=self._backlog.count)
        self._away = None

    # --- the work ------------------------------------------------------------------------------

    async def _run(self) -> None:
        pause = PAUSE if self._writer is not None else IDLE_PAUSE
        while True:
            written = 0
            try:
                written = await self.look()
            except StoreUnavailable:
                pass  # others log that
            except Exception:
                # A bug must not end the archiving until the node restarts.
                logger.exception("finished games could not be archived: please file a bug")
                await asyncio.sleep(SHELVED)
            if not written or written >= self._backlog.count - len(self._shelved):
                await asyncio.sleep(pause * world.random().uniform(0.5, 1.5))

    async def _check(self) -> None:
        """Look for damage now and then. While there is any, nothing is written: the archive would
        lose it together with the rest."""
        while True:
            began = world.monotonic()
            await self.look_for_damage()
            took = world.monotonic() - began
            await asyncio.sleep(max(CHECK_PAUSE, CHECK_SHARE * took))

    async def look_for_damage(self) -> None:
        """Find out whether the archive is damaged. Its thread is not that of the writer, because a
        look at a large archive takes long."""
        assert self._writer is not None
        loop = asyncio.get_running_loop()
        over = self._stopping.is_set  # the interpreter waits for its threads when it ends
        found = await loop.run_in_executor(self._checks, self._writer.damage, over)
        if found is None and self._damage is not None:  # operators have put another file there
            await self._in_thread(self._writer.close)
        self._damage = found
        metrics.ARCHIVE_DAMAGED.set(found is not None)
        if found is not None:
            self._missed(ArchiveAway(found))

    async def look(self) -> int:
        """Look at the queue, and archive the oldest entries if no other node does. Returns how many
        entries this node has written. Raises StoreUnavailable."""
        now = world.monotonic()
        self._shelved = {name: it for name, it in self._shelved.items() if it[0] > now}
        self._backlog = await self._queue.look(
            archives=self._writer is not None, more=len(self._shelved)
        )
        due = [each for each in self._backlog.oldest if each.name not in self._shelved]
        if self._writer is None:
            return 0
        if not due or not await self._queue.lease(self._node, LEASE_MS):
            if self._away is not None:
                await self._write([])  # find out whether the archive is back
            return 0
        # While the archive is away, one entry is enough to find out whether it is back.
        written = await self._archive(due[: BATCH if self._away is None else 1])
        if not written:
            await self._queue.lease(self._node, 0)  # another node may reach the archive
        return written

    async def _archive(self, entries: list[Unarchived]) -> int:
        rooms = [entry for entry in entries if entry.user is None]
        found: list[_Found] = []
        for first in range(0, len(rooms), AT_ONCE):
            some = await asyncio.gather(*map(self._read, rooms[first : first + AT_ONCE]))
            found += [each for each in some if each is not None]
        done = found + [_Found(entry) for entry in entries if entry.user is not None]
        written = await self._write(done)
        for first in range(0, len(written), AT_ONCE):
            await asyncio.gather(*map(self._done, written[first : first + AT_ONCE]))
        return len(written)

    async def _done(self, found: _Found) -> None:
        await self._queue.done(found.entry, 0 if found.game is None else self._retention)

    async def _read(self, entry: Unarchived) -> _Found | None:
        """What to archive of a room; None if that is not known now."""
        room = entry.name
        try:
            entries = await self._log.read(room)
            game = await self._game(room, entries)
        except NotFinished:  # nobody came, or a fail-over lost the end of the game
            return _Found(entry)
        except UnknownGame as error:
            self._shelve(room, str(error))
        except CorruptLog as error:
            await self._hub.set_aside(error)
        else:
            end = game.entries[-1].place
            if await self._log.confirm(room, end):
                return _Found(entry, game, _voids(room, entries[end.seq :]))
        return None

    async def _game(self, room: str, entries: list[Entry]) -> Game:
        """The game in a log. Most rooms whose games have just ended are still in memory, so they
        need no second fold."""
        there = self._hub.cache.at_hand(room)
        game = None if there is None else game_at_hand(there, entries)
        if game is not None:
            return game
        read: Game = await self._hub.slices.work(reading_game(room, entries))
        return read

    async def _write(self, found: list[_Found]) -> list[_Found]:
        """Write all entries together; or, if the archive refuses some of them, each by itself.
        Returns those that are written."""
        try:
            await self._hand_on(found)
        except ArchiveAway as error:
            self._missed(error)
            return []
        except Unkeepable as error:
            if len(found) > 1:
                parts = [await self._write([each]) for each in found]
                return [each for part in parts for each in part]
            self._shelve(found[0].entry.name, str(error))
            return []
        self._reached()
        return found

    async def _hand_on(self, found: list[_Found]) -> None:
        """Let the thread write, and keep the lease meanwhile. Raises ArchiveAway and
        Unkeepable."""
        assert self._writer is not None
        batch = Batch(
            games=[each.game for each in found if each.game is not None],
            voids=[void for each in found for void in each.voids],
            forgotten=[each.entry.user for each in found if each.entry.user is not None],
        )
        if not batch and self._away is None:
            return
        if self._damage is not None:
            raise ArchiveAway(self._damage)
        writing = self._in_thread(partial(self._writer.write, batch))
        began = world.monotonic()
        while not (await asyncio.wait([writing], timeout=PAUSE))[0]:
            if world.monotonic() - began < STUCK:
                with suppress(StoreUnavailable):
                    await self._queue.lease(self._node, LEASE_MS)
            else:
                self._missed(ArchiveAway("it does not answer"))
        metrics.ARCHIVE_GAMES.inc(await writing)

    def _shelve(self, name: str, why: str) -> None:
        logger.warning("a game cannot be archived now; trying again later", room=name, why=why)
        metrics.ARCHIVE_FAILURES.inc()
        self._shelved[name] = (world.monotonic() + SHELVED, why)

    def _in_thread(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _voids(room: str, later: list[Entry]) -> tuple[Void, ...]:
    """The voids by operators after the end of a game."""
    records = ((entry.at, decode_record(entry.record)) for entry in later)
    return tuple(Void(room, at, it.text) for at, it in records if isinstance(it, Closed))

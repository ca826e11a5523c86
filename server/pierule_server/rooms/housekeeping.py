"""Puts away rooms that are over, and removes them from this node's memory.

When a room has been over for `put_away_after` seconds, the store keeps it as one compressed value
for `retention` seconds more. If a file is named, the node first writes the room there, as one line
in the format of `pierule export`. If a node dies, or the store loses its latest writes, a room may
have two equal lines. A room whose seats were never both taken leaves nothing. Every node does this
slowly, for the rooms that it leases from the store. This module changes no room: other modules
decide which rooms are over and when abandoned ones end (SPEC 9).
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from contextlib import suppress
from pathlib import Path

import msgspec
import structlog

from pierule_protocol import world
from pierule_protocol.log.events import Created, Entry, Seated, decode_record
from pierule_protocol.log.record import record_of
from pierule_protocol.state.room import CorruptLog, UnknownGame, room_state
from pierule_server.rooms.fair_play import FairPlay, left_at
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import retold
from pierule_server.settings import Settings
from pierule_server.store.outages import Outages
from pierule_server.store.room_log import Conflict, RoomLog
from pierule_server.store.tables.put_away import Unpackable
from pierule_server.store.tables.tables import Tables
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

PAUSE = 10.0
"""About how many seconds lie between two looks while there is little to do."""

BATCH = 512
"""The most rooms of one look."""

AT_ONCE = 8
"""Rooms to put away in parallel: few, because players' requests come first."""


class _Who(msgspec.Struct, frozen=True):
    """The user in a record, if it has one: they made the room or took a seat."""

    user: str | None = None


_who = msgspec.json.Decoder(_Who)


class Housekeeper:
    """Puts away rooms that are over. A node has one. `put_away` counts the rooms that it has put
    away."""

    def __init__(self, hub: Hub, log: RoomLog, tables: Tables, settings: Settings) -> None:
        self._hub = hub
        self._log = log
        self._memberships = tables.memberships
        self._fair_play = FairPlay(tables.inboxes, log.now)
        self._after = settings.put_away_after * 1_000
        self._retention = settings.retention * 1_000
        self._file = Path(settings.export_file) if settings.export_file else None
        self._pause = min(PAUSE, max(0.1, settings.put_away_after / 2))
        self._tasks = Tasks()
        self.put_away = 0

    def start(self) -> None:
        """Begin to look for rooms."""
        self._tasks.keep(self._run, "housekeeper")

    async def stop(self) -> None:
        """Stop looking. Leased rooms that are not done go to another node a minute later."""
        await self._tasks.stop()

    async def _run(self) -> None:
        outages = Outages("rooms are not put away because the store does not answer")
        while True:
            pause = self._pause * world.random().uniform(0.5, 1.5)
            await asyncio.sleep(pause)
            self._hub.cache.drop_finished()
            # When their leases end, this node or another gets the same rooms again.
            try:
                with outages:
                    while await self.look() >= BATCH // 2:
                        pass
            except (OSError, ValueError) as error:
                logger.warning("rooms could not be put away; trying again", error=str(error))

    async def look(self) -> int:
        """Lease some due rooms and put them away. Returns how many were leased. Raises
        StoreUnavailable, and OSError if the file cannot be written: then the rooms stay as they
        are."""
        rooms = await self._log.lease_finished(self._after, BATCH)
        for first in range(0, len(rooms), AT_ONCE):
            some = rooms[first : first + AT_ONCE]
            logs = await asyncio.gather(*map(self._read, some))
            found = [pair for pair in zip(some, logs, strict=True) if pair[1]]
            if self._file:
                taken = [pair for pair in found if was_taken(pair[1])]
                kept = await asyncio.to_thread(keep_records, self._file, taken) if taken else []
                for room in {room for room, _ in taken} - {room for room, _ in kept}:
                    await self._hub.read(room)  # puts it into quarantine if it is damaged
                found = kept + [pair for pair in found if pair not in taken]
            await asyncio.gather(*(self._put_away(*pair) for pair in found))
        return len(rooms)

    async def _read(self, room: str) -> list[Entry]:
        """The room's log. Empty if it is damaged: then the room goes into quarantine."""
        try:
            return await self._log.read(room)
        except CorruptLog as error:
            await self._hub.set_aside(error)
            return []

    async def _put_away(self, room: str, entries: list[Entry]) -> None:
        try:
            # If a node died when the room ended, this is still to be done.
            users = {_who.decode(entry.record).user for entry in entries}
            for user in sorted(filter(None, users)):
                await self._memberships.release(user, room)
            await self._note_leaver(room, entries)
            await self._log.put_away(room, entries, self._retention if was_taken(entries) else None)
        except Conflict:
            pass  # an event came in between (a new epoch), or another node was faster
        except (Unpackable, msgspec.DecodeError) as error:
            await self._hub.set_aside(CorruptLog(room, 0, f"cannot be put away: {error}"))
        else:
            self.put_away += 1

    async def _note_leaver(self, room: str, entries: list[Entry]) -> None:
        end = left_at(entries)
        with suppress(CorruptLog, UnknownGame):
            if end:
                as_it_ended = await self._hub.recovery.fold(room, entries[:end])
                await self._fair_play.over(as_it_ended, entries[end - 1].at)


def was_taken(entries: list[Entry]) -> bool:
    """Whether both seats of a room were ever taken; otherwise there is nothing to keep. True if a
    record cannot be decoded: then the room is kept, or turns out to be damaged."""
    taken = 0
    with suppress(msgspec.DecodeError):
        for entry in entries:
            match decode_record(entry.record):
                case Created(players=players, seat=seat):
                    taken += 2 if players else seat is not None
                case Seated():
                    taken += 1
            if taken >= 2:
                return True
        return False
    return True


def keep_records(path: Path, logs: list[tuple[str, list[Entry]]]) -> list[tuple[str, list[Entry]]]:
    """Append the records of rooms to a file. Returns the rooms that are in it now. Blocks. Raises
    OSError."""
    lines, kept = [], []
    for room_id, entries in logs:
        try:
            room, told = retold(room_id, entries)
        except (CorruptLog, UnknownGame) as error:
            logger.error(  # noqa: TRY400
                "a room cannot be exported, so it stays in the store",
                room=room_id, error=str(error),
            )  # fmt: skip
        else:
            lines.append(msgspec.json.encode(record_of(room_state(room), told)))
            kept.append((room_id, entries))
    write_lines(path, lines)
    return kept


def write_lines(path: Path, lines: list[bytes]) -> None:
    """Append lines to a file and force them to disk. Blocks. It opens the file each time, so
    operators may move it away at any time. A line that a crash cut short does not join the next
    line, and other workers of the machine may write to the same file."""
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0, os.SEEK_END)
        if file.tell() and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n":
            file.write(b"\n")
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())

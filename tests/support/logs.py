"""Logs written by hand, and a checksum that is independent of the code under test."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from pierule_protocol.log.events import AnyRecord, Entry, Place, Renewed, chain, encode_record
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Legal, LegalQuery
from pierule_protocol.state.room import Room
from pierule_protocol.steps import at_once
from pierule_server.rooms.legal import listing
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.paging import Listed, RoomFilter

ALL = RoomFilter()

START = 1_700_000_000_000


def write(place: Place, *records: AnyRecord | str, at: int = START) -> list[Entry]:
    """The entries that a store would keep for these records after `place`, a second apart.

    A record may be given as text, to write an invalid one.
    """
    entries = []
    epoch, seq, link = max(place.epoch, 1), place.seq, place.chain
    for record in records:
        text = record if isinstance(record, str) else encode_record(record).decode()
        epoch += isinstance(record, Renewed)
        seq += 1
        moment = at + 1000 * seq
        link = chain(link, epoch, seq, text.encode(), moment)
        entries.append(Entry(epoch, seq, link, moment, text))
    return entries


def named_by_time(epoch: int) -> bool:
    """Whether a node whose store has this machine's time began it just now (SPEC 3.2)."""
    return abs(epoch - time.time()) < 600


def folded(entries: list[Entry], room_id: str = "room") -> Room:
    """The room that a log folds to."""
    room = None
    for entry in entries:
        room = fold(room, room_id, entry)
    assert room is not None
    return room


def crc_by_bits(data: bytes) -> int:
    """CRC-32 (ISO 3309, reflected), bit by bit as a stranger would write it from the spec."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


async def pages(
    log: RedisRoomLog, wanted: RoomFilter = ALL, limit: int = 100
) -> AsyncIterator[list[Listed]]:
    """The rooms that are wanted, page by page."""
    after = None
    while True:
        page = await log.tables.listing.page(wanted, after, limit)
        assert len(page.rooms) <= limit
        yield page.rooms
        if page.next is None:
            return
        after = page.next


async def cards(log: RedisRoomLog) -> list[bytes]:
    """The cards of all rooms that are listed."""
    return [room.text async for page in pages(log) for room in page]


def legal(room: Room, prefix: str) -> Legal:
    """The answer of `legal` in a room."""
    return at_once(listing(room, LegalQuery(id=0, room=room.id, prefix=prefix)))

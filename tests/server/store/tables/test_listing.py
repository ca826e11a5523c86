"""What the lobby is made of: the same for every kind of store."""

from __future__ import annotations

import secrets
from itertools import count, islice

import pytest

from pierule_protocol.log.controls import Turnwise
from pierule_protocol.log.events import EMPTY
from pierule_server.store.buckets import bucket_of, cards_key
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables import listing as module
from pierule_server.store.tables.listing import EACH_OF_ORIGIN, by_bucket
from pierule_server.store.tables.paging import OPEN
from pierule_server.store.tables.pools import PoolKey, Seeker
from pierule_server.terms import AppendOptions
from support.backend import Backend


async def found(log: RedisRoomLog, room: str) -> list[tuple[int, bytes]]:
    rooms = (await log.tables.listing.read()).rooms
    return [(each.score, each.text) for each in rooms if each.room == room]


def same_bucket(one: str, other: str) -> bool:
    return bucket_of(one) == bucket_of(other)


def card(room: str, status: str) -> bytes:
    return b'{"room":"%b","status":"%b"}' % (room.encode(), status.encode())


async def test_rooms_are_listed_until_they_are_over(backend: Backend, room: str) -> None:
    log = await backend.log()
    entry = await log.append(room, EMPTY, b"{}", AppendOptions(card(room, "open")))
    assert await found(log, room) == [(entry.at + OPEN, card(room, "open"))]
    entry = await log.append(room, entry.place, b"{}", AppendOptions(card(room, "running")))
    assert await found(log, room) == [(entry.at, card(room, "running"))]
    began = entry.at
    entry = await log.append(room, entry.place, b"{}", AppendOptions(card(room, "running")))
    assert await found(log, room) == [(began, card(room, "running"))]
    await log.append(room, entry.place, b"{}", AppendOptions(None))
    assert await found(log, room) == []


async def test_a_card_tells_when_its_room_changed(backend: Backend, room: str) -> None:
    log = await backend.log()
    text = b'{"names":["\\"at\\":1",null],"turn":0,"at":7}'
    entry = await log.append(room, EMPTY, b"{}", AppendOptions(text))
    told = {each.room: each.text for each in (await log.tables.listing.read()).rooms}
    assert told[room] == text.replace(b":7", b":%d" % entry.at)


async def test_the_lobby_lists_rooms_of_each_game(backend: Backend, room: str) -> None:
    """However many rooms of another game are made after it."""
    log = await backend.log()
    rooms = [
        room,
        *islice((f"{room}-{n}" for n in count() if same_bucket(f"{room}-{n}", room)), 40),
    ]
    for number, each in enumerate(rooms):
        text = b'{"game":"%s","status":"open"}' % (b"other" if number else room.encode())
        await log.append(each, EMPTY, b"{}", AppendOptions(text))
    shown = [each.room for each in (await log.tables.listing.read()).rooms]
    assert room in shown


async def test_rooms_of_one_origin_hide_no_others(backend: Backend, room: str) -> None:
    """However many it makes after them, in the same bucket."""
    log = await backend.log()
    names = (f"{room}-{number}" for number in count())
    rooms = [room, *islice((each for each in names if same_bucket(each, room)), 40)]
    for number, each in enumerate(rooms):
        text = b'{"game":"%s","status":"open"}' % room.encode()
        await log.append(each, EMPTY, b"{}", AppendOptions(text))
        await log.tables.listing.note_origin(each, "many" if number else "one")
        await log.tables.listing.note_origin(each, "other")
    shown = {each.room: each.origin for each in (await log.tables.listing.read()).rooms}
    assert shown[room] == "one"
    told = [shown[each] for each in rooms if each in shown]
    assert told == ["one", *["many"] * (len(told) - 1)]
    assert len(told) > EACH_OF_ORIGIN + 1, "they fill places that nobody else wants"


async def test_an_origin_goes_with_its_room(backend: Backend, room: str) -> None:
    log = await backend.log()
    await log.tables.listing.note_origin(room, "too early")
    entry = await log.append(room, EMPTY, b"{}", AppendOptions(card(room, "open")))
    await log.tables.listing.note_origin(room, "first")
    await log.append(room, entry.place, b"{}", AppendOptions(None))
    other = f"{room}-other"
    await log.append(other, EMPTY, b"{}", AppendOptions(card(other, "open")))
    bucket = bucket_of(room)
    kept = await log._store.request(bucket, "HKEYS", cards_key(bucket))
    assert not [name for name in kept if name.decode().rstrip("@") == room]
    shown = {each.room: each.origin for each in (await log.tables.listing.read()).rooms}
    assert room not in shown
    assert shown[other] == ""


async def test_a_user_with_two_seeks_is_counted_once(backend: Backend) -> None:
    log = await backend.log()
    pool = PoolKey("loose", 9, Turnwise(time=1 + secrets.randbelow(3_000)))
    for nonce in ("a", "b"):
        await log.tables.pools.seek("seek", pool, Seeker("one", nonce, "One"), "t")
    assert (await log.tables.listing.read()).waiting[pool] == 1
    for nonce in ("a", "b"):
        await log.tables.pools.seek("away", pool, Seeker("one", nonce, "One"), "t")
    assert pool not in (await log.tables.listing.read()).waiting


async def test_spectators_at_all_nodes_are_added_up(
    backend: Backend, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = (await backend.log()).tables.listing
    for node, many in (("a", 3), ("b", 4), ("a", 2)):
        await listing.count_spectators(node, by_bucket({room: many, f"{room}x": 1}))
    look = await listing.read()
    assert (look.spectators[room], look.spectators[f"{room}x"]) == (6, 2)
    await listing.count_spectators("a", by_bucket({}))
    assert (await listing.read()).spectators[room] == 4
    monkeypatch.setattr(module, "SPECTATORS_MS", -1)
    await listing.count_spectators("b", by_bucket({room: 4}))
    assert (await listing.read()).spectators[room] == 0

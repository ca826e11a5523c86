"""What a `Log` promises, asked of every version of it and of every kind of store."""

from __future__ import annotations

import asyncio
import json
import secrets

import msgspec
import pytest

from pierule_protocol.log.events import EMPTY, Entry, Place, chain
from pierule_server.store.buckets import BUCKETS, bucket_of
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import Conflict
from pierule_server.store.tables.accounts import Account, nameless
from pierule_server.terms import NO_DEADLINE, AppendOptions
from support.backend import Backend
from support.listening import RecordingListener
from support.logs import cards

FUTURE = 4_000_000_000_000


def record(number: int) -> bytes:
    return json.dumps({"kind": "acted", "number": number}).encode()


async def fill(log: RedisRoomLog, room: str, count: int) -> list[Entry]:
    place, entries = EMPTY, []
    for number in range(count):
        entries.append(await log.append(room, place, record(number), AppendOptions()))
        place = entries[-1].place
    return entries


def assert_whole(entries: list[Entry]) -> None:
    """Numbers without holes, time that never runs backwards, a chain that can be recomputed."""
    previous, at = 0, 0
    for seq, entry in enumerate(entries, 1):
        assert entry.seq == seq
        assert entry.at >= at
        link = chain(previous, entry.epoch, seq, entry.record.encode(), entry.at)
        assert entry.chain == link
        previous, at = link, entry.at


async def test_appended_entries_are_read_back(backend: Backend, room: str) -> None:
    log = await backend.log()
    assert await log.read(room) == []
    entries = await fill(log, room, 12)
    assert_whole(entries)
    assert {entry.epoch for entry in entries} == {1}
    assert await log.read(room) == entries
    assert await log.read(room, 9) == entries[8:]
    assert await log.read(room, 13) == []


async def test_appending_without_waiting_reports_the_entry_or_none(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    (first,) = await fill(log, room, 1)
    loop = asyncio.get_running_loop()
    found: list[Entry | None] = []
    for _ in range(2):  # the second one expects the log to end where it ended before
        told: asyncio.Future[Entry | None] = loop.create_future()
        assert log.begin(room, first.place, record(2), AppendOptions(), told.set_result)
        found.append(await told)
    second = (await log.read(room))[1]
    assert found == [second, None]
    assert_whole([first, second])


async def test_a_conflict_changes_nothing(backend: Backend, room: str) -> None:
    ear = RecordingListener()
    log = await backend.log(ear)
    first = await log.append(room, EMPTY, record(1), AppendOptions(card=b"first"))
    last = await log.append(room, first.place, record(2), AppendOptions(card=b"second"))
    await log.subscribe(room)
    wrong = [
        EMPTY,
        first.place,
        Place(1, 3, last.chain),
        Place(2, 2, last.chain),
        Place(1, 2, last.chain ^ 1),
    ]
    for place in wrong:
        with pytest.raises(Conflict):
            await log.append(room, place, record(3), AppendOptions(card=b"third"))
        with pytest.raises(Conflict):
            await log.append(room, place, record(3), AppendOptions(epoch=99))
    assert await log.read(room) == [first, last]
    assert b"second" in await cards(log)
    assert b"third" not in await cards(log)
    await log.announce(room, "end")
    await ear.until(lambda: ear.notes == [(room, "end")])
    assert ear.entries == []


async def test_a_room_that_does_not_exist_has_no_place(backend: Backend, room: str) -> None:
    log = await backend.log()
    with pytest.raises(Conflict):
        await log.append(room, Place(1, 1, 5), record(1), AppendOptions(card=b"ghost"))
    assert await log.read(room) == []
    assert b"ghost" not in await cards(log)


async def test_one_of_many_appends_at_a_place_wins(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(3)]

    async def attempt(log: RedisRoomLog, place: Place, number: int) -> Entry | None:
        try:
            return await log.append(room, place, record(number), AppendOptions())
        except Conflict:
            return None

    place, winners = EMPTY, []
    for _ in range(5):
        tries = [attempt(logs[number % 3], place, number) for number in range(12)]
        won = [entry for entry in await asyncio.gather(*tries) if entry]
        assert len(won) == 1
        winners += won
        place = won[0].place
    assert await logs[0].read(room) == winners
    assert_whole(winners)


async def test_a_log_confirms_the_places_that_it_has(backend: Backend, room: str) -> None:
    log = await backend.log()
    assert await log.confirm(room, EMPTY)
    first, second = await fill(log, room, 2)
    for last in (False, True):
        assert await log.confirm(room, second.place, last=last)
        assert await log.confirm(room, first.place, last=last) is not last
        assert not await log.confirm(room, EMPTY, last=last)
        for wrong in (Place(2, 2, second.chain), Place(1, 2, 7), Place(1, 3, second.chain)):
            assert not await log.confirm(room, wrong, last=last)


async def test_a_renewal_begins_an_epoch(backend: Backend, room: str) -> None:
    log = await backend.log()
    *_, last = await fill(log, room, 3)
    renewed = await log.append(room, last.place, record(9), AppendOptions(epoch=1_700_000_000))
    assert (renewed.epoch, renewed.seq) == (1_700_000_000, 4)
    after = await log.append(room, renewed.place, record(10), AppendOptions())
    assert (after.epoch, after.seq) == (1_700_000_000, 5)
    assert_whole(await log.read(room))


async def test_time_never_runs_backwards(backend: Backend, room: str) -> None:
    log = await backend.log()
    place = backend.plant(room, FUTURE)
    entry = await log.append(room, place, record(2), AppendOptions())
    assert entry.at == FUTURE
    assert_whole(await log.read(room))


async def test_the_latest_card_is_listed_first(backend: Backend) -> None:
    log = await backend.log()
    tag = secrets.token_hex(4)
    places: dict[int, Place] = {}

    async def deal(number: int, place: Place, card: bytes | None) -> None:
        before = (
            await log.append(f"{tag}-{number}", place, record(number), AppendOptions(card=card))
        ).at
        places[number] = (await log.read(f"{tag}-{number}"))[-1].place
        # The next one must have a later time.
        clock = f"{tag}-clock"
        while (await tick(log, clock)) <= before:
            pass

    for number in range(6):
        await deal(number, EMPTY, f"{tag} {number}".encode())
    await deal(2, places[2], f"{tag} 2 again".encode())
    await deal(4, places[4], None)
    mine = [card.decode() for card in await cards(log) if card.startswith(tag.encode())]
    assert mine == [f"{tag} {rest}" for rest in ("5", "3", "2 again", "1", "0")]


async def tick(log: RedisRoomLog, room: str) -> int:
    entries = await log.read(room)
    place = entries[-1].place if entries else EMPTY
    return (await log.append(room, place, b"{}", AppendOptions())).at


async def test_subscribers_hear_every_entry_in_order(backend: Backend, room: str) -> None:
    ears = [RecordingListener(), RecordingListener()]
    logs = [await backend.log(ear) for ear in ears]
    first = await logs[0].append(room, EMPTY, record(0), AppendOptions())
    for log in logs:
        await log.subscribe(room)
        await log.subscribe(room)  # Once is enough; twice does no harm.
    entries, place = [], first.place
    for number in range(1, 30):
        entries.append(
            await logs[number % 2].append(room, place, record(number), AppendOptions(card=b"c"))
        )
        place = entries[-1].place
    for ear in ears:
        await ear.until(lambda ear=ear: len(ear.entries) >= 29)  # type: ignore[misc]
        assert ear.entries == [(room, entry) for entry in entries]
        assert ear.gaps == []


async def test_an_unsubscribed_room_is_not_heard(backend: Backend, room: str) -> None:
    ear, other = RecordingListener(), f"{room}-other"
    log = await backend.log(ear)
    for _ in range(3):
        await log.subscribe(room)
        await log.unsubscribe(room)
    await log.subscribe(other)
    await log.announce(room, "not for us")
    await fill(log, room, 2)
    await log.subscribe(room)
    await log.announce(room, "for us")
    await ear.until(lambda: bool(ear.notes))
    assert ear.notes == [(room, "for us")]
    assert ear.entries == []
    assert ear.gaps == []


async def test_announcements_reach_all_subscribers(backend: Backend, room: str) -> None:
    ears = [RecordingListener(), RecordingListener()]
    logs = [await backend.log(ear) for ear in ears]
    for log in logs:
        await log.subscribe(room)
    await logs[0].announce(room, "zwei Zuschauer · 👀\nand a line")
    await logs[1].announce(room, "")
    for ear in ears:
        await ear.until(lambda ear=ear: len(ear.notes) == 2)  # type: ignore[misc]
        assert ear.notes == [(room, "zwei Zuschauer · 👀\nand a line"), (room, "")]
    assert await logs[0].read(room) == []


@pytest.mark.parametrize(
    "text",
    ['{"name":"Łukasz 🎲  \\u0000 äöü"}', "x" * 65_536, " {} \r\n spaces \t", "%s %d \\"],
    ids=["unicode", "long", "spaces", "signs"],
)
async def test_any_text_is_kept_as_it_is(backend: Backend, room: str, text: str) -> None:
    ear = RecordingListener()
    log = await backend.log(ear)
    await log.subscribe(room)
    names = {"u1": "Łukasz 🎲  and a b", "u2": '\\ "{}'}
    terms = AppendOptions(card=text.encode(), names=names)
    entry = await log.append(room, EMPTY, text.encode(), terms)
    assert (entry.record, entry.names) == (text, names)
    assert await log.read(room) == [entry]
    assert text.encode() in await cards(log)
    await ear.until(lambda: ear.entries == [(room, entry)])
    assert_whole([entry])


async def test_names_of_deleted_accounts_are_not_read(backend: Backend, room: str) -> None:
    """Neither from a log nor, once it is put away, from the archive; the chain stays (SPEC 3.9)."""
    log, gone, stays = await backend.log(), f"gone-{room}", f"stays-{room}"
    names = {gone: "Ada", stays: "Bert"}
    entry = await log.append(room, EMPTY, b"{}", AppendOptions(names=names, deadline=NO_DEADLINE))
    await log.tables.accounts.keep(stays, Account("Bert", "bert"))
    assert await log.read(room) == [entry]
    await log.tables.accounts.keep(gone, Account())
    unnamed = msgspec.structs.replace(entry, names={gone: nameless(gone), stays: "Bert"})
    assert await log.read(room) == [unnamed]
    await log.put_away(room, [entry], 60_000)
    assert await log.read(room) == [unnamed]
    assert_whole([unnamed])


async def test_a_card_is_changed_where_there_is_one(backend: Backend, room: str) -> None:
    log = await backend.log()
    await log.recard(room, lambda card: card + b"?")
    await log.append(room, EMPTY, b"{}", AppendOptions(card=f"{room}".encode()))
    await log.recard(room, lambda card: card + b"!")
    assert f"{room}!".encode() in await cards(log)


async def test_rooms_of_all_buckets_can_be_written_and_followed(
    backend: Backend, room: str
) -> None:
    ear = RecordingListener()
    log = await backend.log(ear)
    rooms: list[str] = []
    while len({bucket_of(each) for each in rooms}) < BUCKETS:
        rooms.append(f"{room}-{len(rooms)}-ä")
    await asyncio.gather(*(log.subscribe(each) for each in rooms))
    await asyncio.gather(*(fill(log, each, 3) for each in rooms))
    await ear.until(lambda: len(ear.entries) == 3 * len(rooms))
    for each in rooms:
        entries = await log.read(each)
        assert_whole(entries)
        assert [entry for where, entry in ear.entries if where == each] == entries


async def test_closing_the_log_leaves_no_task(backend: Backend, room: str) -> None:
    log = await backend.log()
    await log.subscribe(room)
    await log.close()
    others = {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    assert not [task for task in others if "store" in task.get_name() or "subs" in task.get_name()]

"""The one decision between an action and a time-out, asked of every kind of store (law 3)."""

from __future__ import annotations

import asyncio

import pytest

from pierule_protocol.log.events import EMPTY, Entry
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import Conflict, TooEarly, TooLate, Uncredited
from pierule_server.store.tables.deadlines import HEARTBEAT_MS, STALE_MS
from pierule_server.terms import KEEP_DEADLINE, NO_DEADLINE, AppendOptions, Deadline, Outage
from support.backend import Backend

FAR = Deadline("in", 1_000_000)
NOW = Deadline("in", 0)


async def begin(log: RedisRoomLog, room: str, deadline: Deadline) -> Entry:
    # Tests share stores. Rooms of earlier ones may be in this bucket, and nobody looked after them.
    await log.tables.deadlines.sweep()
    return await log.append(room, EMPTY, b"{}", AppendOptions(deadline=deadline))


async def until_due(log: RedisRoomLog, room: str) -> None:
    """Wait until a sweep names the room."""
    async with asyncio.timeout(60):
        while room not in (await log.tables.deadlines.sweep()).due:
            pass


async def test_an_action_up_to_the_deadline_counts(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, FAR)
    with pytest.raises(TooEarly):
        await log.append(room, first.place, b"{}", AppendOptions(timing="due"))
    second = await log.append(room, first.place, b"{}", AppendOptions(timing="in_time"))
    assert await log.read(room) == [first, second]
    assert room not in (await log.tables.deadlines.sweep()).due


async def test_only_a_time_out_counts_after_the_deadline(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, NOW)
    await until_due(log, room)
    with pytest.raises(TooLate) as late:
        await log.append(room, first.place, b"{}", AppendOptions(timing="in_time"))
    assert late.value.by >= 1
    assert await log.read(room) == [first]
    out = await log.append(
        room, first.place, b"{}", AppendOptions(timing="due", deadline=NO_DEADLINE)
    )
    assert out.at > first.at
    assert room not in (await log.tables.deadlines.sweep()).due


async def test_a_sweep_tells_the_first_deadline(backend: Backend, room: str) -> None:
    log = await backend.log()
    deadlines = log.tables.deadlines
    first = await begin(log, room, FAR)
    sweep = await deadlines.sweep()
    assert sweep.now <= sweep.first <= first.at + FAR.ms or sweep.due
    second = await log.append(room, first.place, b"{}", AppendOptions(deadline=NOW))
    await until_due(log, room)
    sweep = await deadlines.sweep()
    assert sweep.first <= (await deadlines.of(room) or 0) < sweep.now
    await log.append(room, second.place, b"{}", AppendOptions(deadline=NO_DEADLINE))


async def test_a_time_out_happens_once(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(4)]
    first = await begin(logs[0], room, NOW)
    await until_due(logs[0], room)
    found = await asyncio.gather(
        *(
            log.append(room, first.place, b"{}", AppendOptions(timing="due", deadline=NO_DEADLINE))
            for log in logs
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(each, Entry) for each in found) == 1
    assert sum(isinstance(each, Conflict) for each in found) == 3


async def test_the_place_is_compared_before_the_time(backend: Backend, room: str) -> None:
    log = await backend.log()
    await begin(log, room, NOW)
    await until_due(log, room)
    with pytest.raises(Conflict):
        await log.append(room, EMPTY, b"{}", AppendOptions(timing="in_time"))


async def test_the_deadline_after_each_kind_of_append(backend: Backend, room: str) -> None:
    log = await backend.log()
    entry = await begin(log, room, NOW)
    await until_due(log, room)
    entry = await log.append(room, entry.place, b"{}", AppendOptions(deadline=KEEP_DEADLINE))
    assert room in (await log.tables.deadlines.sweep()).due
    moved = Deadline("by", 1_000_000)
    entry = await log.append(room, entry.place, b"{}", AppendOptions(deadline=moved))
    assert room not in (await log.tables.deadlines.sweep()).due
    entry = await log.append(room, entry.place, b"{}", AppendOptions(timing="in_time"))
    entry = await log.append(room, entry.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    entry = await log.append(room, entry.place, b"{}", AppendOptions(deadline=moved))
    with pytest.raises(TooEarly):  # there was none to move
        await log.append(room, entry.place, b"{}", AppendOptions(timing="due"))


async def test_a_room_without_a_deadline_is_never_due(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, KEEP_DEADLINE)
    await log.append(room, first.place, b"{}", AppendOptions(timing="in_time"))
    backend_due = (await log.tables.deadlines.sweep()).due
    assert room not in backend_due


async def test_an_outage_must_be_credited_before_anything_else(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, NOW)
    await until_due(log, room)
    lost_from = backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    for timing in ("in_time", "due"):
        with pytest.raises(Uncredited):
            await log.append(room, first.place, b"{}", AppendOptions(timing=timing))
    sweep = await log.tables.deadlines.sweep()
    assert room in sweep.lost
    outage = await log.tables.deadlines.outage(room)
    assert outage is not None
    assert (outage.lost_from, outage.lost_to) == (lost_from, outage.lost_to)
    assert lost_from + STALE_MS < outage.lost_to <= sweep.now
    with pytest.raises(Uncredited):  # the heartbeat is fresh again, the room still waits
        await log.append(room, first.place, b"{}", AppendOptions(timing="due"))
    credited = await log.append(
        room,
        first.place,
        b"{}",
        AppendOptions(card=None, deadline=Deadline("by", 1_000_000), credit=outage),
    )
    assert room not in (await log.tables.deadlines.sweep()).lost
    assert await log.tables.deadlines.outage(room) is None
    await log.append(room, credited.place, b"{}", AppendOptions(timing="in_time"))


async def test_a_second_outage_before_the_credit_adds_to_the_first(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    await begin(log, room, FAR)
    lost_from = backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    first = await log.tables.deadlines.outage(room)
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    second = await log.tables.deadlines.outage(room)
    assert first is not None
    assert second is not None
    assert second == Outage(lost_from, second.lost_to)
    assert second.lost_to >= first.lost_to


async def test_rooms_without_a_deadline_get_no_credit(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, FAR)
    second = await log.append(room, first.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    assert await log.tables.deadlines.outage(room) is None
    await log.append(room, second.place, b"{}", AppendOptions(timing="in_time"))


async def test_an_old_heartbeat_of_an_idle_bucket_is_no_outage(backend: Backend, room: str) -> None:
    """Where nothing had a deadline, nobody had to look."""
    log = await backend.log()
    first = await begin(log, room, FAR)
    second = await log.append(room, first.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    backend.age_heartbeat(room, 10 * STALE_MS)
    third = await log.append(room, second.place, b"{}", AppendOptions(deadline=FAR))
    if (
        room not in (await log.tables.deadlines.sweep()).lost
    ):  # unless a neighbor in the bucket has one
        await log.append(room, third.place, b"{}", AppendOptions(timing="in_time"))


async def test_a_fresh_heartbeat_is_kept_by_sweeping(backend: Backend, room: str) -> None:
    log = await backend.log()
    first = await begin(log, room, FAR)
    written = backend.age_heartbeat(room, HEARTBEAT_MS)
    await log.tables.deadlines.sweep()
    assert backend.age_heartbeat(room, 0) >= written + HEARTBEAT_MS
    await log.append(room, first.place, b"{}", AppendOptions(timing="in_time"))


async def test_a_deadline_without_a_clock_gets_no_credit(backend: Backend, room: str) -> None:
    """Up to it an action counts, outage or not; after it only a time-out does."""
    log = await backend.log()
    first = await begin(log, room, Deadline("idle", 1_000_000))
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    assert room not in (await log.tables.deadlines.sweep()).lost
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    second = await log.append(
        room, first.place, b"{}", AppendOptions(timing="in_time", deadline=Deadline("idle", 0))
    )
    await until_due(log, room)
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    with pytest.raises(TooLate) as late:
        await log.append(room, second.place, b"{}", AppendOptions(timing="in_time"))
    assert late.value.by >= 1
    out = await log.append(
        room, second.place, b"{}", AppendOptions(timing="due", deadline=NO_DEADLINE)
    )
    assert out.at > second.at


async def test_an_outage_is_credited_once(backend: Backend, room: str) -> None:
    """Two nodes know of it; the second has caught up with the credit of the first."""
    log = await backend.log()
    first = await begin(log, room, FAR)
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    outage = await log.tables.deadlines.outage(room)
    assert outage is not None
    other = Outage(outage.lost_from, outage.lost_to - 1)
    with pytest.raises(Conflict):  # it has grown since
        await log.append(room, first.place, b"{}", AppendOptions(credit=other))
    second = await log.append(room, first.place, b"{}", AppendOptions(credit=outage))
    with pytest.raises(Conflict):
        await log.append(room, second.place, b"{}", AppendOptions(credit=outage))
    assert await log.read(room) == [first, second]


async def test_a_clock_that_was_set_back_hides_no_outage(backend: Backend, room: str) -> None:
    log = await backend.log()
    await begin(log, room, FAR)
    ahead = backend.age_heartbeat(room, -3_600_000)
    await log.tables.deadlines.sweep()
    written = backend.age_heartbeat(room, 0)
    assert written < ahead - 3_000_000
    assert room not in (await log.tables.deadlines.sweep()).lost
    backend.age_heartbeat(room, STALE_MS + HEARTBEAT_MS)
    assert room in (await log.tables.deadlines.sweep()).lost


async def test_play_goes_on_after_the_clock_was_set_back(backend: Backend, room: str) -> None:
    """The log's time stands still until the clock has caught up; that is no outage."""
    log = await backend.log()
    now = (await begin(log, f"other-{room}", FAR)).at
    later = now + 3_600_000
    first = await log.append(room, backend.plant(room, later), b"{}", AppendOptions(deadline=FAR))
    await log.tables.deadlines.sweep()
    second = await log.append(room, first.place, b"{}", AppendOptions(timing="in_time"))
    assert (first.at, second.at) == (later, later)
    with pytest.raises(TooEarly):
        await log.append(room, second.place, b"{}", AppendOptions(timing="due"))


async def test_an_open_room_can_be_given_more_time_and_no_other(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    deadlines = log.tables.deadlines
    first = await log.append(room, EMPTY, b"{}", AppendOptions(deadline=Deadline("idle", 10_000)))

    async def left() -> float | None:
        deadline = await deadlines.of(room)
        return None if deadline is None else deadline - first.at

    await deadlines.extend({room: 50_000, f"{room}b": 50_000})
    assert 50_000 <= (await left() or 0) < 60_000
    await deadlines.extend({room: 1_000})
    assert (await left() or 0) >= 50_000, "it never falls"
    assert await deadlines.of(f"{room}b") is None
    timed = await log.append(
        room, first.place, b"{}", AppendOptions(deadline=Deadline("in", 5_000))
    )
    await deadlines.extend({room: 50_000})
    assert (await left() or 0) <= timed.at - first.at + 5_000, "it is on a clock now"
    await log.append(room, timed.place, b"{}", AppendOptions(deadline=NO_DEADLINE))
    await deadlines.extend({room: 50_000})
    assert await left() is None

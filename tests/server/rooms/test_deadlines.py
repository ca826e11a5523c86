"""Nodes whose referees look after clocks, over a store whose time stands in the test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from math import inf
from typing import Any

import pytest
from structlog.testing import capture_logs

from pierule_protocol.log.controls import ABANDONED_TIME, PUBLIC_OPEN_TIME, Fischer, requested
from pierule_protocol.log.events import Credited, Entry, decode_record
from pierule_protocol.messages import Result
from pierule_server.rooms import deadlines
from pierule_server.rooms.deadlines import ALARMING, AT_ONCE
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.deadlines import STALE_MS, Sweep
from pierule_server.terms import Outage
from support.model_store import BEGIN, HeldClock, ModelStore
from support.nodes import BERT, Node, running, settle

FISCHER = requested(Fischer(main=10))
GAIN = 190
"""0.4 % of 10 s and 150 ms."""


@pytest.fixture
def hands() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def nodes(hands: HeldClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Node]]:
    """Three nodes whose referees, once started, look without a pause."""
    monkeypatch.setattr(deadlines, "INTERVAL", 0)
    monkeypatch.setattr(deadlines, "RESTING", 0)
    async with running(3, ModelStore(hands)) as nodes:
        yield nodes


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0)


async def look() -> None:
    """Let the referees have looked and done what they want, several times."""
    for _ in range(60):
        await asyncio.sleep(0)


async def beat(hands: HeldClock, ms: int) -> None:
    """Let time go by, with the referees awake."""
    end = hands.now + ms
    while hands.now < end:
        hands.now = min(hands.now + STALE_MS, end)
        await look()


def kinds(node: Node, room: str) -> list[str]:
    return [type(decode_record(entry.record)).__name__ for entry in node.entries(room)]


def last(node: Node, room: str) -> Entry:
    return node.entries(room)[-1]


# --- time-outs ------------------------------------------------------------------------------


async def test_a_room_is_flagged_once_after_its_deadline(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].started(FISCHER)
    for node in nodes:
        node.referee.start()
    deadline = nodes[0].kept(room).deadline
    assert deadline is not None
    await beat(hands, deadline - hands.now)
    assert kinds(nodes[0], room)[-1] == "Acted"
    hands.now += 1
    await until(lambda: kinds(nodes[0], room)[-1] == "Flagged")
    await look()
    assert kinds(nodes[0], room).count("Flagged") == 1
    assert nodes[0].kept(room).result == Result(1, "flagged")
    assert nodes[0].store.deadlines == {}


async def test_any_node_flags_a_room_that_it_never_loaded(
    nodes: list[Node], hands: HeldClock
) -> None:
    """Both players are gone, and so is the node that they were on."""
    room = await nodes[0].started(FISCHER)
    await nodes[0].hub.stop()
    nodes[2].referee.start()
    await beat(hands, 30_000)
    await until(lambda: kinds(nodes[0], room)[-1] == "Flagged")
    assert nodes[2].log.subscribed == [room]


@pytest.mark.parametrize("clock", [None, FISCHER])
async def test_a_room_that_is_not_begun_is_aborted(
    nodes: list[Node], hands: HeldClock, clock: Any
) -> None:
    room = await nodes[0].make(clock=clock)
    nodes[1].referee.start()
    await look()
    # Nobody looks for all that time, so that the node counts as away, which moves no such deadline.
    hands.now = BEGIN + PUBLIC_OPEN_TIME
    await look()
    assert "Aborted" not in kinds(nodes[0], room)
    hands.now += 1
    await until(lambda: kinds(nodes[0], room)[-1] == "Aborted")
    assert nodes[0].kept(room).result == Result(None, "aborted")
    assert nodes[0].store.cards == {}


async def test_the_first_player_who_does_not_begin_aborts(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].make(clock=FISCHER)
    await nodes[0].take(BERT, room)
    nodes[1].referee.start()
    await beat(hands, 10_000 + 3 * GAIN)
    assert kinds(nodes[0], room)[-1] == "Seated"
    await beat(hands, 1)
    await until(lambda: kinds(nodes[0], room)[-1] == "Aborted")


async def test_a_game_without_a_clock_runs_until_it_is_abandoned(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].started()
    nodes[1].referee.start()
    await look()
    hands.now += ABANDONED_TIME
    await look()
    assert kinds(nodes[0], room)[-1] == "Acted"
    hands.now += 1
    await until(lambda: kinds(nodes[0], room)[-1] == "Aborted")
    assert nodes[0].kept(room).result == Result(None, "aborted")


async def test_a_node_looks_when_the_first_deadline_that_it_knows_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first deadline is known from a look, the second from an event."""
    monkeypatch.setattr(deadlines, "RESTING", 3_600)
    monkeypatch.setattr(deadlines, "INTERVAL", 0)
    async with running(1, ModelStore()) as (node,):
        due = node.log.now() + 50
        first, looks = iter([due, inf, inf]), asyncio.Queue[int]()

        async def sweep(more: int = 0) -> Sweep:
            looks.put_nowait(node.log.now())
            return Sweep(node.log.now(), [], [], next(first))

        monkeypatch.setattr(node.log.tables.deadlines, "sweep", sweep)
        node.referee.start()
        assert await looks.get() <= due
        assert await looks.get() > due
        await look()
        due = node.log.now() + 50
        for later in (1_000_000, 0, 10):
            node.hub.on_deadline(due + later)
        assert await looks.get() > due
        await look()
        assert looks.empty()


async def test_events_tell_the_deadlines_that_they_set(nodes: list[Node], hands: HeldClock) -> None:
    told: list[int] = []
    nodes[0].hub.on_deadline = told.append
    room = await nodes[0].started(FISCHER)
    assert told[-1] == nodes[0].kept(room).deadline


async def test_a_node_that_rests_looks_again_for_what_others_have_set(
    nodes: list[Node], hands: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "RESTING", 0.01)
    nodes[0].referee.start()
    await look()
    room = await nodes[1].started()
    hands.now += ABANDONED_TIME + 1
    await until(lambda: kinds(nodes[1], room)[-1] == "Aborted")


async def test_a_node_flags_a_bounded_number_of_rooms_at_once(
    nodes: list[Node], hands: HeldClock
) -> None:
    """A thousand deadlines at the same moment are no thousand requests."""
    node = nodes[0]
    rooms = [await node.started(FISCHER) for _ in range(AT_ONCE + 36)]
    made = node.log.appends
    node.log.gate.clear()
    node.referee.start()
    await beat(hands, 10_000 + 5 * GAIN)
    await until(lambda: node.log.appends > made)
    await look()
    assert node.log.appends == made + AT_ONCE
    node.log.gate.set()
    await until(lambda: all(kinds(node, room)[-1] == "Flagged" for room in rooms))


async def test_a_room_that_cannot_be_settled_holds_up_no_other(
    nodes: list[Node], hands: HeldClock
) -> None:
    node = nodes[0]
    gone = await node.started(FISCHER)
    corrupt = await node.started(FISCHER)
    room = await node.started(FISCHER)
    node.lose_tail(gone, 0)
    first, _, *rest = node.entries(corrupt)
    node.store.write_log(corrupt, [first, Entry(1, 2, 0, BEGIN, "{}"), *rest])
    nodes[1].referee.start()
    await beat(hands, 10_000 + 5 * GAIN)
    await until(lambda: kinds(node, room)[-1] == "Flagged")


# --- outages --------------------------------------------------------------------------------


async def test_an_outage_is_credited_before_any_flag_falls(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].started(FISCHER)
    deadline = nodes[0].kept(room).deadline
    assert deadline is not None
    hands.now += 60_000
    for node in nodes:
        node.referee.start()
    await until(lambda: "Credited" in kinds(nodes[0], room))
    await look()
    assert kinds(nodes[0], room)[-2:] == ["Acted", "Credited"]
    assert decode_record(last(nodes[0], room).record) == Credited(BEGIN, BEGIN + 60_000)
    assert nodes[0].store.deadlines[room] == deadline + 60_000
    assert nodes[0].store.lost == {}
    await beat(hands, deadline - BEGIN)
    assert kinds(nodes[0], room)[-1] == "Credited"
    await beat(hands, 1)
    await until(lambda: kinds(nodes[0], room)[-1] == "Flagged")


async def test_a_pause_up_to_the_limit_is_not_an_outage(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].started(FISCHER)
    hands.now += STALE_MS
    nodes[0].referee.start()
    await look()
    assert "Credited" not in kinds(nodes[0], room)


async def test_two_nodes_credit_an_outage_once(
    nodes: list[Node], hands: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has heard of the first one's credit by the time at which it decides on its own."""
    first, second = nodes[:2]
    room = await first.started(FISCHER)
    await second.live(room)
    hands.now += 60_000
    asked, credited = asyncio.Event(), asyncio.Event()
    ask = second.log.tables.deadlines.outage

    async def slow(room: str) -> Outage | None:
        outage = await ask(room)
        asked.set()
        await credited.wait()
        return outage

    monkeypatch.setattr(second.log.tables.deadlines, "outage", slow)
    late = asyncio.create_task(second.rooms.changes.credit(room))
    await asked.wait()
    await first.rooms.changes.credit(room)
    await until(lambda: second.hub.cache.live[room].room.place == last(first, room).place)
    credited.set()
    await late
    assert kinds(first, room).count("Credited") == 1


@pytest.mark.parametrize("clock", [None, FISCHER])
async def test_an_open_room_gets_no_credit_for_an_outage(
    nodes: list[Node], hands: HeldClock, clock: Any
) -> None:
    """SPEC 9.6. Another room's credit shows that the outage was noticed."""
    room, other = await nodes[0].make(clock=clock), await nodes[0].started(FISCHER)
    hands.now += 60_000
    nodes[0].referee.start()
    await until(lambda: kinds(nodes[0], other)[-1] == "Credited")
    await look()
    assert kinds(nodes[0], room) == ["Created"]
    assert nodes[0].store.deadlines[room] == BEGIN + PUBLIC_OPEN_TIME
    await nodes[0].take(BERT, room)
    assert nodes[0].kept(room).status == "running"


async def test_a_room_without_a_clock_gets_no_credit_for_an_outage(
    nodes: list[Node], hands: HeldClock
) -> None:
    room = await nodes[0].started()
    hands.now += 60_000
    await nodes[0].rooms.changes.credit(room)
    assert "Credited" not in kinds(nodes[0], room)


async def test_the_deadline_sweeper_waits_while_the_store_is_away(
    nodes: list[Node], hands: HeldClock
) -> None:
    node = nodes[0]
    room = await node.started(FISCHER)
    node.referee.start()
    await look()
    node.log.away = True
    hands.now += 60_000
    await look()
    assert kinds(node, room)[-1] == "Acted"
    node.log.away = False
    await until(lambda: kinds(node, room)[-1] == "Credited")


@pytest.mark.parametrize("missed", [ALARMING - 1, ALARMING, 10 * ALARMING])
async def test_outages_longer_than_a_hiccup_are_logged(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch, missed: int
) -> None:
    deadlines = nodes[0].log.tables.deadlines
    answer, failures = deadlines.sweep, iter(range(missed))

    async def sweep(more: int = 0) -> Sweep:
        if next(failures, None) is not None:
            raise StoreUnavailable("no answer in time")
        return await answer(more)

    monkeypatch.setattr(deadlines, "sweep", sweep)
    with capture_logs() as logged:
        nodes[0].referee.start()
        await look()
    assert [entry["log_level"] for entry in logged] == ["warning", "info"] * (missed >= ALARMING)


async def test_a_store_that_fails_in_between_is_asked_again(
    nodes: list[Node], hands: HeldClock
) -> None:
    node = nodes[0]
    room = await node.started(FISCHER)
    node.log.faults.extend(["before", "after", "before"])
    node.referee.start()
    await beat(hands, 10_000 + 5 * GAIN)
    await until(lambda: kinds(node, room)[-1] == "Flagged")
    await look()
    assert kinds(node, room).count("Flagged") == 1


# --- rooms ----------------------------------------------------------------------------------


async def test_the_deadline_sweeper_ends_with_its_node(nodes: list[Node], hands: HeldClock) -> None:
    node = nodes[0]
    room = await node.started(FISCHER)
    node.referee.start()
    node.log.gate.clear()
    await beat(hands, 10_000 + 5 * GAIN)
    await node.referee.stop()
    node.log.gate.set()
    await look()
    assert kinds(node, room)[-1] == "Acted"


async def test_nothing_settles_while_a_referee_looks_without_a_pause(nodes: list[Node]) -> None:
    """A test that waits for that fails at once, and does not hang."""
    nodes[0].referee.start()
    with pytest.raises(AssertionError, match="nothing settles"):
        await settle()

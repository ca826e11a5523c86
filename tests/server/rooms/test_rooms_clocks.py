"""Requests on a clock: in time or too late, done or unknown at the deadline (laws 3, 4 and 7)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import (
    Byoyomi,
    ClockOptions,
    Correspondence,
    Fischer,
    Turnwise,
    requested,
)
from pierule_protocol.log.events import Acted, Credited, Flagged, decode_record
from pierule_protocol.messages import Create
from pierule_server.rooms.decisions.decide import Refused
from support.model_store import BEGIN, HeldClock, ModelStore
from support.nodes import ANNA, BERT, Fault, Node, running

FISCHER = requested(Fischer(main=10))


class Table:
    """Two nodes, and a room on a clock in which Anna is to act at turn 3."""

    def __init__(self, nodes: list[Node], hands: HeldClock, room: str) -> None:
        self.nodes = nodes
        self.node = nodes[0]
        self.hands = hands
        self.room = room

    @property
    def deadline(self) -> int:
        deadline = self.node.kept(self.room).deadline
        assert deadline is not None
        return deadline

    @property
    def records(self) -> list[Any]:
        return [decode_record(entry.record) for entry in self.node.entries(self.room)]

    async def to(self, moment: int) -> None:
        """Move the clock, with referees that are awake, but do nothing else."""
        self.hands.now = moment
        self.node.store.beat(moment)

    async def refused(self, code: Code, awaitable: Any) -> dict[str, Any]:
        with pytest.raises(Refused) as caught:
            await awaitable
        assert caught.value.code is code
        return caught.value.fields


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    hands = HeldClock()
    async with running(2, ModelStore(hands)) as nodes:
        yield Table(nodes, hands, await nodes[0].started(FISCHER))


async def test_an_action_at_the_deadline_counts(table: Table) -> None:
    await table.to(table.deadline)
    answer = await table.node.act(ANNA, table.room, 3, "a1")
    assert answer.place == table.node.kept(table.room).place


@pytest.mark.parametrize("late", [1, 77])
async def test_an_action_after_the_deadline_is_refused_and_the_flag_falls(
    table: Table, late: int
) -> None:
    await table.to(table.deadline + late)
    fields = await table.refused(Code.FLAGGED, table.node.act(ANNA, table.room, 3, "a1"))
    assert fields == {"late": late}
    assert table.records[-1] == Flagged(0)
    assert len(table.records) == 6


async def test_a_resignation_after_the_deadline_is_refused(table: Table) -> None:
    await table.to(table.deadline + 5)
    fields = await table.refused(Code.FLAGGED, table.node.resign(BERT, table.room))
    assert fields == {"late": 5}
    assert table.records[-1] == Flagged(0)


async def test_no_time_out_happens_before_the_deadline(table: Table) -> None:
    """Whoever asks for it, and whatever he believes."""
    for moment in (BEGIN, table.deadline):
        await table.to(moment)
        for node in table.nodes:
            await node.rooms.time_out(table.room)
    assert len(table.records) == 5


async def test_a_node_that_is_behind_flags_nobody(table: Table) -> None:
    """The second node still believes in Anna's deadline."""
    second = table.nodes[1]
    await second.live(table.room)
    second.deafen(table.room)
    deadline = table.deadline
    await table.to(deadline - 1)
    await table.node.act(ANNA, table.room, 3, "a1")
    await table.to(deadline + 1)
    await second.rooms.time_out(table.room)
    assert isinstance(table.records[-1], Acted)


async def test_a_retry_is_answered_after_the_flag_as_before(table: Table) -> None:
    await table.to(table.deadline)
    first = await table.node.act(ANNA, table.room, 3, "a1")
    await table.to(table.deadline + 1)
    await table.node.rooms.time_out(table.room)
    assert table.records[-1] == Flagged(1)
    for node in table.nodes:
        again = await node.act(ANNA, table.room, 3, "a1")
        assert (again.place, again.turn) == (first.place, first.turn)
    assert len(table.records) == 7


@pytest.mark.parametrize(("fault", "kept"), [("after", True), ("before", False)])
async def test_an_action_with_unknown_outcome_at_the_deadline_is_looked_up_in_the_log(
    table: Table, fault: Fault, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store hangs up on an action in the last millisecond, and is asked again after it."""
    read = table.node.log.read

    async def late_read(room: str, first: int = 1) -> Any:
        await table.to(deadline + 9)
        return await read(room, first)

    deadline = table.deadline
    await table.to(deadline)
    table.node.log.faults.append(fault)
    monkeypatch.setattr(table.node.log, "read", late_read)
    if kept:
        answer = await table.node.act(ANNA, table.room, 3, "a1")
        assert answer.place == table.node.entries(table.room)[5].place
        assert table.node.entries(table.room)[5].at == deadline
    else:
        fields = await table.refused(Code.FLAGGED, table.node.act(ANNA, table.room, 3, "a1"))
        assert fields == {"late": 9}
        assert table.records[-1] == Flagged(0)


async def test_an_action_after_an_outage_is_credited_and_counts(table: Table) -> None:
    """No referee has looked yet; the action itself finds out."""
    table.hands.now = table.deadline + 60_000
    answer = await table.node.act(ANNA, table.room, 3, "a1")
    assert table.records[-2] == Credited(BEGIN, table.hands.now)
    assert isinstance(table.records[-1], Acted)
    assert answer.place == table.node.kept(table.room).place
    assert table.node.kept(table.room).clock is not None


async def test_a_time_out_after_an_outage_is_credited_and_waits(table: Table) -> None:
    table.hands.now = table.deadline + 60_000
    await table.node.rooms.time_out(table.room)
    assert isinstance(table.records[-1], Credited)
    assert table.node.kept(table.room).status == "running"


async def test_lag_is_written_into_the_event(table: Table) -> None:
    await table.to(BEGIN + 3_000)
    await table.node.act(ANNA, table.room, 3, "a1", lag=120)
    assert table.records[-1] == Acted(0, "a1", 120, 120)
    clock = table.node.kept(table.room).clock
    assert clock is not None
    assert clock.hands[0].main == 10_000 - 3_000 + 120


@pytest.mark.parametrize(
    "clock",
    [
        Fischer(main=1, increment=1),
        Byoyomi(main=1, periods=1, period=1),
        Turnwise(time=5),
        Correspondence(days=2),
    ],
)
async def test_a_room_on_a_clock_is_made_once(table: Table, clock: ClockOptions) -> None:
    """Also when the answer is lost, on every node; and its control is that of the first request."""
    request = Create(id=1, nonce="again", game="loose", size=5, seat=0, clock=requested(clock))
    table.node.log.faults.append("after")
    answers = [await node.rooms.create(ANNA, request) for node in (*table.nodes, table.node)]
    assert len({answer.room for answer in answers}) == 1
    assert answers[0].room is not None
    assert table.node.kept(answers[0].room).created.clock == clock
    other = requested(Turnwise(time=9))
    different = Create(id=1, nonce="again", game="loose", size=5, seat=0, clock=other)
    fields = await table.refused(Code.BAD_FIELD, table.node.rooms.create(ANNA, different))
    assert fields == {"field": "nonce"}


async def test_a_clock_without_any_time_is_refused(table: Table) -> None:
    request = Create(id=1, nonce="n", game="loose", clock=requested(Fischer(main=0)))
    fields = await table.refused(Code.BAD_FIELD, table.node.rooms.create(ANNA, request))
    assert fields == {"field": "clock"}

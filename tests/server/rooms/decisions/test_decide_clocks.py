"""What the store is told of time with each decision, and that it is what the fold says.

The deadline that the store keeps is written from a rule that was decided before the entry's time
was known; the fold computes it from that time. Were they ever to differ, the store would take
what no log may hold.
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ABANDONED_TIME, Byoyomi, ClockOptions, Fischer, Turnwise
from pierule_protocol.log.events import (
    EMPTY,
    Aborted,
    Acted,
    Credited,
    Flagged,
    encode_record,
)
from pierule_protocol.messages import Card
from pierule_protocol.state.room import Done, room_card
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import (
    Append,
    Decision,
    Refused,
    act,
    create,
    credit,
    resign,
    take_seat,
    time_out,
)
from pierule_server.store.buckets import bucket_of, clock_key
from pierule_server.store.redis_room_log import APPEND, _append_arguments, _outcome
from pierule_server.terms import (
    KEEP_DEADLINE,
    NO_DEADLINE,
    AppendOptions,
    Deadline,
    Outage,
    Timing,
)
from support.games import game
from support.model_store import ModelStore
from support.timed import BEGIN, OPENED, Timed

ANNA, BERT = User("anna", "Anna"), User("bert", "Bert")
USERS = (ANNA, BERT)
ACTIONS = game("loose", 5).actions
FISCHER = Fischer(main=10, increment=2)
FIRST = 10_000 + 3 * 510
ABANDONED = Deadline("idle", ABANDONED_TIME)


def at_turn(turn: int, clock: ClockOptions | None = FISCHER) -> Timed:
    """After so many actions, one each second."""
    timed = Timed(clock)
    for number, action in enumerate(ACTIONS[:turn]):
        timed.act(1_000 * number, action)
    return timed


def told(decision: Decision) -> tuple[Deadline, Timing]:
    assert isinstance(decision, Append), decision
    return decision.deadline, decision.timing


def test_taking_the_first_seat_keeps_the_deadline_of_the_open_room() -> None:
    timed = Timed(FISCHER, seated=False)
    timed.room.seats[0] = None
    assert told(take_seat(timed.room, BERT, 1, "n")) == (KEEP_DEADLINE, "any")


@pytest.mark.parametrize(
    ("clock", "deadline"),
    [
        (None, ABANDONED),
        (FISCHER, Deadline("in", FIRST)),
        (Turnwise(time=1), Deadline("in", 1_000 + 3 * 310)),
        (Byoyomi(main=5, periods=3, period=2), Deadline("in", 11_000 + 3 * 490)),
    ],
)
def test_taking_the_last_seat_starts_the_clock(
    clock: ClockOptions | None, deadline: Deadline
) -> None:
    room = Timed(clock, seated=False).room
    assert told(take_seat(room, BERT, 1, "n")) == (deadline, "any")


@pytest.mark.parametrize(
    ("turn", "deadline"),
    [
        (0, Deadline("in", FIRST)),  # komi: the other begins
        (1, KEEP_DEADLINE),  # the color: the same seat plays
        (2, Deadline("in", 12_000 + 4 * 510)),
        (len(ACTIONS) - 1, NO_DEADLINE),
    ],
)
def test_acting_gives_the_next_seat_its_time(turn: int, deadline: Deadline) -> None:
    timed = at_turn(turn)
    seat = timed.room.position.to_act
    assert seat is not None
    assert told(act(timed.room, USERS[seat], turn, ACTIONS[turn])) == (deadline, "in_time")


def test_without_a_clock_each_action_postpones_the_abandonment() -> None:
    assert told(act(at_turn(0, None).room, ANNA, 0, ACTIONS[0])) == (ABANDONED, "in_time")


@pytest.mark.parametrize(("lag", "given"), [(0, 0), (80, 80), (1_530, 1_530), (5_000, 1_530)])
def test_lag_is_recorded_up_to_the_quota(lag: int, given: int) -> None:
    decision = act(at_turn(0).room, ANNA, 0, ACTIONS[0], lag)
    assert isinstance(decision, Append)
    assert decision.record == Acted(0, ACTIONS[0], lag, given)


def test_without_a_clock_no_compensation_is_recorded() -> None:
    decision = act(at_turn(0, None).room, ANNA, 0, ACTIONS[0], 80)
    assert isinstance(decision, Append)
    assert decision.record == Acted(0, ACTIONS[0])


def test_a_resignation_must_be_in_time_and_clears_the_deadline() -> None:
    assert told(resign(at_turn(3).room, ANNA, None, "n")) == (NO_DEADLINE, "in_time")


def test_a_time_out_flags_or_aborts_a_room_that_is_due() -> None:
    aborted, flagged = time_out(at_turn(0).room), time_out(at_turn(3).room)
    assert isinstance(aborted, Append)
    assert isinstance(flagged, Append)
    assert (aborted.record, flagged.record) == (Aborted(), Flagged(0))
    for decision in (aborted, flagged):
        assert (decision.card, told(decision)) == (None, (NO_DEADLINE, "due"))
    open_room = time_out(Timed(None, seated=False).room)
    assert isinstance(open_room, Append)
    assert (open_room.record, told(open_room)) == (Aborted(), (NO_DEADLINE, "due"))
    abandoned = time_out(at_turn(3, None).room)  # without a clock, nobody has lost
    assert isinstance(abandoned, Append)
    assert (abandoned.record, told(abandoned)) == (Aborted(), (NO_DEADLINE, "due"))


@pytest.mark.parametrize("clock", [None, FISCHER])
def test_a_time_out_leaves_a_finished_room_alone(clock: ClockOptions | None) -> None:
    assert isinstance(time_out(at_turn(len(ACTIONS), clock).room), Done)


@pytest.mark.parametrize(
    ("lost_from", "lost_to", "deadline"),
    [(2_500, 6_000, Deadline("by", 3_500)), (0, 6_000, Deadline("by", 4_000)),
     (0, 1_000, Deadline("by", 0))],
)  # fmt: skip
def test_a_credit_moves_the_deadline(lost_from: int, lost_to: int, deadline: Deadline) -> None:
    timed = at_turn(3)  # whose turn began at 2 s
    outage = Outage(BEGIN + lost_from, BEGIN + lost_to)
    decision = credit(timed.room, outage)
    assert told(decision) == (deadline, "any")
    assert decision.record == Credited(BEGIN + lost_from, BEGIN + lost_to)
    assert decision.card == room_card(timed.room)


@pytest.mark.parametrize(
    "timed", [Timed(None, seated=False), Timed(FISCHER, seated=False), at_turn(3, None)]
)
def test_a_credit_keeps_the_deadline_if_no_clock_runs(timed: Timed) -> None:
    assert told(credit(timed.room, Outage(BEGIN, BEGIN + 5_000))) == (KEEP_DEADLINE, "any")


def test_a_retry_after_the_flag_is_answered_as_before() -> None:
    """A retry is answered as the first request was (law 7)."""
    timed = at_turn(3)
    timed.add(10**9, Flagged(0))
    seat = 1 if timed.room.turns[2].record == Acted(1, ACTIONS[2]) else 0
    done = act(timed.room, USERS[seat], 2, ACTIONS[2])
    assert done == timed.room.turns[2]
    late = act(timed.room, ANNA, 3, ACTIONS[3])
    assert isinstance(late, Refused)
    assert late.code is Code.FINISHED


class Kept:
    """A room as the fold tells it, and as `append.lua` keeps it."""

    def __init__(self, clock: ClockOptions | None) -> None:
        self.timed = Timed(clock, seated=False)
        self.store = ModelStore()
        self._place = EMPTY
        self._append(OPENED, create("room", self.timed.room.created))

    def add(self, at: int, decision: Decision) -> None:
        """What the store takes at this time, and the fold must."""
        assert isinstance(decision, Append), decision
        self.timed.add(at, decision.record)
        self._append(at, decision)
        room = self.timed.room
        assert self._place == room.place
        assert self.store.deadlines.get("room") == room.deadline
        listed = room_card(room) if room.status != "over" else None
        assert _undated(decision.card) == _undated(listed)

    def _append(self, at: int, decision: Append) -> None:
        self.store.now = lambda: BEGIN + at
        self.store.beat(BEGIN + at)
        credit = None
        if isinstance(decision.record, Credited):
            credit = Outage(decision.record.lost_from, decision.record.lost_to)
            lost = f"{credit.lost_from} {credit.lost_to}"
            self.store.run("HSET", clock_key(bucket_of("room")), "room", lost)
        card = msgspec.json.encode(decision.card)
        terms = AppendOptions(card, decision.deadline, decision.timing, credit=credit)
        record = encode_record(decision.record)
        _, rest = _append_arguments("room", self._place, record, terms)
        reply = self.store.run("EVAL", APPEND.text, *rest)
        entry = _outcome(reply, "room", record, terms)
        assert entry.at == BEGIN + at
        self._place = entry.place


def _undated(card: Card | None) -> Card | None:
    return card and msgspec.structs.replace(card, at=0)


clocks = st.one_of(
    st.none(),
    st.builds(Fischer, main=st.integers(1, 60), increment=st.integers(0, 10)),
    st.builds(Fischer, main=st.just(0), increment=st.integers(1, 10)),
    st.builds(Byoyomi, main=st.integers(0, 9), periods=st.integers(1, 5), period=st.integers(1, 9)),
    st.builds(Turnwise, time=st.integers(1, 60)),
)


@settings(deadline=None)
@given(clocks, st.data())
def test_the_store_keeps_the_deadline_that_the_fold_computes(
    clock: ClockOptions | None, data: st.DataObject
) -> None:
    kept = Kept(clock)
    room = kept.timed.room
    kept.add(0, take_seat(room, BERT, 1, "n"))
    for turn, action in enumerate(ACTIONS[: data.draw(st.integers(0, len(ACTIONS)))]):
        start = room.at - BEGIN
        last = start + 10**6 if room.deadline is None else room.deadline - BEGIN
        at = data.draw(st.just(last) | st.integers(start, last))
        if at > start and data.draw(st.booleans()):
            lost_from = data.draw(st.integers(start - 10_000, at - 1))
            kept.add(at, credit(room, Outage(BEGIN + lost_from, BEGIN + at)))
        seat = room.position.to_act
        assert seat is not None
        kept.add(at, act(room, USERS[seat], turn, action, data.draw(st.integers(0, 9_000))))
    if room.status == "over":
        return
    if room.deadline is not None and data.draw(st.booleans()):
        kept.add(room.deadline + 1 - BEGIN, time_out(room))
    else:
        kept.add(room.at - BEGIN, resign(room, ANNA, None, "r"))
    assert room.result is not None

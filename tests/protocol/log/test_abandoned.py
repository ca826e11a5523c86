"""A game without a clock in which nothing happens any more ends without a loser (SPEC 9.3)."""

from __future__ import annotations

import pytest

from pierule_protocol.log.controls import ABANDONED_TIME, Fischer
from pierule_protocol.log.events import EMPTY, Aborted, Acted, AnyRecord, Created, Renewed, Seated
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Result
from pierule_protocol.state.room import (
    CorruptLog,
    Room,
)
from support.logs import START, folded, write

MAKE = Created("loose", 5, "anna", "Anna", "n1", 0)
SIT = Seated(1, "bert", "Bert", "n2")
KOMI = Acted(0, "komi:12")


def begun(*records: AnyRecord) -> Room:
    return folded(write(EMPTY, MAKE, SIT, KOMI, *records))


def end(room: Room, at: int) -> Room:
    """The room with an abort at a time."""
    (entry,) = write(room.place, Aborted(), at=at - 1000 * (room.place.seq + 1))
    assert entry.at == at
    return fold(room, room.id, entry)


def test_an_abandoned_game_may_be_aborted_after_its_deadline() -> None:
    room = begun()
    deadline = START + 3000 + ABANDONED_TIME
    assert room.deadline == deadline
    over = end(room, deadline + 1)
    assert over.status == "over"
    assert over.result == Result(None, "aborted")


def test_an_abandoned_game_may_not_be_aborted_before_its_deadline() -> None:
    room = begun()
    assert room.deadline is not None
    with pytest.raises(CorruptLog, match="before the deadline"):
        end(room, room.deadline)


def test_the_time_until_abandonment_counts_from_the_latest_action() -> None:
    assert folded(write(EMPTY, MAKE, SIT)).deadline == START + 2000 + ABANDONED_TIME
    assert begun(Renewed()).deadline == START + 3000 + ABANDONED_TIME
    assert begun(Renewed(), Acted(1, "black")).deadline == START + 5000 + ABANDONED_TIME


def test_a_game_with_a_clock_is_not_aborted_but_flagged() -> None:
    timed = Created("loose", 5, "anna", "Anna", "n1", 0, Fischer(main=60))
    room = folded(write(EMPTY, timed, SIT, KOMI))
    with pytest.raises(CorruptLog, match="begun"):
        end(room, START + ABANDONED_TIME)

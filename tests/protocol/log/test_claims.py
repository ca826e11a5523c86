"""What a log proves about a player who was gone (SPEC 25.4)."""

from __future__ import annotations

from typing import Any

import pytest

from pierule_protocol.log.controls import (
    Byoyomi,
    ClockOptions,
    Correspondence,
    Fischer,
    Turnwise,
    absence_bound,
)
from pierule_protocol.log.events import (
    AnyRecord,
    Claimed,
    Credited,
    Offered,
    Paused,
    Renewed,
    Resumed,
)
from pierule_protocol.messages import Result
from pierule_protocol.state.room import CorruptLog
from support.story import START, Story

CLOCK = Fischer(main=60, increment=2)
BOUND = 30_000


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        (None, 300),
        (Correspondence(days=1), None),
        (Turnwise(time=5), 30),
        (Turnwise(time=45), 45),
        (Turnwise(time=3_600), 120),
        (Fischer(main=60, increment=2), 30),
        (Fischer(main=599), 30),
        (Fischer(main=600), 120),
        (Byoyomi(main=0, periods=3, period=14), 30),
        (Byoyomi(main=0, periods=3, period=15), 120),
    ],
)
def test_the_bound_of_an_absence_depends_on_the_clock(
    clock: ClockOptions | None, seconds: int | None
) -> None:
    bound = absence_bound(clock)
    assert bound == (None if seconds is None else seconds * 1_000)


def begun(clock: ClockOptions | None = CLOCK) -> Story:
    """Seat 1 took its seat at START + 1000, and then was gone; seat 0 acts at START + 2000."""
    story = Story(clock=clock)
    story.act("komi:12")
    return story


def claimed(gone: int, **how: Any) -> Claimed:
    return Claimed(
        how.get("seat", 0), how.get("outcome", "win"), gone, how.get("bound", BOUND), "n9"
    )


@pytest.mark.parametrize(
    ("outcome", "result"), [("win", Result(0, "left")), ("abort", Result(None, "left"))]
)
def test_a_claim_ends_the_game(outcome: str, result: Result) -> None:
    story = begun()
    event = story.add(claimed(START + 1_000, outcome=outcome), after=BOUND - 1_000)
    assert story.room.result == result
    assert (event.diff.status, event.diff.result) == ("over", result)
    assert story.room.clock is not None
    assert story.room.clock.running is None
    assert story.room.effects["ada", "n9"].place == story.room.place


@pytest.mark.parametrize(
    ("record", "after", "why"),
    [
        (claimed(START + 1_000), BOUND - 1_001, "1 ms too early"),
        (claimed(START + 999), BOUND, "but the opponent was there"),
        (claimed(START + 1_000, bound=1), BOUND, "instead of 30000 ms"),
        (claimed(START + 1_000, seat=1), BOUND, "but the opponent was there"),
        (claimed(START + 1_000), 60_000 + BOUND, "after the deadline"),
    ],
)
def test_an_impossible_claim_is_a_corrupt_log(record: Claimed, after: int, why: str) -> None:
    with pytest.raises(CorruptLog, match=why):
        begun().add(record, after=after)


def test_claims_are_refused_without_a_bound_in_a_pause_and_after_the_end() -> None:
    with pytest.raises(CorruptLog, match="instead of None ms"):
        begun(Correspondence(days=1)).add(claimed(START + 2_000), after=BOUND)
    story = begun()
    story.add(Offered(0, "pause", "n2"))
    story.add(Paused(1, "n3"))
    with pytest.raises(CorruptLog, match="is not running"):
        story.add(claimed(story.room.at), after=BOUND)
    with pytest.raises(CorruptLog, match="is not running"):
        Story(open=True).add(claimed(START), after=BOUND)


def _pause(story: Story) -> AnyRecord:
    story.add(Offered(0, "pause", "n2"))
    story.add(Paused(1, "n3"))
    story.add(Offered(0, "resume", "n4"))
    return Resumed(1, "n5")


@pytest.mark.parametrize(
    "last",
    [
        lambda _: Credited(START + 2_000, START + 2_500),
        lambda _: Renewed(),
        lambda _: Offered(1, "takeback", "n2"),
        _pause,
    ],
)
def test_acting_and_following_count_as_present(last: Any) -> None:
    story = begun()
    if isinstance(record := last(story), Offered):
        story.act("black")
    story.add(record)
    there = story.room.at
    with pytest.raises(CorruptLog, match="but the opponent was there"):
        story.fork().add(claimed(there - 1), after=BOUND)
    story.add(claimed(there), after=BOUND)
    assert story.room.result == Result(0, "left")

"""What operators do to a room: an event of its log like any other, that every fold judges alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import UNSET

from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import Closed, Credited, Resigned
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import Result
from pierule_protocol.state.mirror import advance
from pierule_protocol.state.room import CorruptLog
from support.story import Story


def opened() -> Story:
    return Story(open=True)


def running() -> Story:
    story = Story(clock=Fischer(main=300, increment=3))
    story.act("komi:12", "black", "b4")
    return story


def over() -> Story:
    story = running()
    story.resign(0)
    return story


@pytest.mark.parametrize(
    ("begin", "reason"),
    [(opened, "closed"), (running, "closed"), (over, "voided")],
)
def test_a_closed_room_is_over_without_a_winner(begin: Callable[[], Story], reason: str) -> None:
    story = begin()
    before = story.state
    # Whatever the clocks say: a deadline is nothing to an operator.
    event = story.add(Closed("because"), after=400_000)
    state = story.state
    assert (state.status, state.result) == ("over", Result(None, reason))
    assert state.position == before.position
    assert state.actions == before.actions
    assert state.clock is None or state.clock.running is None
    assert advance(before, event) == state
    assert verify(story.record) is None


def test_the_diff_of_a_voided_result_is_the_result_alone() -> None:
    story = over()
    diff = story.close("because").diff
    assert diff.result == Result(None, "voided")
    assert [f for f in diff.__struct_fields__ if getattr(diff, f) is not UNSET] == ["result"]


@pytest.mark.parametrize("begin", [opened, running, over])
def test_nothing_follows_a_closed_event(begin: Callable[[], Story]) -> None:
    story = begin()
    story.close("because")
    for record in (Closed("again"), Resigned(0, "n9"), Credited(1, 2)):
        with pytest.raises(CorruptLog, match="comes after the end of the game"):
            story.fork().add(record)

"""The follower alone: what it makes of snapshots and events, without any network."""

import msgspec
import pytest

from pierule import Desync
from pierule.follow import Follower, Verdict
from pierule_protocol.log.events import Renewed
from pierule_protocol.messages import Diff, Event, Ok, PositionDiff, Since
from support.story import Story


def following(story: Story) -> Follower:
    follower = Follower(story.room.id)
    assert follower.snapshot(story.state) is Verdict.CHANGED
    return follower


def wrong(event: Event) -> Event:
    return msgspec.structs.replace(event, digest=event.digest ^ 1)


def off_the_board(event: Event) -> Event:
    diff = Diff(position=PositionDiff(cells=[(10_000, 1)]))
    return msgspec.structs.replace(event, diff=diff)


def impossible_cell(event: Event) -> Event:
    return msgspec.structs.replace(event, diff=Diff(position=PositionDiff(cells=[(0, 300)])))


def test_events_before_the_snapshot_are_ignored() -> None:
    story = Story()
    follower = Follower("kobadimu")
    assert follower.since is None
    assert follower.event(story.act("komi:4")[0]) is Verdict.IGNORED
    assert follower.state is None


def test_events_are_applied_one_by_one() -> None:
    story = Story()
    follower = following(story)
    for event in story.act("komi:4", "black", "c3", "a1", "pass", "pass"):
        assert follower.event(event) is Verdict.CHANGED
        assert follower.event(event) is Verdict.IGNORED
    assert follower.state == story.state
    assert follower.snapshot(story.state) is Verdict.IGNORED
    place = story.room.place
    assert follower.since == Since(place.epoch, place.seq, place.chain)


def test_a_proof_goes_back_with_its_place_unless_it_is_too_long() -> None:
    story = Story()
    follower = Follower(story.room.id)
    follower.snapshot(story.state, "p" * 64)
    first, second, third, fourth = story.act("komi:4", "black", "c3", "a1")
    for event, told, kept in (
        (None, None, "p" * 64),
        (first, "q", "q"),
        (second, None, None),
        (third, "", ""),
        (fourth, "r" * 65, None),
    ):
        if event is not None:
            follower.event(msgspec.structs.replace(event, proof=told))
        assert follower.state is not None
        place = follower.state.place
        assert follower.since == Since(place.epoch, place.seq, place.chain, kept)


def test_a_hole_is_filled_from_the_last_known_place() -> None:
    story = Story()
    follower = following(story)
    since = follower.since
    one, two, three = story.act("komi:4", "black", "c3")
    assert follower.event(two) is Verdict.REJOIN
    assert follower.since == since
    follower.rejoin()
    assert follower.event(three) is Verdict.IGNORED
    follower.joined(Ok(id=1, resumed=True))
    assert [follower.event(event) for event in (one, two, three)] == [Verdict.CHANGED] * 3
    assert follower.state == story.state


def test_a_lasting_hole_is_mended_by_a_snapshot_and_then_reported() -> None:
    story = Story()
    follower = following(story)
    story.act("komi:4")
    (later,) = story.act("black")
    assert follower.event(later) is Verdict.REJOIN
    follower.rejoin()
    follower.joined(Ok(id=1, resumed=True))
    assert follower.event(later) is Verdict.REJOIN
    assert follower.since is None
    follower.rejoin()
    follower.joined(Ok(id=2, resumed=False))
    assert follower.event(later) is Verdict.IGNORED
    follower.snapshot(story.state)
    story.act("c3")
    with pytest.raises(Desync, match="hole at event 6"):
        follower.event(story.act("a1")[0])


def test_a_fork_needs_a_snapshot() -> None:
    story = Story()
    other = story.fork()
    follower = following(story)
    follower.event(story.act("komi:4")[0])
    other.act("komi:6")
    (forked,) = other.act("black")
    assert follower.event(forked) is Verdict.REJOIN
    assert follower.since is None
    follower.rejoin()
    assert follower.snapshot(other.state) is Verdict.CHANGED
    assert follower.event(other.act("c3")[0]) is Verdict.CHANGED


def test_a_new_epoch_that_lost_nothing_goes_on() -> None:
    story = Story()
    follower = following(story)
    assert follower.event(story.add(Renewed())) is Verdict.CHANGED
    assert follower.event(story.act("komi:4")[0]) is Verdict.CHANGED
    assert follower.state == story.state


def test_a_new_epoch_that_lost_something_needs_a_snapshot() -> None:
    story = Story()
    shorter = story.fork()
    follower = following(story)
    follower.event(story.act("komi:4")[0])
    assert follower.event(shorter.add(Renewed())) is Verdict.REJOIN
    assert follower.since is None
    assert follower.snapshot(shorter.state) is Verdict.CHANGED
    assert follower.event(story.events[-1]) is Verdict.IGNORED  # a late one of the old epoch


@pytest.mark.parametrize("spoil", [wrong, off_the_board, impossible_cell])
def test_a_mismatch_needs_a_snapshot_and_a_second_one_is_reported(spoil) -> None:  # type: ignore[no-untyped-def]
    story = Story()
    follower = following(story)
    assert follower.event(spoil(story.act("komi:4")[0])) is Verdict.MISMATCH
    follower.rejoin()
    assert follower.snapshot(story.state) is Verdict.CHANGED
    follower.joined(Ok(id=1, resumed=False))
    with pytest.raises(Desync, match="mismatch at event 4, right after a snapshot"):
        follower.event(spoil(story.act("black")[0]))


def test_cells_are_not_counted_from_behind() -> None:
    """Other languages have no index -1."""
    story = Story()
    story.act("komi:4", "black")
    follower = following(story)
    (event,) = story.act("c3")
    assert isinstance(event.diff.position, PositionDiff)
    position = msgspec.structs.replace(event.diff.position, cells=[(12 - 25, 1)])
    diff = msgspec.structs.replace(event.diff, position=position)
    assert follower.event(msgspec.structs.replace(event, diff=diff)) is Verdict.MISMATCH
    assert follower.event(event) is Verdict.CHANGED


def test_mismatches_apart_from_each_other_are_each_mended() -> None:
    story = Story()
    follower = following(story)
    for bad, good in (("komi:4", "black"), ("c3", "a1"), ("e5", "e1")):
        assert follower.event(wrong(story.act(bad)[0])) is Verdict.MISMATCH
        follower.snapshot(story.state)
        assert follower.event(story.act(good)[0]) is Verdict.CHANGED


def test_a_snapshot_must_fit_its_digest() -> None:
    story = Story()
    state = msgspec.structs.replace(story.state, digest=1)
    with pytest.raises(Desync, match="kobadimu"):
        Follower("kobadimu").snapshot(state)
    cells = [7, *story.state.position.cells[1:]]
    position = msgspec.structs.replace(story.state.position, cells=cells)
    with pytest.raises(Desync):
        Follower("kobadimu").snapshot(msgspec.structs.replace(story.state, position=position))

"""What a spectator may see by then, whatever the store's clock says."""

from __future__ import annotations

import pytest

from chaos.journal import Journal
from pierule_protocol.log.record import write_record
from social.reading import StoryReader
from social.truth import read_match
from support.story import START, Story

AHEAD = 300.0
"""By how many ms the store's clock is ahead of the journals'."""


@pytest.mark.parametrize(("known", "wrong"), [(True, False), (False, True)])
def test_an_action_exists_from_when_it_was_written(*, known: bool, wrong: bool) -> None:
    """With a delay of one action, the first may be seen once there is a second. The store gives
    that one a later time if its clock is ahead."""
    story = Story()
    story.act("komi:0", "black", "c3")
    *_, first, second = story.log
    place = (story.room.id, second.epoch, second.seq)
    written = {place: second.at - AHEAD} if known else {}
    match, flaws = read_match(write_record(story.record), written)
    assert flaws[:-1] == [], "only the game is not over"
    match.delay = 1
    reader = StoryReader(Journal("ada"), {story.room.id: match})
    seen = (second.at - AHEAD) / 1_000
    assert seen > START / 1_000
    reader._look(story.state, first.seq, seen)
    assert bool(reader.account.violations) is wrong

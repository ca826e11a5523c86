"""The check of the archive knows which games may be there, and which may not."""

from __future__ import annotations

import pytest

from chaos.database import finished
from pierule_archive.batch import Batch
from pierule_archive.game import game_of
from pierule_server.store.buckets import log_key
from simulation.archive import Database, SimulatedWriter, log_in
from simulation.model.keyspace import Keyspace
from simulation.model.streams import xadd
from support.story import Story


def keep(space: Keyspace, story: Story) -> None:
    """Have the store keep a room's log."""
    for it in story.log:
        fields = (b"epoch", it.epoch, b"chain", it.chain, b"at", it.at, b"record", it.record)
        texts = [each if isinstance(each, bytes) else str(each).encode() for each in fields]
        xadd(space, log_key(story.room.id).encode(), b"%d-0" % it.seq, *texts)


def archived(*stories: Story) -> Database:
    """An archive that has these games, and a reader that has read them."""
    database = Database()
    writer = SimulatedWriter(database)
    writer.open()
    games = [game_of(it.room.id, [each.entry for each in it.log]) for it in stories]
    writer.write(Batch(games=games))
    database.read()
    return database


@pytest.fixture
def story() -> Story:
    made = Story(room="babebibo")
    made.resign(0)
    return made


def test_a_game_that_ends_after_everybody_looked_may_be_archived(story: Story) -> None:
    """Its clock ran on."""
    space = Keyspace()
    keep(space, story)
    assert archived(story).flaws({}, space) == []


def test_a_game_that_is_over_nowhere_may_not(story: Story) -> None:
    space = Keyspace()
    database = archived(story)
    expected = ["the archive has a game of babebibo, which is not over"]
    assert database.flaws({}, space) == expected, "the store has no such room"
    running = Story(room="babebibo")
    keep(space, running)
    assert database.flaws({}, space) == expected


def test_a_game_that_came_about_otherwise_may_not(story: Story) -> None:
    other = Story(room="babebibo")
    other.resign(1)
    space = Keyspace()
    keep(space, other)
    over = finished({"babebibo": log_in(space, "babebibo")})
    (flaw,) = archived(story).flaws(over, space)
    assert flaw == "the archive has a game of babebibo, which its log does not have"


def test_a_game_that_was_over_must_be_there(story: Story) -> None:
    space = Keyspace()
    keep(space, story)
    over = finished({"babebibo": log_in(space, "babebibo")})
    assert archived(story).flaws(over, space) == []
    assert archived().flaws(over, space) == ["the archive lacks the game of babebibo"]

"""Cuts between players of some rating: those that the ratings before each game give."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from archive.games import START
from archive.test_explorer import color, count_all
from archive.test_rating import rate_all, rated_game
from pierule_archive import rated_cuts
from pierule_archive.archive import Archive
from pierule_archive.explorer import Cut, Filter, month_of
from pierule_archive.game import Game
from pierule_archive.rated_cuts import RatedCuts, offered_by
from pierule_archive.schema import rating_steps

GAMES = 40
ALL = Filter()


def filled(archive: Archive) -> list[Game]:
    """Games of which one is not rated and one is voided; what has the number n is at n - 1."""
    several = [rated_game(number) for number in range(GAMES)]
    several[5] = rated_game(5, rated="no")
    archive.add(several)
    archive.void(several[8].room, 5, "cheating")
    rate_all(archive)
    count_all(archive)
    return several


def offered(archive: Archive, rating: int, wanted: Filter = ALL, most: int = 99) -> RatedCuts:
    with archive.engine.connect() as connection:
        return offered_by(connection, "loose", 5, wanted, rating, most)


def expected(archive: Archive, several: list[Game], rating: int) -> dict[str, Counter[str]]:
    """How often each cut was offered, and who won, counted in the simplest way."""
    with archive.engine.connect() as connection:
        steps = connection.execute(select(rating_steps.c.feed, rating_steps.c.value0)).all()
    least: dict[int, int] = {}
    for feed, value in steps:
        least[feed] = min(value, least.get(feed, value))
    found: dict[str, Counter[str]] = {}
    for number, game in enumerate(several, 1):
        if least.get(number, -1) >= rating * 1_000_000:
            found.setdefault(str(game.cut), Counter()).update(["games", str(color(game))])
    return found


def told(cuts: list[Cut]) -> dict[str, Counter[str]]:
    return {
        each.cut: Counter(
            games=each.outcome.games, black=each.outcome.black, white=each.outcome.white
        )
        for each in cuts
    }


def test_rated_cuts_use_the_ratings_before_each_game(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all games, or of the latest ones, and then the answer says so."""
    several = filled(archive)
    for rating in (0, 1400, 1500, 4000):
        found = offered(archive, rating)
        assert told(found.cuts) == expected(archive, several, rating)
        assert (found.first, found.through) == (None, archive.last)
        assert bool(found.cuts) == (rating < 4000)
        for cut in found.cuts:
            assert sum(each.games for each in cut.chosen.values()) == cut.outcome.games
        often = [cut.outcome.games for cut in found.cuts]
        assert often == sorted(often, reverse=True)
        assert offered(archive, rating, most=2).cuts == found.cuts[:2]
    monkeypatch.setattr(rated_cuts, "LATEST", 10)
    found = offered(archive, 0)
    assert found.first == GAMES - 9
    late: list[Any] = [replace(each, cut=None) for each in several[:-10]]
    assert told(found.cuts) == {
        cut: count
        for cut, count in expected(archive, [*late, *several[-10:]], 0).items()
        if cut != "None"
    }


def test_months_and_bots_are_filters_too(archive: Archive) -> None:
    several = filled(archive)
    first = month_of(START)
    early = offered(archive, 0, Filter(until=first)).cuts
    later = offered(archive, 0, Filter(since=first + 1)).cuts
    assert {month_of(each.ended) for each in several} == {first, first + 1}
    everything = sum(cut.outcome.games for cut in offered(archive, 0).cuts)
    assert everything == GAMES - 2 == sum(cut.outcome.games for cut in [*early, *later])
    assert early
    assert later
    assert offered(archive, 0, Filter(bots=True)).cuts == []
    assert len(offered(archive, 0, Filter(bots=False)).cuts) > 0

"""What games did to ratings, in lists: what anybody computes, and only games of the ratings asked
for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.test_rating import PLAYERS, folded, rate_all, rated_game
from pierule_archive.api import changes, selection
from pierule_archive.api.answers import GameLine, Rated
from pierule_archive.api.changes import changes_of
from pierule_archive.api.parameters import Search
from pierule_archive.api.selection import Selection, read_page
from pierule_archive.api.single import read_game
from pierule_archive.archive import Archive
from pierule_ratings import MODELS, VERSION, Rating
from pierule_ratings.arithmetic import from_units

GAMES = 24
UNRATED, VOIDED = 6, 9


@pytest.fixture
def filled(archive: Archive) -> Archive:
    """Games of which one is not rated and one is voided. The name of each has its number."""
    several = [rated_game(number) for number in range(1, GAMES + 1)]
    several[UNRATED - 1] = rated_game(UNRATED, rated="no")
    archive.add(several)
    rate_all(archive)
    archive.void(several[VOIDED - 1].room, 5, "cheating")
    rate_all(archive)
    return archive


def listed(archive: Archive, player: str | None = None, most: int = 99, **search: Any) -> Any:
    """The games of a search, page by page."""
    found: list[GameLine] = []
    after = None
    with archive.engine.connect() as connection:
        while True:
            page = read_page(connection, Selection(Search(**search), player), after, most)
            found += [line for line in page.lines if isinstance(line, GameLine)]
            after = page.next
            if after is None:
                return found


def told(rating: Rating) -> dict[str, Any]:
    return {
        "rating": str(rating.value), "deviation": str(rating.deviation), "games": rating.games,
        "provisional": rating.deviation > MODELS[VERSION].settled,
    }  # fmt: skip


def computed(archive: Archive) -> dict[int, list[Any]]:
    """By number what each game did, from the fold of all games before it."""
    found = {}
    for line in listed(archive):
        if line.feed not in (UNRATED, VOIDED):
            before, after = (
                folded(archive, through=line.feed - 1), folded(archive, through=line.feed)
            )  # fmt: skip
            found[line.feed] = [
                {"before": told(before.rating(each.id)), "after": told(after.rating(each.id))}
                for each in line.players
            ]
    return found


def shown(ratings: tuple[Rated, Rated] | None) -> Any:
    return msgspec.to_builtins(list(ratings)) if ratings else None


@pytest.mark.parametrize("at_once", [4, 500])
def test_listed_rating_changes_are_those_of_the_fold(
    filled: Archive, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(changes, "AT_ONCE", at_once)
    expected = computed(filled)
    assert len(expected) == GAMES - 2
    for search in ({}, {"order": "desc"}, {"game": "loose", "rated": True}, {"min_plies": 0}):
        lines = listed(filled, **search)
        assert len(lines) == GAMES - ("rated" in search)
        for line in lines:
            assert shown(line.ratings) == expected.get(line.feed), line.feed
    with filled.engine.connect() as connection:
        for feed in range(1, GAMES + 1):
            game = read_game(connection, str(feed))
            assert game is not None
            assert shown(game.ratings) == expected.get(feed)


@pytest.mark.parametrize("most", [1, 5, 99])
def test_a_search_by_ratings_uses_the_ratings_before_the_game(
    filled: Archive, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(selection, "SCAN", 7)
    before = {
        feed: [float(each["before"]["rating"]) for each in ratings]
        for feed, ratings in computed(filled).items()
    }
    values = sorted(value for both in before.values() for value in both)
    low, high = int(values[len(values) // 3]), int(values[2 * len(values) // 3]) + 1
    searches: tuple[tuple[dict[str, Any], float, float], ...] = (
        ({"min_rating": low}, low, 9e9), ({"max_rating": high}, 0, high),
        ({"min_rating": low, "max_rating": high}, low, high), ({"min_rating": 4_000}, 4_000, 9e9),
        ({"max_rating": 0}, 0, 0), ({"min_rating": 1_500}, 1_500, 9e9),
    )  # fmt: skip
    for asked, least, largest in searches:
        within = [
            feed for feed, both in before.items() if all(least <= one <= largest for one in both)
        ]
        also: dict[str, Any]
        for also in ({}, {"game": "loose"}, {"game": "loose", "size": 5}, {"order": "desc"}):
            found = [line.feed for line in listed(filled, most=most, **asked, **also)]
            assert sorted(found) == within, (asked, also)
            assert found == sorted(found, reverse="order" in also)
        hers = [line.feed for line in listed(filled, "ada", most, **asked)]
        assert hers == [feed for feed in within if "ada" in PLAYERS[feed % 4]]
    assert listed(filled, min_rating=0, rated=False) == []
    assert listed(filled, min_rating=0, game="veletas") == []


@given(units=st.integers(-5_000_000_000, 5_000_000_000))
def test_rating_changes_are_exact_decimals(units: int) -> None:
    assert changes._text(units) == str(from_units(units))


def test_no_games_have_no_rating_changes(archive: Archive) -> None:
    with archive.engine.connect() as connection:
        assert changes_of(connection, []) == {}
        assert changes_of(connection, [7]) == {}

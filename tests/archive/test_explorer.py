"""What was played in a position is counted right, whatever became of the games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, func, select

from archive.games import START, a_game, renewed
from pierule_archive import explorer
from pierule_archive.archive import Archive
from pierule_archive.counting import count
from pierule_archive.explorer import (
    ROLLED_PLIES,
    Filter,
    Outcome,
    month_of,
    offered,
    played,
    wilson,
    without,
)
from pierule_archive.game import Game
from pierule_archive.positions import Visit, canonical, visits
from pierule_archive.schema import moves, positions
from pierule_games import GAMES

ALL = Filter()
MONTH = 31 * 86_400_000


def several(count: int = 24) -> list[Game]:
    return [
        replace(
            a_game(f"room{number}", size=5, seed=number, at=START + number * MONTH // 4),
            bot1=number % 3 == 0, access="private" if number % 7 == 6 else "public",
        )
        for number in range(count)
    ]  # fmt: skip


def color(game: Game) -> str | None:
    if game.winner not in ("0", "1"):
        return game.winner
    return "black" if int(game.winner) == game.black else "white"


def expected(games: list[Game]) -> dict[bytes, dict[str, Outcome]]:
    """What was played in each position, counted in the simplest way."""
    found: dict[bytes, dict[str, Counter[str]]] = {}
    for game in games:
        for each in visited(game):
            if each.action is not None and game.access != "private":
                counts = found.setdefault(each.key, {}).setdefault(each.action, Counter())
                counts.update(["games", str(color(game))])
    return {
        key: {
            action: Outcome(count["games"], count["black"], count["white"], count["draw"])
            for action, count in actions.items()
        }
        for key, actions in found.items()
    }


def count_all(archive: Archive) -> None:
    while count(archive.engine):
        pass


SEEN: dict[str, list[Visit]] = {}


def visited(game: Game) -> list[Visit]:
    if game.room not in SEEN:
        SEEN[game.room] = list(visits(game))
    return SEEN[game.room]


def counted(
    archive: Archive, keys: Iterable[bytes], wanted: Filter = ALL
) -> dict[bytes, dict[str, Outcome]]:
    count_all(archive)
    with archive.engine.connect() as connection:
        found = {key: played(connection, key, wanted, 1_000) for key in keys}
    for several in found.values():
        order = [each.outcome.games for each in several]
        assert order == sorted(order, reverse=True)
    return {
        key: {each.action: each.outcome for each in several}
        for key, several in found.items()
        if several
    }


def test_counts_match_the_games(archive: Archive) -> None:
    games = several()
    archive.add(games)
    wanted = expected(games)
    assert counted(archive, wanted) == wanted


def test_both_queries_count_alike(archive: Archive) -> None:
    games = several()
    archive.add(games)
    first = {each.key for game in games for each in visited(game)[:ROLLED_PLIES]}
    rolled = counted(archive, first)
    with archive.engine.begin() as connection:
        connection.execute(delete(moves))
    assert counted(archive, first) == rolled


@pytest.mark.parametrize("bots", [None, False, True])
def test_counts_of_months_match_the_games(archive: Archive, bots: bool | None) -> None:
    games = several()
    archive.add(games)
    first = month_of(games[0].ended)
    for since, until in ((None, first + 1), (first + 1, None), (first + 1, first + 2)):
        kept = [
            game for game in games
            if (since is None or month_of(game.ended) >= since)
            and (until is None or month_of(game.ended) <= until)
            and (bots is None or (game.bot0 or game.bot1) == bots)
        ]  # fmt: skip
        assert kept
        wanted = expected(kept)
        assert counted(archive, wanted, Filter(since, until, bots)) == wanted


@pytest.mark.parametrize("bots", [None, True])
def test_a_game_can_be_left_out(archive: Archive, bots: bool | None) -> None:
    games = several()
    archive.add(games)
    count_all(archive)
    wanted = Filter(bots=bots)
    named = {str(feed): games[feed - 1] for feed in (1, 2, 7)} | {games[4].room: games[4]}
    with archive.engine.connect() as connection:
        for name, game in named.items():
            left = expected([
                other for other in games
                if other is not game and (bots is None or (other.bot0 or other.bot1) == bots)
            ])  # fmt: skip
            for each in visited(game):
                found = played(connection, each.key, wanted, 1_000)
                rest = without(connection, found, each.key, wanted, name)
                assert {move.action: move.outcome for move in rest} == left.get(each.key, {})
                order = [-move.outcome.games for move in rest]
                assert order == sorted(order)


@pytest.mark.parametrize("before", [False, True])
def test_replaced_and_voided_games_are_not_counted(archive: Archive, before: bool) -> None:
    games = several(8)
    archive.add(games)
    if before:
        count_all(archive)
    archive.add([renewed(games[1])])
    archive.void(games[2].room, 5, "cheating")
    left = expected([*games[:2], *games[3:]])
    assert counted(archive, expected(games)) == left


def test_months_without_games_are_not_counted_one_by_one(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the empty board would be counted in every game, to find nothing."""

    def all_games(*_: object) -> None:
        raise AssertionError("the counts have it")

    monkeypatch.setattr(explorer, "_counted", all_games)
    archive.add(several(4))
    count_all(archive)
    key = canonical(GAMES["loose"], GAMES["loose"].version, GAMES["loose"].opening(5)).key
    with archive.engine.connect() as connection:
        assert played(connection, key, ALL, 10)
        assert played(connection, key, Filter(since=month_of(START) + 99), 10) == []


def test_voiding_every_game_leaves_no_counts(archive: Archive) -> None:
    games = several(6)
    archive.add(games)
    count_all(archive)
    for game in games:
        archive.void(game.room, 5, "cheating")
    count_all(archive)
    with archive.engine.connect() as connection:
        assert connection.scalar(select(func.sum(moves.c.games))) == 0
        assert connection.scalar(select(func.count()).select_from(positions)) == 0
        opening = canonical(GAMES["loose"], 1, GAMES["loose"].opening(5))
        assert played(connection, opening.key, ALL, 10) == []


def test_cuts_tell_which_color_was_chosen_and_who_won(archive: Archive) -> None:
    games = several()
    archive.add(games)
    count_all(archive)
    with archive.engine.connect() as connection:
        found = offered(connection, "loose", 5, ALL, 100)
        assert offered(connection, "loose", 7, ALL, 100) == []
    public = [game for game in games if game.access != "private"]
    assert {each.cut: each.outcome.games for each in found} == Counter(game.cut for game in public)
    for each in found:
        for chosen, outcome in each.chosen.items():
            those = [game for game in public if game.cut == each.cut and game.actions[1] == chosen]
            assert outcome.games == len(those)
            assert outcome.black == sum(color(game) == "black" for game in those)


@given(whole=st.integers(1, 10_000), share=st.floats(0, 1))
def test_the_interval_contains_the_share(whole: int, share: float) -> None:
    part = round(share * whole)
    below, above = wilson(part, whole)
    assert 0 <= below <= part / whole <= above <= 1 or pytest.approx(part / whole) in (below, above)
    assert above - below <= 1


def test_the_interval_matches_published_values() -> None:
    """Published values: 8 of 10 lie between 0.490 and 0.943, 80 of 100 between 0.711 and 0.867."""
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=5e-4)
    assert wilson(80, 100) == pytest.approx((0.711, 0.867), abs=5e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_interval_covers_the_true_share_in_most_samples() -> None:
    chance = random.Random(7)
    hits = 0
    for _ in range(2_000):
        truth = chance.random()
        below, above = wilson(sum(chance.random() < truth for _ in range(50)), 50)
        hits += below <= truth <= above
    assert hits > 1_850

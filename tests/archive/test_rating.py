"""The archive's ratings: those of the pure fold, whoever rates and however it ends."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select, text

from archive.conftest import database
from archive.games import START, a_game, renewed
from pierule_archive import rating
from pierule_archive.archive import Archive
from pierule_archive.database import opened, writing
from pierule_archive.game import Game
from pierule_archive.rating import rate_more, rated_through, rating_of, result_of
from pierule_archive.schema import amendments, games, rating_steps, ratings
from pierule_protocol import world
from pierule_ratings import MODELS, VERSION, Pool, Rating
from pierule_ratings.model import DAY

PLAYERS = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada"), ("ada", "dan")]


def rated_game(number: int, **options: Any) -> Game:
    """A game that counts, unless it says otherwise."""
    at = int(world.wall() * 1_000) - 60_000 if options.pop("today", False) else START + number * DAY
    name = "".join("abcdefghij"[int(digit)] for digit in str(number))
    played = a_game(
        f"room{name}", seed=number, players=PLAYERS[number % 4], plies=number % 3 + 4,
        rated=options.pop("rated", "either"), at=at,
    )  # fmt: skip
    return replace(played, **options)


BOT = "house-search-0123456789ab"


def bot_game(number: int, anchor: int | None = 1500) -> Game:
    """A game against a house bot, which counts if the bot has a fixed rating."""
    person = PLAYERS[number % 4][0]
    return a_game(
        "bots" + "abcdefghij"[number % 10], seed=number, plies=number % 3 + 4, rated="either",
        players=(person, BOT) if number % 2 else (BOT, person), at=START + number * DAY,
        anchor=anchor,
    )  # fmt: skip


def kept(archive: Archive, game: str = "loose") -> dict[str, Rating]:
    with archive.engine.connect() as connection:
        rows = connection.execute(select(ratings).where(ratings.c.game == game)).all()
        return {row.player: rating_of(row) for row in rows}


def folded(archive: Archive, game: str = "loose", through: int = 2**40) -> Pool:
    """What anybody computes from the games up to a number, and all amendments."""
    with archive.engine.connect() as connection:
        voided = set(connection.scalars(select(amendments.c.game)))
        counted = select(games).where(
            games.c.rated, games.c.superseded_by.is_(None), games.c.game == game,
            games.c.feed <= through,
        )  # fmt: skip
        results = [result_of(row) for row in connection.execute(counted.order_by(games.c.feed))]
    return Pool.of(MODELS[VERSION], results, voided)


def rate_all(archive: Archive, most: int = rating.BATCH) -> None:
    while rate_more(archive.engine, most):
        pass


def fill(archive: Archive) -> None:
    """Games of which some do not count, are replaced, voided, or both."""
    several = [rated_game(number) for number in range(12)]
    several[4] = rated_game(4, rated="no")
    archive.add([*several[:6], replace(several[6], access="private", rated=False), *several[7:]])
    rate_all(archive, 5)
    archive.void("roomc", 5, "cheating")
    archive.add([renewed(several[1]), renewed(several[3])])
    archive.void("roomd", 5, "cheating")


@pytest.mark.parametrize("batch", [1, 2, 5, 128])
def test_the_archives_ratings_are_those_of_the_fold(archive: Archive, batch: int) -> None:
    fill(archive)
    rate_all(archive, batch)
    pool = folded(archive)
    assert kept(archive) == pool.ratings
    assert len(pool.ratings) == 4
    assert not rate_more(archive.engine)
    with archive.engine.connect() as connection:
        assert rated_through(connection, "loose") == archive.last
        assert rated_through(connection, "veletas") == archive.last  # nobody has played it
        steps = connection.scalar(select(func.count()).select_from(rating_steps))
    assert steps == sum(it.games for it in pool.ratings.values())


WHAT = ["game", "game", "bot", "bot", "void", "renewed", "rate"]


@pytest.mark.parametrize("kind", ["sqlite"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_ratings_are_right_after_any_games_voids_and_replacements(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    """Games, voids and replacements between steps of any size."""
    folder = tmp_path_factory.mktemp("rating")
    with database(kind, request, folder / "archive.sqlite") as url, ExitStack() as stack:
        archive = Archive(opened(url))
        stack.callback(archive.engine.dispose)  # also if an example is given up midway
        there: list[Game] = []
        for _ in range(data.draw(st.integers(1, 12))):
            match data.draw(st.sampled_from(WHAT)):
                case "game":
                    there.append(rated_game(len(there)))
                    archive.add([there[-1]])
                case "bot":
                    anchor = data.draw(st.sampled_from([None, 450, 1500]))
                    there.append(bot_game(len(there), anchor))
                    archive.add([there[-1]])
                case "void" if there:
                    archive.void(data.draw(st.sampled_from(there)).room, 5, "cheating")
                case "renewed" if there:
                    archive.add([renewed(data.draw(st.sampled_from(there)))])
                case "rate":
                    rate_more(archive.engine, data.draw(st.integers(1, 4)))
        rate_all(archive, 2)
        assert kept(archive) == folded(archive).ratings


def test_games_against_bots_change_nobody_unless_the_bots_have_fixed_ratings(
    archive: Archive,
) -> None:
    """Then they change people, and never the bot."""
    archive.add([rated_game(number) for number in range(4)])
    rate_all(archive)
    people = kept(archive)
    archive.add([bot_game(number, None) for number in range(4)])
    rate_all(archive)
    assert kept(archive) == people
    archive.add([bot_game(number) for number in range(4, 8)])
    rate_all(archive)
    assert kept(archive) == folded(archive).ratings
    changed = {player for player, rating in kept(archive).items() if people[player] != rating}
    assert (changed, people.keys()) == ({"ada", "bob", "cyd"}, kept(archive).keys())
    with archive.engine.connect() as connection:
        mine = rating_steps.c.player == BOT
        steps = connection.execute(select(rating_steps).where(mine)).all()
    assert len(steps) == 4
    for step in steps:
        assert rating_of(step, "0") == Rating.anchor(MODELS[VERSION], 1500)
        assert (step.value, step.deviation) == (step.value0, step.deviation0)


def test_a_voided_game_against_a_bot_counts_for_nothing(archive: Archive) -> None:
    several = [bot_game(number, 450 + 300 * number) for number in range(6)]
    archive.add([rated_game(0), *several, rated_game(1)])
    rate_all(archive)
    before = kept(archive)
    archive.void(several[1].room, 5, "cheating")
    while rate_more(archive.engine, 1):
        pass
    assert kept(archive) == folded(archive).ratings != before


def test_games_are_rated_separately(archive: Archive) -> None:
    archive.add(
        [
            rated_game(0),
            a_game("other", game="veletas", size=7, plies=5, rated="yes"),
            rated_game(1),
        ]
    )
    rate_all(archive)
    for game in ("loose", "veletas"):
        assert kept(archive, game) == folded(archive, game).ratings != {}


def test_simultaneous_raters_rate_each_game_once(archive: Archive, url: str) -> None:
    fill(archive)
    others = [Archive(opened(url)) for _ in range(3)]
    threads = [threading.Thread(target=rate_all, args=(each, 2)) for each in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept(archive) == folded(archive).ratings
    for each in others:
        each.engine.dispose()


@pytest.mark.parametrize("statement", range(1, 12))
def test_a_killed_step_leaves_no_trace(archive: Archive, statement: int) -> None:
    """At whatever statement it ends."""
    fill(archive)
    seen = 0

    def stop(*_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == statement:
            raise KeyboardInterrupt

    event.listen(archive.engine, "before_cursor_execute", stop)
    try:
        rate_more(archive.engine, 3)
    except KeyboardInterrupt:
        pass
    finally:
        event.remove(archive.engine, "before_cursor_execute", stop)
    rate_all(archive)
    assert kept(archive) == folded(archive).ratings


def test_another_version_of_the_model_rates_everything_again(archive: Archive) -> None:
    fill(archive)
    rate_all(archive)
    with writing(archive.engine) as connection:
        connection.execute(text("UPDATE rated SET version = 0"))
        connection.execute(ratings.update().values(value=1))
    rate_all(archive)
    assert kept(archive) == folded(archive).ratings


def test_a_pool_is_taken_back_in_parts(archive: Archive) -> None:
    """However old the game is that was voided, nodes wait for a few games at a time."""
    archive.add([rated_game(number) for number in range(12)])
    rate_all(archive)
    archive.void("roomb", 5, "cheating")
    left = []
    while rate_more(archive.engine, 2):
        with archive.engine.connect() as connection:
            count = select(func.count()).select_from(rating_steps)
            left.append(int(connection.scalar(count) or 0))
    falling = left[: left.index(min(left)) + 1]
    assert falling == [20, 16, 12, 8, 4, 2]
    assert all(after - before <= 4 for before, after in pairwise(left))
    assert kept(archive) == folded(archive).ratings


def test_a_draw_counts_a_half(archive: Archive) -> None:
    archive.add([rated_game(0, winner="draw")])
    rate_all(archive)
    assert {it.value for it in kept(archive).values()} == {Decimal(1500)}

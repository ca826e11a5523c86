"""The explorer's counts: each number once and in order, whoever counts and however it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, select, text

from archive.games import a_game, renewed
from pierule_archive import counting
from pierule_archive.archive import Archive
from pierule_archive.counting import count, through
from pierule_archive.database import opened, writing
from pierule_archive.schema import cuts, games, metadata, moves, positions, spans

COUNTS = positions, moves, cuts


def rows(archive: Archive, some: Iterable[Any] = COUNTS) -> list[set[tuple[Any, ...]]]:
    with archive.engine.connect() as connection:
        found = [connection.execute(select(table)).all() for table in some]
        return [{tuple(row) for row in each if not gone(row)} for each in found]


def gone(row: Any) -> bool:
    """Whether a row counts nothing any more."""
    return bool(row._asdict().get("games") == 0)


def reset(archive: Archive) -> None:
    with writing(archive.engine) as connection:
        for table in COUNTS:
            connection.execute(table.delete())
        connection.execute(text("UPDATE counted SET through = 0"))


def reached(archive: Archive) -> int:
    with archive.engine.connect() as connection:
        return through(connection)


def fill(archive: Archive) -> None:
    """Games of which some are private, replaced, voided, or both."""
    several = [a_game(f"room{number}", seed=number, plies=9) for number in range(12)]
    archive.add([*several[:6], replace(several[6], access="private"), *several[7:]])
    archive.void("room2", 5, "cheating")
    archive.add([renewed(several[2]), renewed(several[3])])
    archive.void("room3", 5, "cheating")
    archive.void("room6", 5, "cheating")


def test_games_of_one_user_alone_are_not_counted(archive: Archive) -> None:
    archive.add([a_game("room1", players=("ada", "ada"), plies=9)])
    count(archive.engine)
    assert rows(archive) == [set(), set(), set()]
    archive.void("room1", 5, "cheating")
    count(archive.engine)
    assert rows(archive) == [set(), set(), set()]


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_counts_do_not_depend_on_the_batch_size(archive: Archive, batch: int) -> None:
    fill(archive)
    assert count(archive.engine) == archive.last == reached(archive)
    wanted = rows(archive)
    assert {row[0] for row in wanted[0]} == {1, 2, 5, 6, 8, 9, 10, 11, 12, 14}
    reset(archive)
    steps = []
    while step := count(archive.engine, batch):
        steps.append(step)
    assert sum(steps) == archive.last
    assert rows(archive) == wanted


def test_writing_a_game_counts_nothing(archive: Archive) -> None:
    fill(archive)
    assert reached(archive) == 0
    assert rows(archive) == [set(), set(), set()]


def test_simultaneous_counters_count_each_game_once(archive: Archive, url: str) -> None:
    fill(archive)
    count(archive.engine)
    wanted = rows(archive)
    reset(archive)
    start = threading.Barrier(3)
    total: list[int] = []

    def work() -> None:
        engine = opened(url)
        start.wait()
        while reached(archive) < archive.last:
            total.append(count(engine, 1))
        engine.dispose()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(total) == archive.last
    assert rows(archive) == wanted


@pytest.mark.parametrize("table", COUNTS)
def test_a_counter_that_dies_leaves_no_counts(archive: Archive, table: Any) -> None:
    fill(archive)

    class Killed(Exception):
        pass

    def kill(*args: Any) -> None:
        if f"INSERT INTO {table.name} " in args[2]:
            raise Killed

    event.listen(archive.engine, "after_cursor_execute", kill)
    with pytest.raises(Killed):
        count(archive.engine)
    event.remove(archive.engine, "after_cursor_execute", kill)
    assert reached(archive) == 0
    assert rows(archive) == [set(), set(), set()]
    assert count(archive.engine) == archive.last


def test_a_game_that_cannot_be_read_does_not_stop_the_others(archive: Archive) -> None:
    archive.add([a_game("first", plies=3), a_game("second", plies=3)])
    with writing(archive.engine) as connection:
        connection.execute(games.update().where(games.c.feed == 1).values(log=b"damaged"))
    assert count(archive.engine) == 2
    assert {row[0] for row in rows(archive, [positions])[0]} == {2}


def test_counting_goes_on_from_where_an_earlier_release_stopped(archive: Archive) -> None:
    """Until version 0005 nodes counted as they wrote."""
    archive.add([a_game()])
    with writing(archive.engine) as connection:
        connection.execute(text("DROP INDEX ix_players_lower_name"))
        connection.execute(text("CREATE INDEX ix_players_name ON players (name)"))
        connection.execute(text("DROP INDEX ix_games_rated"))
        connection.execute(text("ALTER TABLE games DROP COLUMN anchor"))
        for seat in ("player0", "player1"):
            connection.execute(text(f"DROP INDEX ix_games_{seat}"))
            connection.execute(text(f"DROP INDEX ix_games_{seat}_board"))
            connection.execute(text(f"CREATE INDEX ix_games_{seat}_feed ON games ({seat}, feed)"))
        for name in ("counted", "spans", "rated", "pools", "rating_steps", "ratings"):
            metadata.tables[name].drop(connection)
        connection.execute(text("UPDATE alembic_version SET version_num = '0004'"))
    again = Archive(opened(archive.engine.url.render_as_string(hide_password=False)))
    assert reached(again) == 1
    assert spans_of(again) == [(0, a_game().ended, a_game().ended)]
    again.engine.dispose()


def test_spans_tell_when_their_games_ended(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they count or not: searches find them all."""
    monkeypatch.setattr(counting, "SPAN", 4)
    game = a_game()
    ends = [5, 9, 7, 30, 2, 40]
    archive.add(replace(game, room=f"room{n}", ended=at) for n, at in enumerate(ends))
    archive.void("room5", 5, "cheating")
    for _ in range(4):
        count(archive.engine, 2)
    assert spans_of(archive) == [(0, 5, 9), (1, 2, 40)]


def spans_of(archive: Archive) -> list[tuple[int, int, int]]:
    with archive.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(select(spans).order_by(spans.c.number))]

"""No query reads more rows than it is allowed to: each goes along an index, in both databases."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import Select, text

from archive.games import a_game
from pierule_archive import counting
from pierule_archive.api import selection as selection_module
from pierule_archive.api.parameters import Search
from pierule_archive.api.selection import (
    Selection,
    amendments_query,
    end_query,
    feed_query,
    page_query,
    passed_over,
    read_page,
)
from pierule_archive.api.single import game_query, namesakes_query
from pierule_archive.archive import Archive
from pierule_archive.counting import count

EVERYTHING = Search(
    game="loose", bot=False, category="none", rated=False, result="0", reason="played",
    since=0, until=2**50, min_plies=1, max_plies=99,
)  # fmt: skip
ALL = Selection(Search())
RARE = Selection(EVERYTHING)
SIZED = Selection(Search(game="loose", size=5, reason="played"))
RATED = Selection(Search(game="loose", min_rating=1500, max_rating=1700))
HERS = Selection(Search(game="loose", size=5, result="won"), "ada")
ON_ALL_BOARDS = Selection(Search(game="loose", result="won"), "ada")
LATEST = Selection(Search(order="desc", result="won"), "ada")

QUERIES = {
    "feed": feed_query(ALL, 3, 10),
    "amendments": amendments_query(ALL, 3, 10),
    "rare": page_query(RARE, 3, 10),
    "rare, backwards": page_query(Selection(Search(order="desc", rated=True)), 9, 10),
    "of a size": page_query(SIZED, 3, 10),
    "of ratings": page_query(RATED, 3, 10),
    "of ratings of a player": page_query(Selection(RATED.search, "ada"), 3, 10),
    "of a player": page_query(ON_ALL_BOARDS, 3, 10),
    "of a player and a board": page_query(HERS, 3, 10),
    "of a player, backwards": page_query(LATEST, None, 10),
    "the end of rare": end_query(RARE, 3),
    "the end of a player": end_query(ON_ALL_BOARDS, 3),
    "the end of a player and a board": end_query(HERS, 3),
    "a game": game_query("bumatodigefoha"),
    "a number": game_query("3"),
    "a name": namesakes_query("Ada"),
}
INDEXES = {
    "of a size": "ix_games_game_size_feed",
    "of ratings": "ix_games_rated",
    "of ratings of a player": "ix_games_player1",
    "of a player": "ix_games_player1",
    "of a player and a board": "ix_games_player1_board",
    "of a player, backwards": "ix_games_player0",
    "the end of a player and a board": "ix_games_player0_board",
    "the end of a player": "ix_games_player0",
    "a game": "ix_games_room",
    "a name": "ix_players_lower_name",
}


def plan(archive: Archive, query: Select[Any]) -> str:
    """How a database means to answer. PostgreSQL reads small tables whole if it may."""
    sqlite = archive.engine.dialect.name == "sqlite"
    told = query.compile(archive.engine, compile_kwargs={"literal_binds": True})
    with archive.engine.connect() as connection:
        if not sqlite:
            connection.execute(text("SET enable_seqscan = off"))
        explain = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN"
        rows = connection.exec_driver_sql(f"{explain} {told}".replace("%", "%%"))
        return "\n".join(str(row[-1]) for row in rows)


def add_others(archive: Archive) -> None:
    """Games of other people, half of them of other sizes."""
    game = a_game(plies=2)
    others = []
    for n in range(200):
        players = f"p{n}", f"q{n}"
        named = replace(
            game, player0=players[0], player1=players[1], names={id_: id_ for id_ in players}
        )
        size = n if n % 2 else game.size
        others.append(replace(named, room=f"room{n}", size=size, access="private"))
    archive.add(others)


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_uses_an_index(archive: Archive, name: str) -> None:
    add_others(archive)
    with archive.engine.begin() as connection:
        connection.execute(text("ANALYZE"))
    told = plan(archive, QUERIES[name])
    for line in told.splitlines():
        walks_all = line.strip().startswith("SCAN games") or "Seq Scan" in line
        assert not walks_all or "USING" in line, told
    assert INDEXES.get(name, "") in told, told


@pytest.mark.parametrize(
    "name",
    [
        "of a player", "of a player, backwards", "the end of a player", "of ratings of a player",
        "of a player and a board", "the end of a player and a board",
    ],
)  # fmt: skip
def test_lists_of_a_players_games_read_only_the_index(archive: Archive, name: str) -> None:
    add_others(archive)
    with archive.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        sqlite = archive.engine.dialect.name == "sqlite"
        connection.execute(text("ANALYZE" if sqlite else "VACUUM ANALYZE games"))
    told = plan(archive, QUERIES[name])
    board = "_board" if name.endswith("board") else ""
    for index in (f"ix_games_player0{board}", f"ix_games_player1{board}"):
        wanted = f"COVERING INDEX {index} " if sqlite else f"Index Only Scan using {index} "
        backwards = wanted.replace("Scan using", "Scan Backward using")
        assert wanted in told or backwards in told, told


def days(order: str, since: int, until: int) -> Selection:
    return Selection(Search(order=order, since=since, until=until))  # type: ignore[arg-type]


def walked(archive: Archive, selection: Selection) -> list[int]:
    """The numbers of all games, page by page."""
    found, after = [], None
    with archive.engine.connect() as connection:
        while True:
            page = read_page(connection, selection, after, 2)
            found += [line.feed for line in page.lines]
            if page.next is None:
                return found
            after = page.next


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("counted", [0, 11, 24])
def test_a_search_for_days_finds_all_games_however_far_counting_is(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, order: str, counted: int
) -> None:
    for module, name, value in (
        (counting, "SPAN", 3), (selection_module, "SPAN", 3), (selection_module, "SCAN", 5),
        (selection_module, "FEW", 0),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    rng, game = Random(counted), a_game(plies=2)
    ends = [rng.randrange(40) for _ in range(24)]
    archive.add(
        replace(game, room=f"room{n}", ended=ended, access="private" if n % 7 == 3 else "public")
        for n, ended in enumerate(ends)
    )
    if counted:
        count(archive.engine, counted)
    for since, until in ((0, 40), (5, 9), (30, 31), (39, 99), (50, 60), (20, 20)):
        wanted = [n + 1 for n, at in enumerate(ends) if since <= at < until and n % 7 != 3]
        wanted.sort(reverse=order == "desc")
        assert walked(archive, days(order, since, until)) == wanted


def test_a_search_for_days_skips_other_days(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (counting, selection_module):
        monkeypatch.setattr(module, "SPAN", 10)
    game = a_game(plies=2)
    archive.add(replace(game, room=f"room{n}", ended=n) for n in range(100))
    count(archive.engine)
    with archive.engine.connect() as connection:
        assert passed_over(connection, days("desc", 41, 43), None) == 50
        assert passed_over(connection, days("desc", 41, 43), 40) == 0, "nothing is left"
        assert passed_over(connection, days("asc", 41, 43), None) == 39
        assert passed_over(connection, days("asc", 41, 43), 60) == 100, "nothing is left"
    archive.add([replace(game, room="new", ended=42)])
    with archive.engine.connect() as connection:
        assert passed_over(connection, days("desc", 41, 43), None) is None, "it is not noted yet"


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_the_second_scan_of_a_page_goes_on_where_the_first_ended(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    begun: list[int | None] = []

    def noted(selection: Selection, after: int | None, most: int, scan: int) -> Select[Any]:
        begun.append(after)
        return page_query(selection, after, most, scan)

    monkeypatch.setattr(selection_module, "page_query", noted)
    monkeypatch.setattr(selection_module, "FEW", 0)
    monkeypatch.setattr(selection_module, "SCAN", 10)
    game = a_game(plies=2)
    archive.add(replace(game, room=f"room{n}", plies=2 + (n in (2, 7, 11))) for n in range(12))
    selection = Selection(Search(order=order, min_plies=3))  # type: ignore[arg-type]
    with archive.engine.connect() as connection:
        page = read_page(connection, selection, None, 2)
    assert [line.feed for line in page.lines] == ([3, 8] if order == "asc" else [12, 8])
    assert begun == [None, 4 if order == "asc" else 9]

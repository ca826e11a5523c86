"""A test's database in PostgreSQL is as if it were new, though it is not."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import create_engine, text

from archive.databases import TEMPLATE, Databases, within
from archive.tools.scripts import WHOLE, play, tables
from pierule_archive.archive import Archive
from pierule_archive.database import opened, parsed


def test_a_database_is_emptied_for_the_next_test(postgres: str) -> None:
    databases = Databases(postgres)
    untouched = Archive(opened(within(postgres, TEMPLATE)))
    wanted = tables(untouched)
    untouched.engine.dispose()
    with databases.lent() as first:
        archive = Archive(opened(first))
        play(archive, WHOLE)
        assert tables(archive) != wanted
        archive.engine.dispose()
    until = time.monotonic() + 60
    again = ""
    while again != first:
        assert time.monotonic() < until
        with databases.lent() as again:
            archive = Archive(opened(again))
            assert tables(archive) == wanted
            archive.engine.dispose()


@pytest.mark.parametrize(
    "statement",
    ["DROP INDEX ix_games_rated", "ALTER TABLE games DROP COLUMN anchor", "ANALYZE games",
     "CREATE TABLE another (id int)"],
)  # fmt: skip
def test_a_database_with_other_tables_is_not_used_again(postgres: str, statement: str) -> None:
    databases = Databases(postgres)
    with databases.lent() as first:
        archive = Archive(opened(first))
        play(archive, WHOLE)
        with archive.engine.begin() as connection:
            connection.execute(text(statement))
        archive.engine.dispose()
    with databases.lent() as second:
        assert second != first


def test_a_database_that_somebody_uses_is_not_used_again(postgres: str) -> None:
    databases = Databases(postgres)
    with databases.lent() as first:
        engine = create_engine(parsed(first))
    with engine.connect(), databases.lent() as second:
        assert second != first
    engine.dispose()

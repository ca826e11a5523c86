"""Databases are made, brought up to date, or refused with words."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from pierule_archive.archive import Archive
from pierule_archive.database import UnusableArchive, opened, parsed, writing
from pierule_archive.schema import metadata


# The only such index is that of names; `test_selection` sees that it is used.
@pytest.mark.filterwarnings("ignore:.* expression-based index")
def test_the_migrations_make_the_tables(archive: Archive) -> None:
    with archive.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_an_archive_is_reopened_with_its_contents(archive: Archive, url: str) -> None:
    with writing(archive.engine) as connection:
        connection.execute(text("UPDATE feed SET last = 7"))
    again = Archive(opened(url))
    assert again.last == 7
    again.engine.dispose()


def test_migrations_are_read_once(
    archive: Archive, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command or a reader opens many archives, or one many times."""
    monkeypatch.setattr(ScriptDirectory, "from_config", None)
    opened(url).dispose()


def test_an_archive_is_reopened_while_somebody_writes(archive: Archive, url: str) -> None:
    """It has its tables, so there is nothing to wait for."""
    with writing(archive.engine) as connection:
        connection.execute(text("UPDATE feed SET last = 7"))
        with ThreadPoolExecutor(1) as threads:
            threads.submit(opened, url).result(timeout=60).dispose()


def test_only_its_owner_can_read_an_archive_in_a_file(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        engine = opened(f"sqlite:///{tmp_path / 'archive.sqlite'}")
    finally:
        os.umask(umask)
    with engine.connect():
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    engine.dispose()
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}


def test_threads_may_open_archives_at_once(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path / str(number)}.sqlite" for number in range(6)]
    with ThreadPoolExecutor(len(urls)) as threads:
        for engine in threads.map(opened, urls):
            engine.dispose()


def test_a_newer_database_is_refused(archive: Archive, url: str) -> None:
    with writing(archive.engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for read_only in (False, True):
        with pytest.raises(UnusableArchive, match=r"newer version of Pierule \(9999\)"):
            opened(url, read_only=read_only)


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'archive.sqlite'}"
    opened(url).dispose()
    engine = opened(url, read_only=True)
    with pytest.raises(OperationalError, match="readonly"), engine.begin() as connection:
        connection.execute(text("UPDATE feed SET last = 7"))
    engine.dispose()


@pytest.mark.parametrize(
    "url", ["", "games", "sqlite://", "sqlite:///:memory:", "mysql://host/games", "redis://host"]
)
def test_unknown_kinds_of_url_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"not the URL of a database|neither postgresql"):
        parsed(url)


def test_errors_do_not_show_passwords() -> None:
    with pytest.raises(ValueError, match="neither") as caught:
        parsed("mysql://me:secret@host/games")
    assert "secret" not in str(caught.value)


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of an archive, which nobody has open, in a folder that looks read-only."""
    file = tmp_path / "archive of 100 % games.sqlite"
    opened(f"sqlite:///{file}").dispose()
    monkeypatch.setattr(os, "access", lambda *_: False)
    return file


def test_an_archive_is_read_where_nothing_can_be_written(read_only: Path) -> None:
    before = sorted(read_only.parent.iterdir())
    engine = opened(f"sqlite:///{read_only}", read_only=True)
    assert Archive(engine).last == 0
    assert sorted(read_only.parent.iterdir()) == before
    engine.dispose()


def test_what_a_writer_left_beside_a_read_only_archive_is_not_missed(read_only: Path) -> None:
    read_only.with_name(f"{read_only.name}-wal").write_bytes(b"pages")
    with pytest.raises(UnusableArchive, match=r"is read-only, and .*-wal has games that .* copy"):
        opened(f"sqlite:///{read_only}", read_only=True)

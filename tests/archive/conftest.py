"""Archives in both databases: SQLite in a file, and a real PostgreSQL."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive.databases import TEMPLATE, Databases, within
from pierule_archive.archive import Archive
from pierule_archive.database import opened
from support.postgres import command, database_folder, running_postgres
from support.turns import alone

SQLITE, POSTGRES = KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of an archive: in a SQLite file, and in a database of
    the data of a PostgreSQL server. One test process makes them and all copy them, which is
    quicker."""
    common = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    folder = common / "templates"
    with alone(common / "templates.lock"):
        if not folder.exists():
            _make(folder)
    return folder


def _make(folder: Path) -> None:
    made = folder.with_suffix(".new")
    made.mkdir()
    with database_folder() as data:
        with running_postgres(data) as server:
            command(server, f"CREATE DATABASE {TEMPLATE}")
            for url in (f"sqlite:///{made / SQLITE}", within(server, TEMPLATE)):
                opened(url).dispose()
        copy(data, made / POSTGRES)
    made.rename(folder)


@pytest.fixture(scope="session")
def postgres(templates: Path) -> Iterator[str]:
    """The URL of a PostgreSQL server that runs as long as the tests do."""
    with database_folder() as data:
        copy(templates / POSTGRES, data)
        with running_postgres(data) as url:
            yield url


def copy(data: Path, to: Path) -> None:
    """Copy the data of a server, with their owner."""
    subprocess.run(["cp", "-a", data, to], check=True)


@pytest.fixture(scope="session")
def databases(postgres: str) -> Databases:
    return Databases(postgres)


@contextmanager
def database(kind: str, request: pytest.FixtureRequest, path: Path) -> Iterator[str]:
    """The URL of an archive of a kind, without games."""
    templates: Path = request.getfixturevalue("templates")
    if kind == "sqlite":
        shutil.copyfile(templates / SQLITE, path)
        yield f"sqlite:///{path}"
        return
    databases: Databases = request.getfixturevalue("databases")
    with databases.lent() as url:
        yield url


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an archive without games."""
    with database(request.param, request, tmp_path / "archive.sqlite") as made:
        yield made


@pytest.fixture
def archive(url: str) -> Iterator[Archive]:
    """An archive, empty."""
    engine = opened(url)
    yield Archive(engine)
    engine.dispose()

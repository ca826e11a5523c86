"""Archives in both databases: SQLite in a file, and a real PostgreSQL."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pierule_archive.archive import Archive
from pierule_archive.database import opened, parsed
from support.postgres import command, running_postgres

KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server that runs as long as the tests do."""
    with running_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Path:
    """A SQLite file with the tables of an archive; PostgreSQL has them in the database `template`.
    To copy them is quicker than to make them."""
    file = tmp_path_factory.mktemp("template") / "archive.sqlite"
    command(postgres, "CREATE DATABASE template")
    for url in (f"sqlite:///{file}", within(postgres, "template")):
        opened(url).dispose()
    return file


def within(server: str, name: str) -> str:
    """The URL of a database of a PostgreSQL server."""
    return parsed(server).set(database=name).render_as_string(hide_password=False)


@contextmanager
def database(kind: str, request: pytest.FixtureRequest, path: Path) -> Iterator[str]:
    """The URL of an archive of a kind, without games."""
    template: Path = request.getfixturevalue("templates")
    if kind == "sqlite":
        shutil.copyfile(template, path)
        yield f"sqlite:///{path}"
        return
    server: str = request.getfixturevalue("postgres")
    name = f"archive_{secrets.token_hex(6)}"
    command(server, f"CREATE DATABASE {name} TEMPLATE template")
    yield within(server, name)


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

"""Archives in both databases: SQLite in a file, and a real PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from pierule_archive.archive import Archive
from pierule_archive.database import opened, parsed
from support.postgres import running_postgres


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server that runs as long as the tests do."""
    with running_postgres(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@contextmanager
def database(kind: str, request: pytest.FixtureRequest, path: Path) -> Iterator[str]:
    """The URL of an empty database of a kind."""
    if kind == "sqlite":
        yield f"sqlite:///{path}"
        return
    server = parsed(request.getfixturevalue("postgres"))
    name = f"archive_{secrets.token_hex(6)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    yield server.set(database=name).render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    with database(request.param, request, tmp_path / "archive.sqlite") as made:
        yield made


@pytest.fixture
def archive(url: str) -> Iterator[Archive]:
    """An archive, empty."""
    engine = opened(url)
    yield Archive(engine)
    engine.dispose()

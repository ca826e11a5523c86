"""A real PostgreSQL for tests, from a wheel that brings the server along."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

from pierule_archive.database import parsed

QUICK = ("fsync", "synchronous_commit", "full_page_writes")
"""What guards the data when the machine fails. Tests only kill processes."""


@contextmanager
def running_postgres(folder: Path) -> Iterator[str]:
    """The URL of a server that keeps its data in the folder; nothing of it runs afterwards."""
    with warnings.catch_warnings():  # about a folder that it does not need
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server
    server = get_server(folder, cleanup_mode="stop")
    try:
        command(str(server.get_uri()), *(f"ALTER SYSTEM SET {name} = off" for name in QUICK),
                "SELECT pg_reload_conf()")  # fmt: skip
        yield str(server.get_uri())
    finally:
        server.cleanup()


def command(url: str, *statements: str) -> None:
    """Have the server do what no transaction may contain."""
    engine = create_engine(parsed(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()

"""A real PostgreSQL for tests, from a wheel that brings the server along."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from pierule_archive.database import parsed

USER = "pgserver"
"""The system user that the wheel adds for root."""

QUICK = ("fsync", "synchronous_commit", "full_page_writes")
"""What guards the data when the machine fails. Tests only kill processes."""


@contextmanager
def database_folder() -> Iterator[Path]:
    """A folder for a server's data. Not one of pytest's: as root, the server runs as another user,
    and each start of pytest closes the folder above all of its own to others."""
    with tempfile.TemporaryDirectory(prefix="pierule-postgres-") as folder:
        if (user := server_user()) is not None:
            shutil.chown(folder, user)
        yield Path(folder) / "data"


def _wheel(module: str) -> Any:
    with warnings.catch_warnings():  # about a folder that it does not need
        warnings.simplefilter("ignore")
        return import_module(module)


def program(name: str) -> str:
    """A program of the wheel, by its path."""
    return str(Path(_wheel("pgserver").__file__).parent / "pginstall" / "bin" / name)


def server_user() -> str | None:
    """As whom a server runs: PostgreSQL refuses to be root, who gets a system user for it."""
    if os.geteuid() != 0:
        return None
    with _alone():
        _wheel("pgserver.utils").ensure_user_exists(USER)
    return USER


@contextmanager
def running_postgres(folder: Path | None = None) -> Iterator[str]:
    """The URL of a server that keeps its data in the folder, or in one of its own; nothing of it
    runs afterwards."""
    if folder is None:
        with database_folder() as own, running_postgres(own) as url:
            yield url
        return
    module = _wheel("pgserver.postgres_server")
    with _alone():
        server = module.get_server(folder, cleanup_mode="stop")
    try:
        command(str(server.get_uri()), *(f"ALTER SYSTEM SET {name} = off" for name in QUICK),
                "SELECT pg_reload_conf()")  # fmt: skip
        yield str(server.get_uri())
    finally:
        server.cleanup()


@contextmanager
def _alone() -> Iterator[None]:
    """No two test processes of this machine at a time. As root, the first server adds a system user
    to run as; two that do so at once get two user ids for one name."""
    with (Path(tempfile.gettempdir()) / "pierule-postgres.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def command(url: str, *statements: str) -> None:
    """Have the server do what no transaction may contain."""
    engine = create_engine(parsed(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()

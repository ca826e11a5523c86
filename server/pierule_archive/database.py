"""The database of the archive: opens, creates or upgrades it.

SQLite is for a single host: its file is in the data folder, and readers do not wait for the writer
(WAL). PostgreSQL is for several nodes.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

FILE = "archive.sqlite"
"""The name of the file in the data folder."""

BUSY_SECONDS = 10
"""How many seconds SQLite waits for another writer."""

CONNECT_SECONDS = 5
STATEMENT_MS = 30_000
"""How many ms PostgreSQL may take to connect, and for a statement. After that, it counts as
away."""

_SQLITE: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS, "check_same_thread": False}}
_POSTGRES: dict[str, Any] = {
    "connect_args": {
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": STATEMENT_MS,
        "options": f"-c statement_timeout={STATEMENT_MS}",
    },
    "pool_pre_ping": True,
}

_MIGRATIONS = Path(__file__).with_name("migrations")

_upgrading = threading.Lock()
"""Only one thread may use Alembic at a time, because it keeps its state in a module."""


class UnusableArchive(Exception):
    """The database cannot be used as it is; the text says why, and what to do."""


class EmptyArchive(UnusableArchive):
    """The database has no tables: no node has written to it yet."""


def url_in(folder: Path) -> str:
    """The URL of the archive in a data folder."""
    return f"sqlite:///{folder / FILE}"


def parsed(url: str) -> URL:
    """The URL of a database. Raises ValueError for one that is neither SQLite nor PostgreSQL."""
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ValueError(f"{url!r} is not the URL of a database") from error
    if parts.drivername in ("postgresql", "postgresql+psycopg"):
        return parts.set(drivername="postgresql+psycopg")
    if parts.drivername == "sqlite" and parts.database and parts.database != ":memory:":
        return parts
    raise ValueError(
        f"the archive {parts.render_as_string()} is neither postgresql://… nor sqlite:///FILE"
    )


def opened(url: str, *, read_only: bool = False) -> Engine:
    """Open a database. Unless it is `read_only`, create or upgrade it first. It connects when
    needed, and again after a loss. Raises ValueError for a wrong URL, UnusableArchive, and
    SQLAlchemy's errors."""
    parts = parsed(url)
    sqlite = parts.drivername == "sqlite"
    target = _unwritten(parts) if sqlite and read_only else parts
    engine = create_engine(target, **(_SQLITE if sqlite else _POSTGRES))
    if sqlite:
        _prepare(engine, read_only)
        if not read_only:
            _make_private(Path(parts.database or ""))
    try:
        if not _is_current(engine, read_only):
            _upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _unwritten(parts: URL) -> URL:
    """The file to read. If nobody can write beside it, as on a read-only file system, SQLite cannot
    make the file that it shares with writers, so it has to take the database as it is. Raises
    UnusableArchive if that would miss what a writer has left."""
    file = Path(parts.database or "").absolute()
    shared, beside = (file.with_name(f"{file.name}-{end}") for end in ("shm", "wal"))
    if os.access(file.parent, os.W_OK) or shared.exists() or not file.exists():
        return parts
    if beside.exists() and beside.stat().st_size:
        raise UnusableArchive(
            f"{file.parent} is read-only, and {beside.name} has games that {file.name} lacks: copy "
            "both to a folder of their own, and name that"
        )
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    return parts.set(database=file.as_uri(), query=query)


def damage(parts: URL, over: Callable[[], bool] = lambda: False) -> str | None:
    """What is wrong with the file of SQLite, which is read as a whole until it is `over`; None if
    nothing is, or if that is not known. Other databases look after themselves."""
    if parts.drivername != "sqlite":
        return None
    file = Path(parts.database or "")
    if not file.exists():
        return f"its file {file} is gone"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as found:
            found.set_progress_handler(over, 10_000)
            said = found.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        if over():
            return None
        said = str(error)
    return None if said == "ok" else f"its file {file} is damaged: {' '.join(said.split())}"


def _make_private(file: Path) -> None:
    """Make the file for its owner alone, as it has private games: SQLite gives its other files the
    same mode. A file that is there keeps its mode; SQLite says what is wrong with the path."""
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _prepare(engine: Engine, read_only: bool) -> None:
    """Give SQLite real transactions. Python's module would begin them by itself, and too late."""

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None
        writes = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
        for pragma in ("query_only=ON",) if read_only else writes:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes. Nobody else can write until it ends."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


@cache
def _revisions() -> tuple[frozenset[str], str | None]:
    """All migrations of this version, and the newest. Read once: it takes twice as long as all else
    that opens a database."""
    script = ScriptDirectory.from_config(_config())
    known = frozenset(revision.revision for revision in script.walk_revisions())
    return known, script.get_current_head()


def _is_current(engine: Engine, read_only: bool) -> bool:
    """Whether the tables are those of this version. Raises UnusableArchive for a database of a
    newer Pierule, and for a reader, also for an older or empty one, which only a writer
    upgrades."""
    known, newest = _revisions()
    with engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    shown = engine.url.render_as_string()
    if found is not None and found not in known:
        raise UnusableArchive(
            f"the archive {shown} was made by a newer version of Pierule ({found}): "
            "upgrade this one, or name another archive"
        )
    if (current := found == newest) or not read_only:
        return current
    if found is None:
        raise EmptyArchive(f"there is no archive in {shown} yet; `pierule serve` creates it")
    raise UnusableArchive(
        f"the archive {shown} was made by an older version of Pierule ({found}): run `pierule "
        "serve` of this version to upgrade it"
    )


def _upgrade(engine: Engine) -> None:
    """Create or upgrade the tables. Nodes that start at the same time take turns."""
    config = _config()
    with _upgrading, writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7_204_215)")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

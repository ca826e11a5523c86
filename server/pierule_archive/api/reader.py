"""How the API reads the archive: it opens the archive once it exists, and reads in short
transactions with bounded queries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFree

from pierule_archive.api.problems import away
from pierule_archive.database import EmptyArchive, opened, parsed
from pierule_protocol import world

SECONDS = 5.0
"""The most seconds of a query."""

_STEPS = 10_000
"""How many steps SQLite takes between two checks of the time."""


class Reader:
    """An archive to read from. Every method blocks. Raises ValueError for a wrong URL."""

    def __init__(self, url: str) -> None:
        self._url = parsed(url)
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection | None]:
        """A read-only transaction; None if there is no archive yet. Raises Failure if the database
        is away, and UnusableArchive if this version cannot read the archive."""
        try:
            engine = self.opened()
            if engine is None:
                yield None
                return
            with engine.connect() as connection, connection.begin():
                _bound(connection)
                yield connection
        except (OperationalError, InterfaceError, NoneFree) as error:
            raise away("the archive's database does not answer") from error
        except DatabaseError as error:
            if type(error) is not DatabaseError:  # a subclass is a bug in the query
                raise
            raise away("the archive's database is damaged") from error  # SQLite's word for that

    def opened(self) -> Engine | None:
        """The database; None if there is no archive in it yet."""
        with self._lock:
            if self._url.drivername == "sqlite" and not self._same_file():
                return None
            if self._engine is None:
                self._engine = self._open()
            return self._engine

    def close(self) -> None:
        """Close the database."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _same_file(self) -> bool:
        """Whether the file exists. If it was replaced, for example by a restored backup, close the
        old one first."""
        try:
            found = Path(self._url.database or "").stat()
        except FileNotFoundError:
            return False
        if (found.st_dev, found.st_ino) != self._file:
            self.close()
            self._file = found.st_dev, found.st_ino
        return True

    def _open(self) -> Engine | None:
        try:
            engine = opened(self._url.render_as_string(hide_password=False), read_only=True)
        except EmptyArchive:
            return None
        event.listen(engine, "checkout", _stop_late)
        return engine


def _bound(connection: Connection) -> None:
    """Make a transaction of PostgreSQL read-only, with a fixed snapshot and a bound for each query.
    For SQLite, `opened` and `_stop_late` do this."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(SECONDS * 1000)}")


def _stop_late(connection: Any, *_: object) -> None:
    if hasattr(connection, "set_progress_handler"):
        until = world.monotonic() + SECONDS
        connection.set_progress_handler(lambda: world.monotonic() > until, _STEPS)

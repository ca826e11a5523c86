"""Databases of a PostgreSQL server for tests, one after the other."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, NullPool, create_engine, text

from pierule_archive.database import parsed
from support.postgres import command

TEMPLATE = "template"

STATE = """
SELECT string_agg(line, chr(10) ORDER BY line) FROM (
  SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT concat('statistics of ', tablename) FROM pg_stats WHERE schemaname = 'public'
) AS lines
"""
"""What a test must find as it is in the template: tables, indexes, constraints, and no statistics
about them."""

OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
"""How many others are connected. A process of the server may need a moment to end."""

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"


def within(server: str, name: str) -> str:
    """The URL of a database of a PostgreSQL server."""
    return parsed(server).set(database=name).render_as_string(hide_password=False)


class Databases:
    """Copies of the template. A copy takes as long as a test does: so what a test has given back is
    emptied for another one, if it has the tables of the template."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._left: deque[str] = deque()
        with self._connected(TEMPLATE) as connection:
            self._state = connection.execute(text(STATE)).scalar_one()
            self._rows: dict[str, list[dict[str, Any]]] = {
                table: [dict(row) for row in connection.execute(rows_of(table)).mappings()]
                for table in connection.execute(text(TABLES)).scalars().all()
            }

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The URL of a database that is as the template."""
        name = self._emptied() or self._made()
        yield within(self._server, name)
        self._left.append(name)

    def _made(self) -> str:
        name = f"archive_{secrets.token_hex(6)}"
        command(self._server, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return name

    def _emptied(self) -> str | None:
        """The database that was given back first, if it can be used again now."""
        if not self._left:
            return None
        name = self._left.popleft()
        with self._connected(name) as connection:
            if connection.execute(text(OTHERS)).scalar_one():
                self._left.append(name)
                return None
            if connection.execute(text(STATE)).scalar_one() != self._state:
                return None
            self._empty(connection)
        return name

    def _empty(self, connection: Connection) -> None:
        filled = [
            table for table, rows in self._rows.items()
            if not rows and connection.execute(rows_of(table, "LIMIT 1")).first()
        ]  # fmt: skip
        if filled:
            connection.execute(text(f"TRUNCATE {', '.join(filled)} CASCADE"))
        for table, rows in self._rows.items():
            if rows:
                connection.execute(text(f"DELETE FROM {table}"))
                names = ", ".join(rows[0])
                values = ", ".join(f":{name}" for name in rows[0])
                connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), rows)

    @contextmanager
    def _connected(self, name: str) -> Iterator[Connection]:
        engine = create_engine(parsed(within(self._server, name)), poolclass=NullPool)
        with engine.begin() as connection:
            yield connection


def rows_of(table: str, bound: str = "") -> Any:
    return text(f"SELECT * FROM {table} {bound}")

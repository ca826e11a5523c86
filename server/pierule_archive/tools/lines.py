"""The lines of backups and dumps: a game, an amendment, or only a number (SPEC 17.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, Engine, Row, Select, select

from pierule_archive.record import AMENDMENTS, COLUMNS, amendment_line, game_line
from pierule_archive.schema import amendments, games, players, withheld
from pierule_protocol.log.record import (
    VERSION,
    Amendment,
    BadRecord,
    RoomRecord,
    read_amendment,
    read_record,
)
from pierule_protocol.state.room import CorruptLog, UnknownGame

PAGE = 256
"""The most rows that a short transaction reads."""


class Withheld(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of a private game, or of an amendment to one."""

    feed: int


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A player's name; null if the account was deleted. Only backups have `seen`."""

    id: str
    name: str | None
    bot: bool = False
    seen: int = 0


AMENDMENT = "pierule.amendment"

Line: TypeAlias = RoomRecord | Amendment | Withheld


class _Head(msgspec.Struct, frozen=True):
    """The fields that tell kinds of lines apart."""

    format: str | None = None
    version: int = 0


_head = msgspec.json.Decoder(_Head)
_withheld = msgspec.json.Decoder(Withheld)
_encode = msgspec.json.encode


class BadLine(Exception):
    """A line cannot be read; the text says why."""


class Unwritable(Exception):
    """A game in the archive cannot be written to a file; the text says which and why."""


def line_of(data: bytes) -> Line:
    """The line in these bytes. Raises BadLine."""
    try:
        head = _head.decode(data)
        if head.format is None:
            return _withheld.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine(f"is not a line of an archive: {error}") from None
    if head.version > VERSION:
        raise BadLine(
            f"a {head.format} of version {head.version}, from a newer Pierule; this one reads "
            f"{VERSION}"
        )
    try:
        return read_amendment(data) if head.format == AMENDMENT else read_record(data)
    except BadRecord as error:
        raise BadLine(f"is not a record of a game: {error}") from None


@dataclass(frozen=True, slots=True)
class Numbered:
    """A line as bytes, with its line break, and its feed number."""

    feed: int
    data: bytes


def whole_feed(engine: Engine, after: int, through: int) -> Iterator[Numbered]:
    """All lines with numbers after `after`, up to `through`, in order."""
    for start in range(after, through, PAGE):
        end = min(start + PAGE, through)
        with engine.connect() as connection:
            rows = connection.execute(_between(select(*COLUMNS), games.c.feed, start, end)).all()
            amended = connection.execute(_between(AMENDMENTS, amendments.c.feed, start, end)).all()
            bare = connection.execute(_between(select(withheld), withheld.c.feed, start, end)).all()
        found = [*rows, *amended, *bare]
        for row in sorted(found, key=lambda row: row.feed):
            yield Numbered(row.feed, _written(row))


def selected(engine: Engine, query: Select[Any], after: int, through: int) -> Iterator[Numbered]:
    """The lines of a query with numbers after `after`, up to `through`, in order. The number is the
    query's first column."""
    number = query.selected_columns[0]
    while True:
        page = _between(query, number, after, through).limit(PAGE)
        with engine.connect() as connection:
            rows = connection.execute(page).all()
        for row in rows:
            yield Numbered(row.feed, _written(row))
        if len(rows) < PAGE:
            return
        after = rows[-1].feed


def player_lines(engine: Engine, query: Select[Any]) -> Iterator[bytes]:
    """The players of a query as lines, sorted by id."""
    last = ""
    while True:
        page = query.where(players.c.id > last).order_by(players.c.id).limit(PAGE)
        with engine.connect() as connection:
            rows = connection.execute(page).all()
        for row in rows:
            yield _encode(row._asdict()) + b"\n"
        if len(rows) < PAGE:
            return
        last = rows[-1].id


def _between(
    query: Select[Any], number: ColumnElement[Any], after: int, through: int
) -> Select[Any]:
    return query.where(number > after, number <= through).order_by(number)


def _written(row: Row[*tuple[Any, ...]]) -> bytes:
    fields = row._asdict()
    if "log" not in fields:
        return _encode(fields) + b"\n"
    try:
        return amendment_line(row) if "kind" in fields else game_line(row)
    except (CorruptLog, UnknownGame, ValueError) as error:
        raise Unwritable(f"number {row.feed} cannot be written: {error}") from error

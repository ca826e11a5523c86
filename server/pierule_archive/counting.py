"""Counts games for the explorer (`explorer`), and notes when they ended, for searches. Nodes only
write games; this runs in another process.

`counted` has the feed number up to which everything is counted. It moves in the transaction that
counts, and only if it is still where the counter had read it. So each number counts once, no matter
who counts, or how often a counter is killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import structlog
from sqlalchemy import (
    Connection,
    Engine,
    Row,
    Table,
    and_,
    case,
    delete,
    func,
    insert,
    select,
    union,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from pierule_archive.database import writing
from pierule_archive.explorer import ROLLED_PLIES, month_of
from pierule_archive.game import game_of, unpack
from pierule_archive.positions import Visit, visits
from pierule_archive.schema import amendments, counted, cuts, feed, games, moves, positions, spans
from pierule_protocol.state.room import CorruptLog, UnknownGame

BATCH = 128
"""The most numbers to count in a transaction. With SQLite, nodes wait while it runs."""

SPAN = 1_000
"""How many feed numbers a row of `spans` covers. Migration 0006 made the first rows."""

_SUMS = "games", "black", "white", "draws"

_Row: TypeAlias = Row[*tuple[Any, ...]]
_Seen: TypeAlias = list[tuple[_Row, list[Visit]]]

_logger = structlog.get_logger(__name__)


def count(engine: Engine, most: int = BATCH) -> int:
    """Count some more numbers. Returns how many; 0 if there were none, or if another process has
    just counted them. Blocks, most of the time without a lock."""
    with engine.connect() as connection, connection.begin():
        start = through(connection)
        last: int = connection.execute(select(feed.c.last)).scalar_one()
        end = min(last, start + most)
        if end == start:
            return 0
        new = [(row, list(_visits(row))) for row in connection.execute(_new(start, end))]
    with writing(engine) as connection:
        moved = update(counted).where(counted.c.through == start)
        if not connection.execute(moved, {"through": end}).rowcount:
            return 0
        gone = list(_gone(connection, start, end))
        _keep(connection, new)
        _drop(connection, gone)
        _add(connection, _sums(new, gone))
        _span(connection, start, end)
    return end - start


def through(connection: Connection) -> int:
    """The feed number up to which everything is counted."""
    found: int = connection.execute(select(counted.c.through)).scalar_one()
    return found


def _new(start: int, end: int) -> Any:
    """The games with these numbers that count: those that are not private, not played by one user
    alone, and not replaced or voided up to the last of these numbers."""
    voided = and_(amendments.c.game == games.c.feed, amendments.c.feed <= end)
    return (
        select(games)
        .outerjoin(amendments, voided)
        .where(
            games.c.feed > start, games.c.feed <= end, games.c.access != "private",
            games.c.player0 != games.c.player1,
            games.c.superseded_by.is_(None) | (games.c.superseded_by > end),
            amendments.c.feed.is_(None),
        )
        .order_by(games.c.feed)
    )  # fmt: skip


def _gone(connection: Connection, start: int, end: int) -> Iterator[tuple[_Row, list[Visit]]]:
    """The counted games that these numbers replaced or voided."""
    later = games.alias()
    replaced = (
        select(games.c.feed)
        .join(later, and_(later.c.room == games.c.room, later.c.feed == games.c.superseded_by))
        .where(later.c.feed > start, later.c.feed <= end)
    )
    voided = select(amendments.c.game).where(amendments.c.feed > start, amendments.c.feed <= end)
    former = union(replaced, voided).subquery()
    query = (
        select(games, positions.c.ply, positions.c.key, positions.c.action, positions.c.following)
        .join(positions, positions.c.feed == games.c.feed)
        .where(games.c.feed.in_(select(former)))
        .order_by(games.c.feed, positions.c.ply)
    )
    found: dict[int, tuple[_Row, list[Visit]]] = {}
    for row in connection.execute(query):
        seen = Visit(row.ply, row.key, row.action, row.following)
        found.setdefault(row.feed, (row, []))[1].append(seen)
    yield from found.values()


def _visits(row: _Row) -> Iterator[Visit]:
    """The positions of a game; none if it cannot be read here."""
    try:
        yield from visits(game_of(row.room, unpack(row.log)))
    except (ValueError, CorruptLog, UnknownGame) as error:
        _logger.warning("cannot count a game", feed=row.feed, why=str(error))


def _keep(connection: Connection, seen: _Seen) -> None:
    rows = [
        {"feed": row.feed, "ply": each.ply, "key": each.key, "action": each.action,
         "following": each.following}
        for row, several in seen for each in several
    ]  # fmt: skip
    if rows:
        connection.execute(insert(positions), rows)


def _drop(connection: Connection, seen: _Seen) -> None:
    if seen:
        feeds = [row.feed for row, _ in seen]
        connection.execute(delete(positions).where(positions.c.feed.in_(feeds)))


def _sums(new: _Seen, gone: _Seen) -> dict[Table, dict[tuple[Any, ...], Counter[str]]]:
    """What to add to the counts, by table and key of a row."""
    sums: dict[Table, dict[tuple[Any, ...], Counter[str]]] = {moves: {}, cuts: {}}
    for seen, sign in ((new, 1), (gone, -1)):
        for game, several in seen:
            for table, key in _rows(game, several[:ROLLED_PLIES]):
                total = sums[table].setdefault(key, Counter())
                total["games"] += sign
                if color := _won(game):
                    total[color] += sign
    return sums


def _rows(game: _Row, seen: list[Visit]) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    """The rows in which a game counts."""
    month, bots = month_of(game.ended), game.bot0 or game.bot1
    played = [each for each in seen if each.action is not None]
    for each in played:
        yield moves, (each.key, month, bots, each.action, each.following)
    if played:
        chosen = played[1].action if len(played) > 1 else ""
        yield cuts, (game.game, game.size, game.rules, month, bots, played[0].action, chosen)


def _won(game: _Row) -> str | None:
    if game.winner == "draw":
        return "draws"
    if game.winner is None or game.black is None:
        return None
    return "black" if int(game.winner) == game.black else "white"


def _span(connection: Connection, start: int, end: int) -> None:
    """Note when the games of these numbers ended, whether they count or not."""
    number = games.c.feed // SPAN
    ended = func.min(games.c.ended).label("first"), func.max(games.c.ended).label("last")
    query = select(number.label("number"), *ended).where(games.c.feed > start, games.c.feed <= end)
    rows = [row._asdict() for row in connection.execute(query.group_by(number))]
    statement = _dialect(connection).insert(spans)
    new = statement.excluded
    wider = {
        "first": case((new.first < spans.c.first, new.first), else_=spans.c.first),
        "last": case((new.last > spans.c.last, new.last), else_=spans.c.last),
    }
    if rows:
        noted = statement.on_conflict_do_update(index_elements=[spans.c.number], set_=wider)
        connection.execute(noted, rows)


def _dialect(connection: Connection) -> Any:
    return postgresql if connection.dialect.name == "postgresql" else sqlite


def _add(connection: Connection, sums: dict[Table, dict[tuple[Any, ...], Counter[str]]]) -> None:
    for table, totals in sums.items():
        names = [column.name for column in table.columns]
        rows = [
            dict(zip(names, (*key, *(total[name] for name in _SUMS)), strict=True))
            for key, total in totals.items()
        ]
        statement = _dialect(connection).insert(table)
        added = {name: table.c[name] + statement.excluded[name] for name in _SUMS}
        key = list(table.primary_key)
        if rows:
            connection.execute(
                statement.on_conflict_do_update(index_elements=key, set_=added), rows
            )

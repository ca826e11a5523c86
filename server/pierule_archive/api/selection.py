"""Lists of games: which games, in which order, page by page.

Every query reads a bounded number of rows in the order of an index. Conditions without an index
filter up to `SCAN` rows, so a page may have fewer lines than requested, or none; it says where the
next page begins. Queries scan and sort with only the columns that they filter by, and read complete
rows only for the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    and_,
    func,
    not_,
    or_,
    select,
    true,
    union_all,
)

from pierule_archive.api.answers import (
    Amendment,
    AmendmentLine,
    GameLine,
    GameSummary,
    Line,
    PrivateLine,
    Seated,
    SupersededLine,
)
from pierule_archive.api.changes import Changes, changes_of
from pierule_archive.api.parameters import Search, milliseconds
from pierule_archive.counting import SPAN, through
from pierule_archive.schema import LISTED, RATED, amendments, games, players, rating_steps, spans
from pierule_games.game import Winner
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.messages import Result
from pierule_ratings.arithmetic import UNIT

SCAN = 5_000
"""The most rows that a query scans."""

FEW = 100
"""A query first scans twice as many rows as a page has lines, and this many more."""

HEAD = [column for column in games.c if column.name != "log"]

_ASKED = [games.c[name] for name in LISTED]

_clock: msgspec.json.Decoder[ClockOptions] = msgspec.json.Decoder(ClockOptions)
_first, _second = players.alias("first"), players.alias("second")


@dataclass(frozen=True, slots=True)
class Selection:
    """The games of a `player` (an id), or of all players, that match a search. Without a filter, it
    is the feed itself: every number, including amendments and games that are not shown."""

    search: Search
    player: str | None = None

    @property
    def descending(self) -> bool:
        return self.search.order == "desc"


@dataclass(frozen=True, slots=True)
class Page:
    """Lines, and the feed number after which the next page begins (None at the end)."""

    lines: Sequence[Line]
    next: int | None


def read_page(connection: Connection, selection: Selection, after: int | None, most: int) -> Page:
    """At most `most` lines after a feed number."""
    if selection.player is None and not _conditions(selection, games.c):
        return _read_feed(connection, selection, after, most)
    end = passed_over(connection, selection, after)
    lines: list[Line] = []
    for scan in _scans(2 * most + FEW):
        query = page_query(selection, end, most - len(lines), scan)
        lines += _read_games(connection, query)
        if len(lines) == most:
            return Page(lines, lines[-1].feed)
        end = connection.scalar(end_query(selection, end, scan))
        if end is None:
            break
    return Page(lines, end)


def _scans(rows: int) -> Iterator[int]:
    """How many rows to scan, time after time: first those in which most pages are found, then four
    times as many each time, up to SCAN in all."""
    left = SCAN
    while left > 0:
        yield min(rows, left)
        left -= rows
        rows *= 4


def passed_over(connection: Connection, selection: Selection, after: int | None) -> int | None:
    """The feed number after which to continue. It skips games after `after` that ended outside the
    requested times."""
    ended = _times(selection.search, spans.c.first, spans.c.last)
    if not ended:
        return after
    end = through(connection)
    if selection.descending:
        before = (connection.scalar(select(func.max(games.c.feed))) or 0) + 1
        before = before if after is None else after
        if before > end + 1:
            return after  # newer games may be in the requested times
        near = select(spans.c.number).where(spans.c.number <= (before - 1) // SPAN, *ended)
        number = connection.scalar(near.order_by(spans.c.number.desc()).limit(1))
        return 0 if number is None else min(before, (number + 1) * SPAN)
    near = select(spans.c.number).where(spans.c.number >= ((after or 0) + 1) // SPAN, *ended)
    number = connection.scalar(near.order_by(spans.c.number).limit(1))
    return max(after or 0, end if number is None else number * SPAN - 1)


def page_query(selection: Selection, after: int | None, most: int, scan: int = SCAN) -> Select[Any]:
    """At most `most` matching games among the next `scan` rows."""
    rows = _scanned(selection, after, _ASKED, scan)
    found = select(rows.c.feed).where(seen(rows.c), *_conditions(selection, rows.c))
    page = _ordered(found, rows.c.feed, selection).limit(most).subquery("page")
    whole = select(*HEAD).select_from(page).join(games, games.c.feed == page.c.feed)
    return with_names(whole.subquery(), selection)


def end_query(selection: Selection, after: int | None, scan: int = SCAN) -> Select[Any]:
    """Where the scan for a page that is not full ended; no row if there are no more rows."""
    rows = _scanned(selection, after, [games.c.feed], scan)
    end = func.min(rows.c.feed) if selection.descending else func.max(rows.c.feed)
    return select(end).having(func.count() == scan)


def _read_feed(connection: Connection, selection: Selection, after: int | None, most: int) -> Page:
    found = _read_games(connection, feed_query(selection, after, most))
    found += map(_amendment_line, told(connection, amendments_query(selection, after, most)))
    found.sort(key=lambda line: line.feed, reverse=selection.descending)
    lines = found[:most]
    return Page(lines, lines[-1].feed if len(lines) == most else None)


def _read_games(connection: Connection, query: Select[Any]) -> list[Line]:
    rows = list(told(connection, query))
    changes = changes_of(connection, [row["feed"] for row in rows if row["rated"]])
    return [_line(row, changes) for row in rows]


def feed_query(selection: Selection, after: int | None, most: int) -> Select[Any]:
    """The games of the feed, shown or not."""
    found = select(*HEAD).where(_beyond(games.c.feed, selection, after))
    return with_names(_ordered(found, games.c.feed, selection).limit(most).subquery(), selection)


def amendments_query(selection: Selection, after: int | None, most: int) -> Select[Any]:
    """The amendments of the feed."""
    found = select(amendments).where(_beyond(amendments.c.feed, selection, after))
    rows = _ordered(found, amendments.c.feed, selection).limit(most).subquery("amended")
    named = select(rows, games.c.room, games.c.access).join(games, games.c.feed == rows.c.game)
    return _ordered(named, rows.c.feed, selection)


def _scanned(
    selection: Selection, after: int | None, columns: Sequence[Any], scan: int
) -> Subquery:
    """The next rows of the index that fits the selection. Its LIMIT keeps the database from using
    other conditions, and other plans."""

    def rows(*conditions: ColumnElement[bool]) -> Select[Any]:
        found = select(*columns).where(*conditions, _beyond(games.c.feed, selection, after))
        return _ordered(found, games.c.feed, selection).limit(scan)

    search, player = selection.search, selection.player
    board: tuple[ColumnElement[bool], ...] = ()
    if isinstance(search.game, str) and isinstance(search.size, int):
        board = games.c.game == search.game, games.c.size == search.size
    if player is not None:
        first = rows(games.c.player0 == player, *board)
        second = rows(games.c.player1 == player, games.c.player0 != player, *board)
        both = union_all(*(select(seat.subquery()) for seat in (first, second))).subquery()
        return _ordered(select(both), both.c.feed, selection).limit(scan).subquery("scanned")
    if board:
        return rows(*board).subquery("scanned")
    if isinstance(search.game, str) and _only_rated(search):
        return rows(games.c.game == search.game, RATED).subquery("scanned")
    return rows().subquery("scanned")


def seen(column: Any) -> ColumnElement[bool]:
    """The condition for games that the API shows."""
    return and_(column.access != "private", column.superseded_by.is_(None))


def _conditions(selection: Selection, column: Any) -> Sequence[ColumnElement[bool]]:
    """The conditions of a search for a game."""
    search = selection.search
    equal = {
        "game": column.game, "size": column.size, "category": column.category,
        "rated": column.rated, "reason": column.reason,
    }  # fmt: skip
    found: list[ColumnElement[bool]] = [
        known == value
        for name, known in equal.items()
        if (value := getattr(search, name)) is not msgspec.UNSET
    ]
    if isinstance(search.bot, bool):
        played = or_(column.bot0, column.bot1)
        found.append(played if search.bot else not_(played))
    if isinstance(search.result, str):
        found.append(_result(search.result, selection.player, column))
    found += _times(search, column.ended, column.ended)
    if isinstance(search.min_plies, int):
        found.append(column.plies >= search.min_plies)
    if isinstance(search.max_plies, int):
        found.append(column.plies <= search.max_plies)
    if within := _within(search):
        both = select(func.count()).where(rating_steps.c.feed == column.feed, *within)
        found += [column.rated, both.scalar_subquery() == 2]
    return found


def _only_rated(search: Search) -> bool:
    return search.rated is True or bool(_within(search))


def _within(search: Search) -> list[ColumnElement[bool]]:
    """The conditions of a search for the rating that each player had before the game."""
    found: list[ColumnElement[bool]] = []
    if isinstance(search.min_rating, int):
        found.append(rating_steps.c.value0 >= search.min_rating * int(UNIT))
    if isinstance(search.max_rating, int):
        found.append(rating_steps.c.value0 <= search.max_rating * int(UNIT))
    return found


def _times(search: Search, first: Any, last: Any) -> list[ColumnElement[bool]]:
    """What the search asks of the time of a game, or of the times of several, from `first` to
    `last`."""
    found: list[ColumnElement[bool]] = []
    if not isinstance(search.since, msgspec.UnsetType):
        found.append(last >= milliseconds(search.since))
    if not isinstance(search.until, msgspec.UnsetType):
        found.append(first < milliseconds(search.until))
    return found


def _result(result: str, player: str | None, column: Any) -> ColumnElement[bool]:
    winner: ColumnElement[str | None] = column.winner
    if result == "none":
        return winner.is_(None)
    if result not in ("won", "lost"):
        return winner == result
    own, other = ("0", "1") if result == "won" else ("1", "0")
    return or_(
        and_(column.player0 == player, winner == own),
        and_(column.player1 == player, winner == other),
    )


def _beyond(feed: ColumnElement[int], selection: Selection, after: int | None) -> Any:
    if after is None:
        return true()
    return feed < after if selection.descending else feed > after


def _ordered(query: Select[Any], feed: ColumnElement[int], selection: Selection) -> Select[Any]:
    return query.order_by(feed.desc() if selection.descending else feed)


def with_names(rows: Subquery, selection: Selection) -> Select[Any]:
    """Games with the names of their players and what was decided about them."""
    decided = amendments.c.feed.label("amended"), amendments.c.kind, amendments.c.at
    names = _first.c.name.label("name0"), _second.c.name.label("name1")
    found = (
        select(rows, *names, *decided, amendments.c.text)
        .select_from(rows)
        .outerjoin(_first, _first.c.id == rows.c.player0)
        .outerjoin(_second, _second.c.id == rows.c.player1)
        .outerjoin(amendments, amendments.c.game == rows.c.feed)
    )
    return _ordered(found, rows.c.feed, selection)


def told(connection: Connection, query: Select[Any]) -> Iterator[dict[str, Any]]:
    """The rows of a query, as dicts: a page has a thousand of them, with thirty values each."""
    result = connection.execute(query)
    names = tuple(result.keys())
    return (dict(zip(names, row, strict=True)) for row in result)


def _line(row: dict[str, Any], changes: Changes) -> Line:
    cursor = str(row["feed"])
    if row["access"] == "private":
        return PrivateLine(feed=row["feed"], cursor=cursor)
    if row["superseded_by"] is not None:
        return SupersededLine(feed=row["feed"], superseded_by=row["superseded_by"], cursor=cursor)
    return GameLine(**summary(row, changes), cursor=cursor)


def _amendment_line(row: dict[str, Any]) -> Line:
    cursor = str(row["feed"])
    if row["access"] == "private":
        return PrivateLine(feed=row["feed"], cursor=cursor)
    return AmendmentLine(
        feed=row["feed"], kind=row["kind"], at=row["at"], text=row["text"], amends=row["game"],
        room=row["room"], cursor=cursor,
    )  # fmt: skip


_PLAIN = [
    name for name in GameSummary.__struct_fields__ if name in games.c and name != "created_hash"
]
_WINNERS: dict[str | None, Winner | None] = {"0": 0, "1": 1, "draw": "draw", None: None}


def summary(row: dict[str, Any], changes: Changes) -> dict[str, Any]:
    """The fields of a game's summary, from a row of `with_names`."""
    found = {name: row[name] for name in _PLAIN}
    found["created_hash"] = row["created_hash"].hex()
    found["ratings"] = changes.get(row["feed"])
    found["players"] = (
        Seated(id=row["player0"], name=row["name0"], bot=row["bot0"]),
        Seated(id=row["player1"], name=row["name1"], bot=row["bot1"]),
    )
    found["clock"] = None if row["clock"] is None else _clock_of(row["clock"])
    found["result"] = Result(_WINNERS[row["winner"]], row["reason"])
    found["amendment"] = None
    if row["amended"] is not None:
        found["amendment"] = Amendment(
            feed=row["amended"], kind=row["kind"], at=row["at"], text=row["text"]
        )
    return found


@lru_cache(1_024)
def _clock_of(text: str) -> ClockOptions:
    """Most games have one of few clocks."""
    return _clock.decode(text)

"""What was played in a position, and how the games ended, from the counts of `counting`.

Private games do not count, and neither do replaced or voided ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from math import sqrt
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Label,
    Row,
    Select,
    Table,
    case,
    func,
    or_,
    select,
)

from pierule_archive.schema import cuts, games, moves, positions

ROLLED_PLIES = 4
"""The first positions of a game, this many, are counted in advance, because very many games pass
through them. Later positions are counted when somebody asks."""

SECURE = 1.96
"""Standard deviations to each side of a Wilson interval: 95 %."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which games count: those of these months, inclusive (`month_of`), with or without bots. None
    means all."""

    since: int | None = None
    until: int | None = None
    bots: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a number of games ended: how many Black won, White won, and were drawn. The others have
    no result."""

    games: int
    black: int
    white: int
    draws: int

    def plus(self, other: Outcome) -> Outcome:
        """The sum of both."""
        return Outcome(
            self.games + other.games, self.black + other.black,
            self.white + other.white, self.draws + other.draws,
        )  # fmt: skip

    def less(self, other: Outcome) -> Outcome:
        """This without the games of the other, which are among these."""
        return Outcome(
            self.games - other.games, self.black - other.black,
            self.white - other.white, self.draws - other.draws,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Move:
    """An action in a position, on the board as `positions.Canonical` turns it, and the key of the
    position after it."""

    action: str
    following: bytes
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut by a version of the rules. `chosen` has for each color how the games ended in which it
    was chosen."""

    rules: int
    cut: str
    outcome: Outcome
    chosen: dict[str, Outcome]


def month_of(at: int) -> int:
    """The month of a time in milliseconds since 1970: 12 * year + month - 1, in UTC."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return 12 * moment.year + moment.month - 1


def wilson(part: int, whole: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share, by Wilson's score; (0, 1) without data."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, SECURE**2
    middle = share + square / (2 * whole)
    width = SECURE * sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    below, above = (middle - width) / (1 + square / whole), (middle + width) / (1 + square / whole)
    return max(0.0, below), min(1.0, above)


def played(connection: Connection, key: bytes, wanted: Filter, most: int) -> list[Move]:
    """What was played in a position, the most frequent first; at most `most` actions."""
    what = moves.c.action, moves.c.following
    found = _rolled(connection, moves, what, [moves.c.key == key], wanted, most)
    if not found and not _is_rolled(connection, key):
        found = _counted(connection, key, wanted, most)
    return [Move(row.action, bytes(row.following), _outcome(row)) for row in found]


def without(
    connection: Connection, found: Sequence[Move], key: bytes, wanted: Filter, game: str
) -> list[Move]:
    """What was played in a position, without the game of this feed number or room."""
    its = games.c.feed == int(game) if game.isdecimal() else games.c.room == game
    own = {row.action: _outcome(row) for row in connection.execute(_passing(key, wanted, its))}
    left = [
        replace(each, outcome=each.outcome.less(own[each.action])) if each.action in own else each
        for each in found
    ]
    kept = [each for each in left if each.outcome.games > 0]
    return sorted(kept, key=lambda each: (-each.outcome.games, each.action))


def offered(connection: Connection, game: str, size: int, wanted: Filter, most: int) -> list[Cut]:
    """The cuts that were offered, the most frequent first; at most `most`."""
    where = [cuts.c.game == game, cuts.c.size == size]
    found = _rolled(connection, cuts, (cuts.c.rules, cuts.c.cut), where, wanted, most)
    chosen: dict[tuple[int, str], dict[str, Outcome]] = {(row.rules, row.cut): {} for row in found}
    these = [*where, cuts.c.cut.in_({cut for _, cut in chosen}), cuts.c.chosen != ""]
    what = cuts.c.rules, cuts.c.cut, cuts.c.chosen
    for row in _rolled(connection, cuts, what, these, wanted, None):
        if (row.rules, row.cut) in chosen:
            chosen[row.rules, row.cut][row.chosen] = _outcome(row)
    return [Cut(row.rules, row.cut, _outcome(row), chosen[row.rules, row.cut]) for row in found]


def _is_rolled(connection: Connection, key: bytes) -> bool:
    """Whether a position is counted in advance, so `moves` is complete for it."""
    known = select(moves.c.key).where(moves.c.key == key).limit(1)
    return connection.scalar(known) is not None


def _rolled(
    connection: Connection, table: Table, what: Sequence[Column[Any]],
    where: Sequence[ColumnElement[bool]], wanted: Filter, most: int | None,
) -> list[Row[Any]]:  # fmt: skip
    counts = [func.sum(table.c[name]).label(name) for name in ("games", "black", "white", "draws")]
    query = select(*what, *counts).where(*where).group_by(*what)
    query = query.having(func.sum(table.c.games) > 0)
    if wanted.since is not None:
        query = query.where(table.c.month >= wanted.since)
    if wanted.until is not None:
        query = query.where(table.c.month <= wanted.until)
    if wanted.bots is not None:
        query = query.where(table.c.bots.is_(wanted.bots))
    query = query.order_by(func.sum(table.c.games).desc(), *what)
    return list(connection.execute(query.limit(most)))


def _counted(connection: Connection, key: bytes, wanted: Filter, most: int) -> list[Row[Any]]:
    query = _passing(key, wanted).order_by(func.count().desc(), positions.c.action)
    return list(connection.execute(query.limit(most)))


def _passing(key: bytes, wanted: Filter, *which: ColumnElement[bool]) -> Select[Any]:
    """What was played in a position, game by game."""
    query = (
        select(positions.c.action, positions.c.following, *outcomes())
        .join(games, games.c.feed == positions.c.feed)
        .where(positions.c.key == key, positions.c.action.is_not(None), *times(wanted), *which)
        .group_by(positions.c.action, positions.c.following)
    )
    if wanted.bots is None:
        return query
    return query.where(or_(games.c.bot0, games.c.bot1).is_(wanted.bots))


def outcomes() -> list[Label[int]]:
    """The columns of an `Outcome`, for a query over single games."""
    black_won = games.c.winner == case((games.c.black == 0, "0"), else_="1")
    decided = games.c.winner.in_(("0", "1")) & games.c.black.is_not(None)
    return [
        func.count().label("games"),
        func.sum(case((decided & black_won, 1), else_=0)).label("black"),
        func.sum(case((decided & ~black_won, 1), else_=0)).label("white"),
        func.sum(case((games.c.winner == "draw", 1), else_=0)).label("draws"),
    ]


def _outcome(row: Row[Any]) -> Outcome:
    return Outcome(int(row.games), int(row.black), int(row.white), int(row.draws))


def times(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    """The conditions for the months of a filter."""
    if wanted.since is not None:
        yield games.c.ended >= begin(wanted.since)
    if wanted.until is not None:
        yield games.c.ended < begin(wanted.until + 1)


def begin(month: int) -> int:
    """When a month begins, in milliseconds since 1970. Months before year 1 or after 9999 count as
    the nearest month within."""
    month = min(max(month, 12 * MINYEAR), 12 * MAXYEAR + 11)
    return int(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp() * 1000)

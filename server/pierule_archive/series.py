"""Series of rated games that look as if one player fed the other: moderators look at them and judge
(SPEC 30.8).

It reads what the games did to ratings (`rating_steps`): these rows are small, and only games that
count have them. It reads the rows of these days once, in the order of the feed, and then the games
of at most `EXAMINED` pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, String, and_, case, func, select

from pierule_archive.schema import games, players, rating_steps
from pierule_ratings.arithmetic import from_units

EXAMINED = 200
"""The most pairs whose games are read: those with the most games."""

GAMES = 1_000
"""The most games of a pair to list: the latest. All of them count."""

LOPSIDED = 5, 6
"""The part of the games that the winner must have won: at least 5 of 6."""

SHARE = 0.5
"""The part of one player's rated games that must have been against the other."""

EARLY = 12
"""A game that somebody gave up before this ply ended early."""

EARLY_PART, POINTS = 0.5, 250
"""The part of the games that must have ended early, or the points that the winner must have got:
about as many as a new player gets for eight wins in succession."""

GIVEN_UP = frozenset({"resigned", "flagged", "left"})


@dataclass(frozen=True, slots=True)
class Party:
    """One of the two players. `name` is None if the account was deleted; `games` counts all their
    rated games of these days; `points` is what the games of the series have changed."""

    id: str
    name: str | None
    games: int
    points: float


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a series; `ended` in ms since 1970."""

    feed: int
    room: str
    game: str
    plies: int
    reason: str
    ended: int


@dataclass(frozen=True, slots=True)
class Series:
    """The rated games of two players, nearly all of which `winner` has won: how many there are,
    when the first of them ended (`began`, in ms since 1970), and the latest `GAMES` in the order of
    the feed."""

    winner: Party
    loser: Party
    count: int
    won: int
    drawn: int
    began: int
    games: Sequence[Played]

    @property
    def shares(self) -> tuple[float, float]:
        """Which part of all rated games of the winner, and of the loser, these games are."""
        return self.count / self.winner.games, self.count / self.loser.games

    @property
    def early(self) -> int:
        """How many of the listed games were given up in the first plies."""
        return sum(each.reason in GIVEN_UP and each.plies < EARLY for each in self.games)

    @property
    def plies(self) -> float:
        """The median of the plies of the listed games."""
        return median(each.plies for each in self.games)

    @property
    def ends(self) -> dict[str, int]:
        """How many of the listed games ended for each reason, the most frequent first."""
        return dict(Counter(each.reason for each in self.games).most_common())

    @property
    def is_suspicious(self) -> bool:
        """Whether moderators should look at it."""
        least, of = LOPSIDED
        return (
            self.won * of >= least * self.count
            and max(self.shares) >= SHARE
            and (self.early >= EARLY_PART * len(self.games) or self.winner.points >= POINTS)
        )

    @property
    def weight(self) -> float:
        """The order of series: the points that moved, weighted by how much the two played only each
        other, and how short their games were."""
        return max(self.winner.points, 1) * sum(self.shares) * (1 + self.early / len(self.games))


def suspicious(connection: Connection, since: int, least: int) -> list[Series]:
    """The suspicious series of at least `least` games that ended since a time in ms since 1970, the
    worst first."""
    earliest = select(games.c.feed).where(games.c.ended >= since).order_by(games.c.ended).limit(1)
    first = connection.execute(earliest).scalar()
    if first is None:
        return []
    found = (
        _series(connection, pair.one, pair.other, first, since)
        for pair in _pairs(connection, first, least)
    )
    worst = [each for each in found if each.count >= least and each.is_suspicious]
    return sorted(worst, key=lambda each: each.weight, reverse=True)


def _pairs(connection: Connection, first: int, least: int) -> Sequence[Row[*tuple[Any, ...]]]:
    """Pairs in which `one` gained points in nearly all games, as winners do. It leaves out bots as
    losers, because they feed nobody."""
    one, other = rating_steps.alias(), rating_steps.alias()
    count, got = func.count(), func.sum(case((one.c.value > one.c.value0, 1), else_=0))
    bots = select(players.c.id).where(players.c.bot)
    part, of = LOPSIDED
    query = (
        select(one.c.player.concat("").label("one"), other.c.player.concat("").label("other"))
        .join(other, and_(other.c.feed == one.c.feed, other.c.seat == 1 - one.c.seat))
        .where(one.c.feed >= first, other.c.player.not_in(bots))
        # Expressions, because SQLite would use the index of players for columns, and read all rows.
        .group_by("one", "other")
        .having(count >= least, got * of >= count * part)
        .order_by(count.desc(), "one")
        .limit(EXAMINED)
    )
    return connection.execute(query).all()


def _series(connection: Connection, winner: str, loser: str, first: int, since: int) -> Series:
    one, other = rating_steps.alias(), rating_steps.alias()
    columns = [games.c[name] for name in ("feed", "room", "game", "plies", "reason", "ended")]
    these = and_(
        one.c.player == winner, other.c.player == loser, one.c.feed >= first,
        games.c.ended >= since,
    )  # fmt: skip
    joined = games.join(one, one.c.feed == games.c.feed).join(
        other, and_(other.c.feed == one.c.feed, other.c.seat == 1 - one.c.seat)
    )
    all_of_them = select(
        func.count(),
        func.sum(case((games.c.winner == one.c.seat.cast(String), 1), else_=0)),
        func.sum(case((games.c.winner == "draw", 1), else_=0)),
        func.min(games.c.ended),
        func.sum(one.c.value - one.c.value0),
        func.sum(other.c.value - other.c.value0),
    )
    # If all of these games ended before `since`, there are none, and the sums are null.
    count, won, drawn, began, got, lost = (
        int(each or 0)
        for each in connection.execute(all_of_them.select_from(joined).where(these)).one()
    )
    query = select(*columns).select_from(joined).where(these)
    rows = connection.execute(query.order_by(games.c.feed.desc()).limit(GAMES)).all()[::-1]
    return Series(
        _party(connection, winner, first, got), _party(connection, loser, first, lost),
        count=count, won=won, drawn=drawn, began=began, games=[Played(*row) for row in rows],
    )  # fmt: skip


def _party(connection: Connection, player: str, first: int, units: int) -> Party:
    mine = rating_steps.c.player == player, rating_steps.c.feed >= first
    name = connection.execute(select(players.c.name).where(players.c.id == player)).scalar()
    count = connection.execute(select(func.count()).where(*mine)).scalar_one()
    return Party(player, name, count, float(from_units(units)))

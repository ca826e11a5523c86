"""The cuts that players of some rating offered: counted when somebody asks.

Ratings change if a game before them is voided, so nothing is counted ahead. A query looks at a
bounded number of rated games, the latest ones, and says where they begin.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, Subquery, and_, func, or_, select

from pierule_archive.counting import SPAN, through
from pierule_archive.explorer import Cut, Filter, Outcome, begin, outcomes, times
from pierule_archive.rating import rated_through
from pierule_archive.schema import RATED, games, positions, rating_steps, spans
from pierule_ratings.arithmetic import UNIT

LATEST = 20_000
"""The most rated games that a query looks at."""

_first, _second = rating_steps.alias("first"), rating_steps.alias("second")
_cut, _chosen = positions.alias("cut"), positions.alias("chosen")


@dataclass(frozen=True, slots=True)
class RatedCuts:
    """The cuts, and the number of the first game that the query looked at; None if it looked at all
    games. Games up to `through` are counted and rated."""

    cuts: list[Cut]
    first: int | None
    through: int


NONE = Outcome(0, 0, 0, 0)


@dataclass(slots=True)
class _Sum:
    """How the games with a cut ended: all of them, and those in which a color was chosen."""

    games: Outcome = NONE
    chosen: dict[str, Outcome] = field(default_factory=dict)

    def add(self, row: Row[Any]) -> None:
        found = Outcome(row.games, row.black, row.white, row.draws)
        self.games = self.games.plus(found)
        if row.chosen is not None:
            self.chosen[row.chosen] = found


def offered_by(
    connection: Connection, game: str, size: int, wanted: Filter, rating: int, most: int
) -> RatedCuts:
    """The cuts in rated games before which both players had at least this rating: the most frequent
    first, at most `most`."""
    latest = _latest(connection, game, wanted).subquery()
    sums: defaultdict[tuple[int, str], _Sum] = defaultdict(_Sum)
    for row in connection.execute(_query(latest, size, wanted, rating)):
        sums[row.rules, row.cut].add(row)
    often = sorted(sums, key=lambda cut: (-sums[cut].games.games, cut))[:most]
    looked, first = connection.execute(select(func.count(), func.min(latest.c.feed))).one()
    return RatedCuts(
        [Cut(*cut, sums[cut].games, sums[cut].chosen) for cut in often],
        first if looked == LATEST else None,
        min(through(connection), rated_through(connection, game)),
    )


def _latest(connection: Connection, game: str, wanted: Filter) -> Select[tuple[int]]:
    """The numbers of the rated games to look at. It passes over games that ended later than asked
    for."""
    query = select(games.c.feed).where(games.c.game == game, RATED)
    if wanted.until is not None:
        early = spans.c.first < begin(wanted.until + 1)
        last = connection.scalar(select(func.max(spans.c.number)).where(early))
        query = query.where(games.c.feed < (0 if last is None else SPAN * (last + 1)))
    return query.order_by(games.c.feed.desc()).limit(LATEST)


def _query(latest: Subquery, size: int, wanted: Filter, rating: int) -> Select[Any]:
    """How these games ended, by cut and color."""
    least = rating * int(UNIT)
    what = games.c.rules, _cut.c.action.label("cut"), _chosen.c.action.label("chosen")
    query = (
        select(*what, *outcomes())
        .select_from(latest)
        .join(games, games.c.feed == latest.c.feed)
        .join(_first, and_(_first.c.feed == games.c.feed, _first.c.seat == 0))
        .join(_second, and_(_second.c.feed == games.c.feed, _second.c.seat == 1))
        .join(_cut, and_(_cut.c.feed == games.c.feed, _cut.c.ply == 0))
        .outerjoin(_chosen, and_(_chosen.c.feed == games.c.feed, _chosen.c.ply == 1))
        .where(games.c.size == size, _cut.c.action.is_not(None), *times(wanted))
        .where(_first.c.value0 >= least, _second.c.value0 >= least)
        .group_by(*what)
    )
    if wanted.bots is not None:
        query = query.where(or_(games.c.bot0, games.c.bot1).is_(wanted.bots))
    return query

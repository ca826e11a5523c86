"""Rates the games of the archive, in the order of the feed (SPEC 30.4).

Like `counting`, this runs outside the nodes. Ratings and the number up to which games are rated
change in one transaction. So each game is rated once, whichever process does it, and however often
that is killed. When a game is voided or replaced later, its pool goes back to the ratings before
that game, and is rated again from there.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Engine,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from pierule_archive.database import writing
from pierule_archive.schema import (
    RATED,
    amendments,
    feed,
    games,
    pools,
    rated,
    rating_steps,
    ratings,
)
from pierule_ratings import MODELS, VERSION, Rating, Result, step
from pierule_ratings.arithmetic import from_units, to_units

BATCH = 128
"""The most games that one transaction rates. With SQLite, nodes wait for it."""

AHEAD = 10_000
"""How many feed numbers to search at once for games that were voided or replaced."""

AT_ONCE = 500
"""The most players of one statement, because databases bound its parameters."""

SCORES = {"0": Decimal(1), "1": Decimal(0), "draw": Decimal("0.5")}
"""The points of seat 0, by the winner."""


# What each look asks: to write a query takes SQLAlchemy longer than to run it.
_START: BindParameter[int] = bindparam("start")
_END: BindParameter[int] = bindparam("end")
_LAST, _RATED, _POOLS = select(feed.c.last), select(rated), select(pools.c.game)
_BEHIND = (
    select(pools.c.game)
    .where((pools.c.through < bindparam("through")) | pools.c.back.is_not(None))
    .limit(1)
)
_NEW = (
    select(games.c.game)
    .where(games.c.feed > _START, games.c.feed <= _END, games.c.rated)
    .distinct()
)


def _undone() -> Any:
    """For each pool, the first rated game that some numbers void or replace."""
    later = games.alias()
    replaced = select(games.c.feed).join(later, later.c.feed == games.c.superseded_by)
    voided = select(amendments.c.game.label("feed"))
    gone = (
        replaced.where(later.c.feed > _START, later.c.feed <= _END)
        .union(voided.where(amendments.c.feed > _START, amendments.c.feed <= _END))
        .subquery()
    )
    first = select(rating_steps.c.game, func.min(rating_steps.c.feed))
    return first.join(gone, gone.c.feed == rating_steps.c.feed).group_by(rating_steps.c.game)


_UNDONE = _undone()


def rate_more(engine: Engine, most: int = BATCH) -> bool:
    """Rate some more games. Returns whether there was anything to do. Blocks."""
    with engine.connect() as connection, connection.begin():
        if not _is_due(connection):
            return False
    with writing(engine) as connection:
        _start_anew(connection)
        end = _look_ahead(connection)
        for pool in connection.execute(select(pools)).all():
            if pool.back is not None:
                _go_back(connection, pool.game, pool.back, most)
            elif pool.through < end:
                _rate_pool(connection, pool.game, pool.through, end, most)
    return True


def rated_through(connection: Connection, game: str) -> int:
    """The feed number up to which the games of a pool are rated."""
    query = select(func.coalesce(pools.c.through, rated.c.through))
    joined = query.select_from(rated.outerjoin(pools, pools.c.game == game))
    return int(connection.execute(joined).scalar_one())


def rating_of(row: Any, when: str = "") -> Rating:
    """The rating in a row of `ratings`, or in one of `rating_steps` before (`0`) its game."""
    return Rating(
        from_units(getattr(row, f"value{when}")), from_units(getattr(row, f"deviation{when}")),
        getattr(row, f"games{when}"), getattr(row, f"at{when}"),
    )  # fmt: skip


def _is_due(connection: Connection) -> bool:
    last = connection.execute(_LAST).scalar_one()
    row = connection.execute(_RATED).one()
    return (
        row.version != VERSION
        or row.through < last
        or connection.scalar(_BEHIND, {"through": row.through}) is not None
    )


def _start_anew(connection: Connection) -> None:
    """With another version of the model, rate all games again. Other processes wait here."""
    row = connection.execute(select(rated).with_for_update()).one()
    if row.version != VERSION:
        for table in (rating_steps, ratings, pools):
            connection.execute(delete(table))
        connection.execute(update(rated).values(version=VERSION, through=0))


def _look_ahead(connection: Connection) -> int:
    """Find the games that the next feed numbers void or replace. Returns the last of these
    numbers."""
    start = connection.execute(_RATED).one().through
    last = connection.execute(_LAST).scalar_one()
    end: int = min(last, start + AHEAD)
    between = {"start": start, "end": end}
    for game, first in connection.execute(_UNDONE, between).all():
        lower = pools.c.back.is_(None) | (pools.c.back >= first)
        back = update(pools).where(pools.c.game == game, lower)
        connection.execute(back.values(back=first - 1))
    known = set(connection.scalars(_POOLS))
    for game in connection.scalars(_NEW, between).all():
        if game not in known:
            connection.execute(insert(pools).values(game=game, through=start))
    connection.execute(update(rated).values(through=end))
    return end


def _go_back(connection: Connection, game: str, back: int, most: int) -> None:
    """Undo the latest games of a pool, but no game up to the number `back`."""
    here = rating_steps.c.game == game, rating_steps.c.feed > back
    latest = select(rating_steps).where(*here).order_by(rating_steps.c.feed.desc())
    steps = connection.execute(latest.limit(2 * most)).all()
    before = {step.player: rating_of(step, "0") for step in steps}  # the earliest comes last
    through = back
    if len(steps) == 2 * most:
        through = steps[-1].feed - 1
    gone = rating_steps.c.game == game, rating_steps.c.feed > through
    connection.execute(delete(rating_steps).where(*gone))
    _keep(connection, game, before)
    left = {"through": through, "back": None if through == back else back}
    connection.execute(update(pools).where(pools.c.game == game).values(**left))


def _rate_pool(connection: Connection, game: str, start: int, end: int, most: int) -> None:
    """Rate the next games of a pool, up to a feed number."""
    results = [result_of(row) for row in connection.execute(_next(game, start, end, most))]
    players = {player for result in results for player in result.players}
    known = select(ratings).where(ratings.c.game == game, ratings.c.player.in_(players))
    now = {row.player: rating_of(row) for row in connection.execute(known)}
    model, steps = MODELS[VERSION], []
    for result in results:
        done = step(model, result, now)
        now.update(zip(result.players, done.after, strict=True))
        for seat, player in enumerate(result.players):
            was, became = done.before[seat], done.after[seat]
            steps.append(
                {
                    "feed": result.feed, "seat": seat, "game": game, "player": player,
                    "value0": to_units(was.value), "deviation0": to_units(was.deviation),
                    "games0": was.games, "at0": was.at,
                    "value": to_units(became.value), "deviation": to_units(became.deviation),
                }
            )  # fmt: skip
    if steps:
        connection.execute(insert(rating_steps), steps)
        _keep(connection, game, now)
    through = results[-1].feed if len(results) == most else end
    connection.execute(update(pools).where(pools.c.game == game).values(through=through))


def _next(game: str, start: int, end: int, most: int) -> Any:
    """The next games of a pool that count. It leaves out games that are voided or replaced, even by
    a number after `end`, so that the pool need not go back for them."""
    voided = select(amendments.c.game).where(amendments.c.game == games.c.feed)
    names = "feed", "player0", "player1", "winner", "ended", "bot0", "anchor"
    columns = [games.c[name] for name in names]
    return (
        select(*columns)
        .where(
            games.c.game == game, RATED, games.c.feed > start, games.c.feed <= end,
            games.c.superseded_by.is_(None), ~voided.exists(),
        )
        .order_by(games.c.feed)
        .limit(most)
    )  # fmt: skip


def result_of(row: Any) -> Result:
    """The result in a row of `games`."""
    anchors = (row.anchor, None) if row.bot0 else (None, row.anchor)
    players = row.player0, row.player1
    return Result(row.feed, players, SCORES[row.winner], row.ended, anchors)


def _keep(connection: Connection, game: str, changed: dict[str, Rating]) -> None:
    """Write these ratings. A rating of no games is deleted; a bot's rating counts none."""
    players = list(changed)
    for first in range(0, len(players), AT_ONCE):
        some = ratings.c.player.in_(players[first : first + AT_ONCE])
        connection.execute(delete(ratings).where(ratings.c.game == game, some))
    rows = [
        {
            "game": game, "player": player, "value": to_units(it.value),
            "deviation": to_units(it.deviation), "games": it.games, "at": it.at,
        }
        for player, it in changed.items()
        if it.games
    ]  # fmt: skip
    if rows:
        connection.execute(insert(ratings), rows)

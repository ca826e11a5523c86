"""Ratings: leaderboards, and the ratings of a player (SPEC 30)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import Connection, select

from pierule_archive.api.answers import (
    Anchor,
    Leaderboard,
    PlayerRating,
    PlayerRatings,
    Point,
    Ranked,
    Seated,
)
from pierule_archive.api.parameters import MOST, PAGE, PLAYER, Moment, milliseconds
from pierule_archive.api.single import player_id
from pierule_archive.rating import rated_through, rating_of
from pierule_archive.schema import games, players, rating_steps, ratings
from pierule_games import GAMES
from pierule_protocol import world
from pierule_protocol.house_bots import NAMES
from pierule_ratings import MODELS, VERSION, Rating, widened
from pierule_ratings.arithmetic import from_units, to_units
from pierule_ratings.model import DAY

MODEL = MODELS[VERSION]

SETTLED_GAMES = 10
"""The fewest rated games of a player on a leaderboard (SPEC 30.5)."""

ACTIVE = 90 * DAY
"""How long ago the last rated game of a player on a leaderboard may be, in ms."""

CURVE = 200
"""The most points of a curve."""

MINUTE = 60_000

_GAME = re.compile(r"[a-z0-9_-]{1,32}")


class LeaderboardQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a leaderboard."""

    players: Annotated[
        Literal["active", "all"],
        Meta(description="`active`: a leaderboard; `all`: all players with a rated game, by id"),
    ] = "active"
    at: (
        Annotated[Moment, Meta(description="the time of the deviations; default: now")] | UnsetType
    ) = UNSET
    after: (
        Annotated[str, Meta(pattern=PLAYER, description="the `next` of a page of all")] | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST, description="the most players")] = PAGE


def read_leaderboard(
    connection: Connection, game: str, query: LeaderboardQuery
) -> Leaderboard | None:
    """The players of a game; empty if nobody has played it. None if this cannot be a game's id."""
    if not _GAME.fullmatch(game):
        return None
    at = _now() if isinstance(query.at, UnsetType) else milliseconds(query.at)
    found = _everybody(connection, game, at, query) if query.players == "all" else (
        _active(connection, game, at, query.limit)
    )  # fmt: skip
    more = query.players == "all" and len(found) == query.limit
    return Leaderboard(
        game=game, version=VERSION, through=rated_through(connection, game), at=at, players=found,
        next=found[-1].player.id if more else None, bots=_bots(game),
    )  # fmt: skip


def _bots(game: str) -> list[Anchor]:
    """The house bots of a game, the strongest first."""
    anchors = GAMES[game].anchors if game in GAMES else {}
    return [
        Anchor(level=level, name=NAMES.get(level), rating=anchors[level])
        for level in sorted(anchors, key=lambda each: (-anchors[each], each))
    ]


def read_ratings(connection: Connection, name: str, _: object) -> PlayerRatings | None:
    """The ratings of the player with this id or name; None if there is no such player."""
    player = player_id(connection, name)
    if player is None:
        return None
    at = _now()
    known = connection.execute(select(players.c.name).where(players.c.id == player)).scalar_one()
    query = select(ratings).where(ratings.c.player == player).order_by(ratings.c.game)
    return PlayerRatings(
        id=player, name=known, version=VERSION, at=at,
        ratings=[
            PlayerRating(
                **_told(widened(MODEL, rating_of(row), at)), game=row.game, last=row.at,
                through=rated_through(connection, row.game),
                curve=_curve(connection, player, row.game),
            )
            for row in connection.execute(query).all()
        ],
    )  # fmt: skip


def _now() -> int:
    """The present time in whole minutes, so that answers can be cached."""
    return int(world.wall()) * 1_000 // MINUTE * MINUTE


def _told(rating: Rating) -> dict[str, Any]:
    return {
        "rating": str(rating.value), "deviation": str(rating.deviation), "games": rating.games,
        "provisional": rating.deviation > MODEL.settled,
    }  # fmt: skip


def _active(connection: Connection, game: str, at: int, most: int) -> list[Ranked]:
    """The leaderboard, without deleted accounts. Deviations only grow with time, so the database
    can filter by those that it keeps."""
    query = (
        _seated()
        .where(
            ratings.c.game == game, ratings.c.games >= SETTLED_GAMES,
            ratings.c.at > at - ACTIVE,
            ratings.c.deviation <= to_units(MODEL.settled), players.c.name.is_not(None),
        )
        .order_by(ratings.c.value.desc(), ratings.c.player)
    )  # fmt: skip
    found: list[Ranked] = []
    for row in connection.execute(query):
        now = widened(MODEL, rating_of(row), at)
        if now.deviation > MODEL.settled:
            continue
        value = str(now.value)
        rank = found[-1].rank if found and found[-1].rating == value else len(found) + 1
        found.append(_ranked(row, now, rank))
        if len(found) == most:
            break
    return found


def _everybody(connection: Connection, game: str, at: int, query: LeaderboardQuery) -> list[Ranked]:
    rows = _seated().where(ratings.c.game == game).order_by(ratings.c.player).limit(query.limit)
    if not isinstance(query.after, UnsetType):
        rows = rows.where(ratings.c.player > query.after)
    found = connection.execute(rows)
    return [_ranked(row, widened(MODEL, rating_of(row), at), None) for row in found]


def _seated() -> Any:
    named = players.c.name, players.c.bot
    return select(ratings, *named).outerjoin(players, players.c.id == ratings.c.player)


def _ranked(row: Any, now: Rating, rank: int | None) -> Ranked:
    player = Seated(id=row.player, name=row.name, bot=bool(row.bot))
    return Ranked(**_told(now), rank=rank, player=player, last=row.at)


def _curve(connection: Connection, player: str, game: str) -> list[Point]:
    query = (
        select(rating_steps.c.feed, rating_steps.c.value, rating_steps.c.deviation, games.c.ended)
        .join(games, games.c.feed == rating_steps.c.feed)
        .where(rating_steps.c.player == player, rating_steps.c.game == game)
        .order_by(rating_steps.c.feed.desc())
        .limit(CURVE)
    )
    points = [
        Point(
            feed=row.feed, ended=row.ended, rating=str(from_units(row.value)),
            deviation=str(from_units(row.deviation)),
        )
        for row in connection.execute(query)
    ]  # fmt: skip
    return points[::-1]

"""The table of all paths. The server and the OpenAPI document follow from it.

Each path has a function of a connection, the path's parameter and the query. It returns the answer,
or a `Selection` for a list, or None for something unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection

from pierule_archive.api import ROOT
from pierule_archive.api.answers import (
    Cuts,
    Evaluations,
    Leaderboard,
    Player,
    PlayerRatings,
    PositionMoves,
    WholeGame,
)
from pierule_archive.api.evaluations import Evaluating, read_line
from pierule_archive.api.exploring import Exploring, Offering, read_cuts, read_position
from pierule_archive.api.parameters import GAME as GAME_PATTERN
from pierule_archive.api.parameters import ROOM as ROOM_PATTERN
from pierule_archive.api.parameters import Nothing, Search, SearchAll, schemas
from pierule_archive.api.problems import bad_parameter, unknown
from pierule_archive.api.rated import LeaderboardQuery, read_leaderboard, read_ratings
from pierule_archive.api.selection import Selection
from pierule_archive.api.single import player_id, read_game, read_player


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A parameter in a path: what it names, as in the code `unknown_room`, and its pattern."""

    name: str
    what: str
    pattern: str
    text: str


@dataclass(frozen=True, slots=True)
class Route:
    """A path. `answer` is the type of its answer; None for a list of lines."""

    path: str
    operation: str
    summary: str
    read: Callable[[Connection, str, Any], Any]
    answer: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] = Nothing
    parameter: PathParameter | None = None


@dataclass(frozen=True, slots=True)
class PictureRoute:
    """The path of a picture, which `pierule_archive.previews` draws (SPEC 29)."""

    path: str
    operation: str
    summary: str
    parameter: PathParameter | None = None


ROOM = PathParameter(
    "room", "room", ROOM_PATTERN,
    "the room's id (the latest game, if several rooms had this id), or a feed number",
)  # fmt: skip
GAME = PathParameter("game", "game", GAME_PATTERN, "the id of a game")
PLAYER = PathParameter("name", "player", r"^[^/\x00-\x1f\x7f]{1,64}$", "the player's id or name")


def _games(connection: Connection, _: str, search: SearchAll) -> Selection:
    if isinstance(search.player, msgspec.UnsetType):
        return Selection(_checked(search))
    player = player_id(connection, search.player)
    if player is None:
        raise unknown("player", search.player, parameter="player")
    return Selection(search, player)


def _games_of(connection: Connection, name: str, search: Search) -> Selection | None:
    player = player_id(connection, name)
    return None if player is None else Selection(search, player)


def _checked(search: Search) -> Search:
    """Check that a search for `won` or `lost` names a player. Raises Failure."""
    if search.result in ("won", "lost"):
        detail = f"`result`: {search.result!r} needs the parameter `player`"
        raise bad_parameter("result", detail, schemas(SearchAll)["result"])
    return search


def _game(connection: Connection, name: str, _: Nothing) -> WholeGame | None:
    return read_game(connection, name)


def _player(connection: Connection, name: str, _: Nothing) -> Player | None:
    return read_player(connection, name)


ROUTES = (
    Route(f"{ROOT}/games", "games", "All games, in the order of the feed", _games,
          query=SearchAll),
    Route(f"{ROOT}/games/{{room}}", "game", "A game with its events", _game, WholeGame,
          parameter=ROOM),
    Route(f"{ROOT}/players/{{name}}", "player", "A player", _player, Player, parameter=PLAYER),
    Route(f"{ROOT}/players/{{name}}/games", "playerGames", "The games of a player", _games_of,
          query=Search, parameter=PLAYER),
    Route(f"{ROOT}/players/{{name}}/ratings", "playerRatings", "The ratings of a player",
          read_ratings, PlayerRatings, parameter=PLAYER),
    Route(f"{ROOT}/ratings/{{game}}", "ratings", "The leaderboard of a game", read_leaderboard,
          Leaderboard, LeaderboardQuery, GAME),
    Route(f"{ROOT}/cuts/{{game}}", "cuts", "The cuts that were offered, and who won", read_cuts,
          Cuts, Offering, GAME),
    Route(f"{ROOT}/positions/{{game}}", "position", "What was played in a position, and who won",
          read_position, PositionMoves, Exploring, GAME),
)  # fmt: skip

EVALUATIONS = Route(
    f"{ROOT}/evaluations/{{game}}", "evaluations", "How good the positions of a line are",
    lambda _, name, query: read_line(name, query), Evaluations, Evaluating, GAME,
)  # fmt: skip
"""The path of evaluations. `EvaluationEndpoint` answers it, without an archive."""

PICTURES = (
    PictureRoute(f"{ROOT}/picture.png", "picture", "The picture for anything without its own"),
    PictureRoute(f"{ROOT}/games/{{room}}/picture.png", "gamePicture",
                 "The picture of a game, or of a listed room", ROOM),
    PictureRoute(f"{ROOT}/players/{{name}}/picture.png", "playerPicture",
                 "The picture of a player's latest game", PLAYER),
)  # fmt: skip

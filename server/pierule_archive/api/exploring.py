"""What was played in a position, and which cuts were offered (SPEC 27.13)."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import Connection

from pierule_archive import explorer
from pierule_archive.api.answers import CutLine, Cuts, Interval, MoveLine, PositionMoves, Results
from pierule_archive.api.boards import BoardSize, game_named, positions_of, size_of
from pierule_archive.api.parameters import MONTH, ROOM
from pierule_archive.api.problems import bad_parameter
from pierule_archive.counting import through
from pierule_archive.positions import PLIES, Canonical, canonical
from pierule_archive.rated_cuts import offered_by
from pierule_games.game import Position
from pierule_games.package import Game
from pierule_games.refusal import Refusal

MOST = 500
"""The most actions or cuts in an answer."""

FEW = 30
"""With fewer games than this, an answer says that they are few."""


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters that say which games count."""

    size: BoardSize | UnsetType = UNSET
    since: Annotated[str, Meta(pattern=MONTH, description="the first month (UTC)")] | UnsetType = (
        UNSET
    )
    until: (
        Annotated[str, Meta(pattern=MONTH, description="the last month (UTC), inclusive")]
        | UnsetType
    ) = UNSET
    bot: Annotated[bool, Meta(description="whether a bot played")] | UnsetType = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=MOST, description="the most actions or cuts in the answer")
    ] = 100


class Offering(Counting, frozen=True, kw_only=True):
    """The parameters for cuts, which also include the players' ratings."""

    rating: (
        Annotated[
            int,
            Meta(
                ge=0, le=4_000, description="only rated games before which both players had at "
                "least this rating, out of the latest 20,000 rated games of the game",
            ),
        ]
        | UnsetType
    ) = UNSET  # fmt: skip


class Exploring(Counting, frozen=True, kw_only=True):
    """The parameters for a position, which is the one after `actions`."""

    actions: Annotated[
        str,
        Meta(
            max_length=1_000,
            description=f"at most {PLIES - 1} actions from the opening on, separated by spaces; "
            "empty: the opening itself",
        ),
    ] = ""
    without: (
        Annotated[
            str,
            Meta(pattern=ROOM, description="a game that does not count: its room, or feed number"),
        ]
        | UnsetType
    ) = UNSET
    played: (
        Annotated[
            str,
            Meta(
                max_length=100,
                description="an action in the position; the answer has it as it is in `moves`",
            ),
        ]
        | UnsetType
    ) = UNSET


def read_cuts(connection: Connection, name: str, query: Offering) -> Cuts:
    """The cuts that were offered in a game."""
    game, size = _board(name, query)
    if isinstance(query.rating, int):
        rated = offered_by(connection, game.id, size, _filter(query), query.rating, query.limit)
        return Cuts(
            game=game.id, size=size, counted=rated.through, first=rated.first,
            cuts=[_cut(each) for each in rated.cuts],
        )  # fmt: skip
    found = explorer.offered(connection, game.id, size, _filter(query), query.limit)
    return Cuts(
        game=game.id, size=size, counted=through(connection), cuts=[_cut(each) for each in found]
    )  # fmt: skip


def read_position(connection: Connection, name: str, query: Exploring) -> PositionMoves:
    """What was played in a position."""
    game, size = _board(name, query)
    position = _position(game, size, query.actions.split())
    here = canonical(game, game.version, position)
    wanted = _filter(query)
    found = explorer.played(connection, here.key, wanted, query.limit + 1)
    if isinstance(query.without, str):
        found = explorer.without(connection, found, here.key, wanted, query.without)
    found = found[: query.limit]
    color = None
    if position.black is not None and position.to_act is not None:
        color = "black" if position.to_act == position.black else "white"
    return PositionMoves(
        game=game.id, size=size, key=here.key.hex(), phase=position.phase, color=color,
        games=sum(each.outcome.games for each in found), counted=through(connection),
        moves=[_move(here, each) for each in found], played=_played(game, position, here, query),
    )  # fmt: skip


def _played(game: Game, position: Position, here: Canonical, query: Exploring) -> str | None:
    """The action that the query names, as moves have it. Raises Failure."""
    if not isinstance(query.played, str):
        return None
    after = position.play(query.played)
    if isinstance(after, Refusal):
        detail = f"`played`: {query.played!r}: {game.sentence(after)}"
        raise bad_parameter("played", detail, {"phase": position.phase})
    return here.back(here.action(query.played))


def _board(name: str, query: Counting) -> tuple[Game, int]:
    game = game_named(name)
    return game, size_of(game, game.newest, query.size)


def _position(game: Game, size: int, actions: list[str]) -> Position:
    """The position after these actions. Raises Failure, which says which action is wrong, and
    why."""
    if len(actions) >= PLIES:
        detail = f"`actions`: {len(actions)} actions, but the explorer counts only {PLIES - 1}"
        raise bad_parameter("actions", detail, {"most": PLIES - 1})
    return positions_of(game, game.opening(size), actions)[-1]


def _filter(query: Counting) -> explorer.Filter:
    return explorer.Filter(
        since=_month(query.since), until=_month(query.until),
        bots=query.bot if isinstance(query.bot, bool) else None,
    )  # fmt: skip


def _month(text: str | UnsetType) -> int | None:
    if not isinstance(text, str):
        return None
    year, month = map(int, re.findall("[0-9]+", text))
    return 12 * year + month - 1


def _move(here: Canonical, move: explorer.Move) -> MoveLine:
    return MoveLine(action=here.back(move.action), results=_results(move.outcome))


def _cut(cut: explorer.Cut) -> CutLine:
    chosen = {color: _results(outcome) for color, outcome in sorted(cut.chosen.items())}
    decided = [each.black + each.white for each in cut.chosen.values()]
    chooser = sum(getattr(each, color) for color, each in cut.chosen.items())
    return CutLine(
        rules=cut.rules, cut=cut.cut, results=_results(cut.outcome), chosen=chosen,
        chooser=_interval(chooser, sum(decided)),
    )  # fmt: skip


def _results(outcome: explorer.Outcome) -> Results:
    return Results(
        games=outcome.games, black=outcome.black, white=outcome.white, draws=outcome.draws,
        share=_interval(outcome.black, outcome.black + outcome.white),
    )  # fmt: skip


def _interval(wins: int, games: int) -> Interval:
    low, high = explorer.wilson(wins, games)
    share: Any = round(wins / games, 4) if games else None
    return Interval(
        wins=wins, games=games, share=share, low=round(low, 4), high=round(high, 4),
        few=games < FEW,
    )  # fmt: skip

"""The parameters of requests: their types, and how to read them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pierule_archive.api.problems import Failure, bad_parameter
from pierule_archive.game import Category

PAGE = 100
"""How many lines a page has without a `limit`."""

MOST = 1_000
"""The most lines of a page."""

MOMENTS = 2**53

Moment: TypeAlias = Annotated[int, Meta(ge=0, le=MOMENTS)] | datetime.date
Points: TypeAlias = Annotated[int, Meta(ge=0, le=4_000)]
Plies: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]

ROOM = r"^(?:[a-z]{1,32}|[0-9]{1,18})$"
PLAYER = r"^[^\x00-\x1f\x7f]{1,64}$"
GAME = r"^[a-z0-9_-]{1,32}$"
CURSOR = r"^[0-9]{1,18}$"
MONTH = r"^[0-9]{4}-(?:0[1-9]|1[0-2])$"

_MEANT = {
    ROOM: "it is neither a room (a to z) nor the feed number of a game",
    PLAYER: "it is neither the id nor the name of a player: these have 1 to 64 characters",
    GAME: "it is not the id of a game: these have 1 to 32 of the characters a-z, 0-9, _ and -",
    CURSOR: "it is not a cursor, a number of up to 18 digits: take it from the last line",
    MONTH: "it is not a month, such as 2026-11",
}
"""What is wrong with a text that does not match a pattern, in words."""


class Nothing(msgspec.Struct, frozen=True):
    """No parameters."""


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of lists: which games, in which order and form."""

    game: (
        Annotated[
            str,
            Meta(pattern=GAME, description="the id of the game"),
        ]
        | UnsetType
    ) = UNSET
    size: Annotated[int, Meta(ge=1, le=1_000, description="the size of the board")] | UnsetType = (
        UNSET
    )
    bot: Annotated[bool, Meta(description="whether a bot played")] | UnsetType = UNSET
    category: (
        Annotated[
            Category, Meta(description="how fast: without clocks, in one sitting, or over days")
        ]
        | UnsetType
    ) = UNSET
    rated: bool | UnsetType = UNSET
    min_rating: (
        Annotated[
            Points,
            Meta(description="rated games before which both players had at least this rating"),
        ]
        | UnsetType
    ) = UNSET
    max_rating: (
        Annotated[
            Points,
            Meta(description="rated games before which both players had at most this rating"),
        ]
        | UnsetType
    ) = UNSET
    result: (
        Annotated[
            Literal["0", "1", "draw", "none", "won", "lost"],
            Meta(
                description="the seat that won, `draw` or `none`; of a player also `won` and `lost`"
            ),
        ]
        | UnsetType
    ) = UNSET
    reason: (
        Annotated[
            Literal["played", "resigned", "flagged", "agreed", "left", "aborted", "closed"],
            Meta(description="how the game ended"),
        ]
        | UnsetType
    ) = UNSET
    since: (
        Annotated[
            Moment,
            Meta(description="games that ended at this time or later: ms since 1970, or a day"),
        ]
        | UnsetType
    ) = UNSET
    until: (
        Annotated[
            Moment, Meta(description="games that ended before: ms since 1970, or a day (UTC)")
        ]
        | UnsetType
    ) = UNSET
    min_plies: Plies | UnsetType = UNSET
    max_plies: Plies | UnsetType = UNSET
    order: Annotated[
        Literal["asc", "desc"], Meta(description="by feed number, the oldest or the newest first")
    ] = "asc"
    after: (
        Annotated[
            str,
            Meta(pattern=CURSOR, description="the cursor of the last line that you have"),
        ]
        | UnsetType
    ) = UNSET
    limit: (
        Annotated[
            int,
            Meta(
                ge=1, le=MOST, description=f"the most lines; default: {PAGE} in JSON, all in NDJSON"
            ),
        ]
        | UnsetType
    ) = UNSET
    format: (
        Annotated[Literal["json", "ndjson"], Meta(description="instead of the header `Accept`")]
        | UnsetType
    ) = UNSET


class SearchAll(Search, frozen=True, kw_only=True):
    """The parameters of lists of all players' games."""

    player: (
        Annotated[str, Meta(pattern=PLAYER, description="id or name of a player")] | UnsetType
    ) = UNSET


T = TypeVar("T")


@cache
def schemas(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of each parameter, by name."""
    (_, components) = msgspec.json.schema_components([kind])
    found: dict[str, Any] = components[kind.__name__]["properties"]
    return found


def read_query(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """The parameters of a request. Raises Failure, which names the wrong parameter."""
    allowed = schemas(kind)  # type: ignore[arg-type]
    given: dict[str, str] = {}
    for name, text in pairs:
        if name not in allowed:
            raise Failure(
                HTTPStatus.BAD_REQUEST, "unknown_parameter",
                f"this path has no parameter {name!r}", parameter=name, allowed=[*allowed],
            )  # fmt: skip
        if name in given:
            raise bad_parameter(name, f"`{name}` is given twice", allowed[name])
        given[name] = text
        try:
            msgspec.convert({name: text}, kind, strict=False)
        except msgspec.ValidationError as error:
            pattern = allowed[name].get("pattern")
            why = _MEANT.get(pattern) or str(error).partition(" - at ")[0]
            raise bad_parameter(name, f"`{name}`: {why}", allowed[name]) from None
    return msgspec.convert(given, kind, strict=False)


def milliseconds(moment: int | datetime.date) -> int:
    """A moment in milliseconds since 1970, at least 0. A day begins at midnight, UTC."""
    if isinstance(moment, int):
        return moment
    return max(0, (moment - datetime.date(1970, 1, 1)) // datetime.timedelta(milliseconds=1))

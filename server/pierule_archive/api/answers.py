"""What the API answers. The OpenAPI document shows these types."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pierule_archive.game import Category
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Access
from pierule_protocol.log.record import Proof
from pierule_protocol.messages import Result

Cursor: TypeAlias = Annotated[str, Meta(description="as `after` it leads to the next line")]
Feed: TypeAlias = Annotated[int, Meta(ge=1, description="the feed number")]
Time: TypeAlias = Annotated[int, Meta(ge=0, description="milliseconds since 1970")]


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Seated(_Answer, frozen=True, kw_only=True):
    """Who played: the id, the name of today (null once the account was deleted), and whether it was
    a bot."""

    id: str
    name: str | None
    bot: bool


class Amendment(_Answer, frozen=True, kw_only=True):
    """What operators have decided about a game after its end. `void`: the result does not count."""

    feed: Feed
    kind: str
    at: Time
    text: Annotated[str, Meta(description="why, in the operators' words")]


class GameSummary(_Answer, frozen=True, kw_only=True):
    """What games are searched by. `players` are seat 0 and seat 1; `cut` is the first action;
    `komi` and `black` (a seat) are null in games without them."""

    feed: Feed
    room: str
    created_hash: Annotated[
        str, Meta(description="with `room` it names the game: SHA-256 of its first event's line")
    ]
    epoch: int
    access: Access
    game: str
    rules: int
    size: int
    cut: str | None
    komi: int | None
    black: int | None
    players: tuple[Seated, Seated]
    clock: ClockOptions | None
    category: Category
    rated: bool
    result: Result
    plies: int
    started: Time
    ended: Time
    rematch_of: str | None
    amendment: Amendment | None


class GameLine(GameSummary, frozen=True, kw_only=True):
    """A game in a list."""

    cursor: Cursor


class PrivateLine(_Answer, frozen=True, kw_only=True):
    """The number of a private game, or of an amendment to it, and nothing else."""

    feed: Feed
    private: Annotated[bool, Meta(description="always true")] = True
    cursor: Cursor


class SupersededLine(_Answer, frozen=True, kw_only=True):
    """The number of a record that a later one replaces: the end of the game had been lost."""

    feed: Feed
    superseded_by: Feed
    cursor: Cursor


class AmendmentLine(Amendment, frozen=True, kw_only=True):
    """An amendment in a list, with the feed number and the room of its game."""

    amends: Feed
    room: str
    cursor: Cursor


Line: TypeAlias = GameLine | PrivateLine | SupersededLine | AmendmentLine

LINES = (GameLine, PrivateLine, SupersededLine, AmendmentLine)


class GameEvent(_Answer, frozen=True, kw_only=True):
    """An event as in the record of a room (17.4). `digest` is missing if the rules of the game are
    not installed here."""

    epoch: int
    seq: int
    chain: int
    at: Time
    record: str
    digest: int | UnsetType = UNSET


class WholeGame(GameSummary, frozen=True, kw_only=True):
    """A game with the actions that stood at its end (null if its rules are not installed here), and
    all events up to the one that ended it."""

    actions: list[str] | None
    events: list[GameEvent]
    proof: Proof | UnsetType = UNSET


class Player(_Answer, frozen=True, kw_only=True):
    """A player: the id, the name of today (null once the account was deleted), and the end of the
    latest game that everybody may see. `namesakes` are ids of others of this name."""

    id: str
    name: str | None
    bot: bool
    last: Time
    namesakes: list[str] = []


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why there is no answer (RFC 9457); `code` is for programs. `allowed` is the JSON
    Schema of `parameter`, or the names of all parameters."""

    title: str
    status: int
    detail: str
    code: str
    parameter: str | None = None
    allowed: Any = None


encode = msgspec.json.Encoder().encode

"""The types of the API's answers. The OpenAPI document shows them."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pierule_archive.game import Category
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Access, Unrated
from pierule_protocol.log.record import Proof
from pierule_protocol.messages import Result

Cursor: TypeAlias = Annotated[str, Meta(description="pass it as `after` to get the next line")]
Feed: TypeAlias = Annotated[int, Meta(ge=1, description="the feed number")]
Time: TypeAlias = Annotated[int, Meta(ge=0, description="milliseconds since 1970")]


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Seated(_Answer, frozen=True, kw_only=True):
    """A player of a game: the id, the present name (null if the account was deleted), and whether
    it was a bot."""

    id: str
    name: str | None
    bot: bool


class Amendment(_Answer, frozen=True, kw_only=True):
    """A decision of the operators about a game after its end. `void`: the result does not count."""

    feed: Feed
    kind: str
    at: Time
    text: Annotated[str, Meta(description="the reason, in the operators' words")]


class RatingValue(_Answer, frozen=True, kw_only=True):
    """A rating (SPEC 30.3): the estimated strength, its deviation, and the number of rated games.
    Numbers are strings with all digits."""

    rating: Annotated[str, Meta(description="decimal, with 6 digits after the point")]
    deviation: Annotated[str, Meta(description="decimal, with 6 digits after the point")]
    games: int
    provisional: Annotated[bool, Meta(description="whether the deviation is above 110 (SPEC 30.5)")]


class Rated(_Answer, frozen=True, kw_only=True):
    """How a game changed the rating of a player."""

    before: RatingValue
    after: RatingValue


class GameSummary(_Answer, frozen=True, kw_only=True):
    """The facts about a game that searches use. `players` are in seat 0 and seat 1. `cut` is the
    first action. `komi` and `black` (a seat) are null in games without them. `ratings` says how the
    game changed those of seat 0 and seat 1; null if it did not, or not yet."""

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
    ratings: tuple[Rated, Rated] | None
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
    """The number of a private game, or of an amendment to one, without anything else."""

    feed: Feed
    private: Annotated[bool, Meta(description="always true")] = True
    cursor: Cursor


class SupersededLine(_Answer, frozen=True, kw_only=True):
    """The number of a record that a later one replaces, because the store had lost the end of the
    game."""

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


class Interval(_Answer, frozen=True, kw_only=True):
    """How many of the decided games somebody won: the share, and the limits of its 95 % confidence
    interval (Wilson's score interval). `few`: there are too few games to say much."""

    wins: int
    games: int
    share: float | None
    low: float
    high: float
    few: bool


class Results(_Answer, frozen=True, kw_only=True):
    """How many games there were, and how many of them Black won, White won, and were draws. The
    others have no result. `share` is Black's share of the decided games."""

    games: int
    black: int
    white: int
    draws: int
    share: Interval


class MoveLine(_Answer, frozen=True, kw_only=True):
    """An action that was played in a position. It stands for all actions that are equal by the
    board's symmetries."""

    action: str
    results: Results


Counted: TypeAlias = Annotated[
    int, Meta(description="games up to this feed number are counted; it is a little below the last")
]


class PositionMoves(_Answer, frozen=True, kw_only=True):
    """The actions that were played in a position, the most frequent first. `games` counts the games
    with these actions. `color` is to move; null before the colors are chosen. `played` repeats the
    parameter, as `moves` would have it; null without the parameter."""

    game: str
    size: int
    key: Annotated[str, Meta(description="128 bits that identify the position")]
    phase: str
    color: str | None
    games: int
    counted: Counted
    moves: list[MoveLine]
    played: str | None = None


class CutLine(_Answer, frozen=True, kw_only=True):
    """A cut, the colors that were chosen, and the results. `chooser` is how often the player who
    chose the color won: after a fair cut, in half of the games."""

    rules: int
    cut: str
    results: Results
    chosen: dict[str, Results]
    chooser: Interval


class Cuts(_Answer, frozen=True, kw_only=True):
    """The cuts of a game on a size of board, the most frequent first. With `rating`, `first` is the
    feed number of the first rated game that counts; null: all count."""

    game: str
    size: int
    counted: Counted
    first: int | None = None
    cuts: list[CutLine]


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
    """A game with the actions that stood at its end (null if its rules are not installed here), all
    events up to its end, and why it does not count for ratings (SPEC 30.2; null if it counts, or
    the rules are missing)."""

    actions: list[str] | None
    unrated: Unrated | None
    events: list[GameEvent]
    proof: Proof | UnsetType = UNSET


class Player(_Answer, frozen=True, kw_only=True):
    """A player: the id, the present name (null if the account was deleted), and the end of the
    latest game that everybody may see. `namesakes` are ids of other players with this name, in
    upper or lower case."""

    id: str
    name: str | None
    bot: bool
    last: Time
    namesakes: list[str] = []


class Ranked(RatingValue, frozen=True, kw_only=True):
    """A player in a table. `rank` is 1 for the highest rating; equal ratings share a rank. It is
    null in a table of all players. `last` is the end of the player's last rated game."""

    rank: int | None
    player: Seated
    last: Time


class Anchor(_Answer, frozen=True, kw_only=True):
    """A level of house bots and its fixed rating in a game (SPEC 30.9). `name` is the bot's name;
    null for a level that this server does not know."""

    level: str
    name: str | None
    rating: int


class Leaderboard(_Answer, frozen=True, kw_only=True):
    """The players of a game (SPEC 30.5): a leaderboard begins with the highest rating, a table of
    all players is sorted by id. `version` is that of the model, `through` the last feed number that
    counts, and `at` the time of the deviations. `next` is the last id of this page, if there may be
    more. `bots` is a separate list, the strongest first."""

    game: str
    version: int
    through: int
    at: Time
    players: list[Ranked]
    next: str | None
    bots: list[Anchor]


class Point(_Answer, frozen=True, kw_only=True):
    """A point of a curve: a game, when it ended, and the rating after it."""

    feed: Feed
    ended: Time
    rating: str
    deviation: str


class PlayerRating(RatingValue, frozen=True, kw_only=True):
    """A player's present rating in a game, and the curve of the latest games, the oldest first."""

    game: str
    last: Time
    through: int
    curve: list[Point]


class PlayerRatings(_Answer, frozen=True, kw_only=True):
    """The ratings of a player, by game. `at` is the time of the deviations."""

    id: str
    name: str | None
    version: int
    at: Time
    ratings: list[PlayerRating]


class Evaluated(_Answer, frozen=True, kw_only=True):
    """A position of a line, after `ply` actions. `to_act` and `black` are seats, or null. `best` is
    the best action that the search found; null when the game is over. `played` is the score that
    seat 0 may expect after the next action of the line; null at its end. `depth` is how many plies
    the search looked ahead."""

    ply: int
    to_act: int | None
    black: int | None
    expected: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="the score that seat 0 may expect: 1 is a win, 0 a loss, 0.5 even",
        ),
    ]
    best: str | None
    played: Annotated[float, Meta(ge=0, le=1)] | None
    depth: int


class Evaluations(_Answer, frozen=True, kw_only=True):
    """How good positions of a line are (SPEC 27.17). `next` is the `first` of the next request;
    null at the end of the line."""

    game: str
    rules: int
    size: int
    positions: list[Evaluated]
    next: int | None


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

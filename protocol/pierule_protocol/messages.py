"""Every message of the wire: two closed unions, one for each direction (SPEC, Messages).

What a client sends is decoded strictly: an unknown type, an unknown field or a value out of
range is refused. What a server sends is read tolerantly: clients ignore what they do not know.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pierule_protocol.controls import ClockOptions, ClockRequest
from pierule_protocol.events import Access, Holder, Place, What
from pierule_protocol.position import PositionState
from pierule_rules.game import Winner

PROTOCOL = "pierule.1"
"""The protocol's name and version; subprotocols are `pierule.1.msgpack` and `pierule.1.json`."""

RequestId: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
# Python's `$` also matches before a line break at the end; the lookahead forbids that.
RoomId: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z]{1,32}$(?!\n)")]
Nonce: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$(?!\n)")]
UserName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=24)]
Seat: TypeAlias = Literal[0, 1]
Status: TypeAlias = Literal["open", "running", "over"]
Delay: TypeAlias = Annotated[int, Meta(ge=0, le=50)]
Secret: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{16,64}$(?!\n)")]
Turn: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Uint32: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
ActionText: TypeAlias = Annotated[str, Meta(max_length=64)]
UserId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
LineText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=300)]
LineNumber: TypeAlias = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Channel: TypeAlias = Literal["players", "spectators"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
Distance: TypeAlias = Literal["mute", "block"]


class Since(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last event that the client has: where it wants to go on."""

    epoch: Uint32
    seq: Uint32
    chain: Uint32


# --- client to server ------------------------------------------------------------------------


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True,
              forbid_unknown_fields=True):  # fmt: skip
    """Every request carries an `id` of the client's choosing; its one answer repeats it."""

    id: RequestId


class Hello(Request, frozen=True, kw_only=True, tag="hello"):
    """The first request. Without a token the server makes a guest and hands out its token."""

    token: Annotated[str, Meta(max_length=2048)] | None = None
    name: UserName | None = None
    agent: Annotated[str, Meta(max_length=80)] | None = None


class Create(Request, frozen=True, kw_only=True, tag="create"):
    """Make a room; `seat` is the one that its maker takes (null: none), `clock` how it is timed
    (null: not at all). A private room needs an `invitation`, which its guests show to join."""

    nonce: Nonce
    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    seat: Literal[0, 1, "random"] | None = None
    clock: ClockRequest | None = None
    access: Access = "public"
    invitation: Secret | None = None
    delay: Delay = 0


class Join(Request, frozen=True, kw_only=True, tag="join"):
    """Follow a room: with `seat` also take a seat (`any`: the first free one).

    With `since` the server sends the events after it, if the log still knows that place.
    """

    room: RoomId
    seat: Literal[0, 1, "any"] | None = None
    nonce: Nonce | None = None
    since: Since | None = None
    invitation: Secret | None = None


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """No longer follow a room. A seat is kept."""

    room: RoomId


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Play an action, aimed at a turn; with `epoch` (3.2) at a turn of that life of the log."""

    room: RoomId
    turn: Turn
    action: ActionText
    epoch: Uint32 | None = None


class Resign(Request, frozen=True, kw_only=True, tag="resign"):
    """Give the game up. Who holds both seats names one, or gives up the seat that is to act."""

    room: RoomId
    nonce: Nonce
    seat: Seat | None = None


class Abort(Request, frozen=True, kw_only=True, tag="abort"):
    """End the game before one has acted in it; nobody loses. `seat` is for who holds both."""

    room: RoomId
    nonce: Nonce
    seat: Seat | None = None


class Offer(Request, frozen=True, kw_only=True, tag="offer"):
    """Offer something to the other player, or accept it if that one offers the same."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


class Accept(Request, frozen=True, kw_only=True, tag="accept"):
    """Accept what the other player offers, aimed at the turn at which that was offered."""

    room: RoomId
    what: What
    turn: Turn
    nonce: Nonce
    seat: Seat | None = None


class Decline(Request, frozen=True, kw_only=True, tag="decline"):
    """Decline what the other player offers."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


class Withdraw(Request, frozen=True, kw_only=True, tag="withdraw"):
    """Take an offer back."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


Agreeing: TypeAlias = Abort | Offer | Accept | Decline | Withdraw
"""What is between the players."""


class LegalQuery(Request, frozen=True, kw_only=True, tag="legal"):
    """Ask for the legal actions that begin with `prefix`."""

    room: RoomId
    prefix: ActionText = ""


class LogQuery(Request, frozen=True, kw_only=True, tag="log"):
    """Ask for a room's log from `first` on, as it is kept."""

    room: RoomId
    first: Annotated[int, Meta(ge=1, le=2**31 - 1)] = 1


class RoomsQuery(Request, frozen=True, kw_only=True, tag="rooms"):
    """Ask for the rooms that are open or running, the latest first."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class ReplayQuery(Request, frozen=True, kw_only=True, tag="replay"):
    """Ask for the positions to which actions lead from a game's opening, from ply `first` on."""

    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    actions: Annotated[list[ActionText], Meta(max_length=1000)]
    first: Annotated[int, Meta(ge=0, le=1000)] = 0


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask whether the server is there; the answer tells its time."""


Problem: TypeAlias = Literal["mismatch", "desync"]
REPORTED: tuple[Problem, ...] = get_args(Problem)


class Report(Request, frozen=True, kw_only=True, tag="report"):
    """Tell of a board that differs from the server's after the event at `epoch` and `seq`:
    `mismatch` when it is first seen, `desync` when a fresh snapshot has not mended it."""

    room: RoomId
    epoch: Uint32
    seq: Uint32
    problem: Problem


class Say(Request, frozen=True, kw_only=True, tag="say"):
    """Say a line in a room, in the channel of one's side: players or spectators."""

    room: RoomId
    nonce: Nonce
    text: LineText


class LinesQuery(Request, frozen=True, kw_only=True, tag="lines"):
    """Ask for the lines of a channel from number `first` on, as far as they are kept."""

    room: RoomId
    channel: Channel
    first: LineNumber = 1


class ReportLine(Request, frozen=True, kw_only=True, tag="report_line"):
    """Tell the operators of a line that somebody should not have said."""

    room: RoomId
    channel: Channel
    seq: LineNumber
    text: Annotated[str, Meta(max_length=300)] = ""


class Shun(Request, frozen=True, kw_only=True, tag="shun"):
    """Say what one wants of a user from now on: `mute`, `block`, or nothing more of it (null).
    Without a `user` only ask whom one shuns."""

    user: UserId | None = None
    how: Distance | None = None


ClientMessage: TypeAlias = (
    Hello | Create | Join | Leave | Act | Resign | LegalQuery | LogQuery | RoomsQuery | ReplayQuery
    | Ping | Report | Say | LinesQuery | ReportLine | Shun | Agreeing
)  # fmt: skip


# --- the room's state, as snapshots and diffs carry it ----------------------------------------


class Result(msgspec.Struct, frozen=True):
    """How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `aborted`
    (not begun in time), `closed` (by the operators), or `voided` (it had ended, and the operators
    have taken its result back). The last three have no winner."""

    """How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a
    draw) or `aborted` (not begun, by a player's wish or in time; there is no winner then)."""

    winner: Winner | None
    reason: str


class HandState(msgspec.Struct, frozen=True):
    """What a seat had left when its last turn ended: main time and lag quota in milliseconds,
    and periods."""

    main: int
    periods: int
    quota: int


class ClockState(msgspec.Struct, frozen=True, kw_only=True):
    """Both clocks: the seat whose turn it is, when its turn began, until when its action counts,
    and since when the clocks are paused, by the store's time in milliseconds."""

    hands: tuple[HandState, HandState]
    running: Seat | None
    started: int
    deadline: int | None
    paused: int | None = None


class RoomState(msgspec.Struct, frozen=True, kw_only=True):
    """All of a room that a client sees. `ply` equals the length of `actions`."""

    room: str
    epoch: int
    seq: int
    chain: int
    at: int
    digest: int
    status: Status
    seats: tuple[Holder | None, Holder | None]
    turn: int
    ply: int
    actions: list[str]
    position: PositionState
    control: ClockOptions | None = None
    clock: ClockState | None = None
    result: Result | None = None
    offers: tuple[What | None, What | None] = (None, None)
    access: Access = "public"
    delay: int = 0
    rematch_of: str | None = None
    rematch: str | None = None

    @property
    def place(self) -> Place:
        return Place(self.epoch, self.seq, self.chain)


class PositionDiff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The fields of a position that an event changed; `cells` as (index, value) pairs."""

    phase: str | UnsetType = UNSET
    to_act: Seat | UnsetType | None = UNSET
    black: Seat | UnsetType | None = UNSET
    komi: int | UnsetType | None = UNSET
    passes: int | UnsetType = UNSET
    score: tuple[int, int] | UnsetType = UNSET
    winner: Winner | UnsetType | None = UNSET
    cells: list[tuple[int, int]] | UnsetType = UNSET


class Diff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What an event changed. New `actions` end at the new `ply`: keep the first
    `ply - len(actions)` of the old ones and append."""

    status: Status | UnsetType = UNSET
    seats: tuple[Holder | None, Holder | None] | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    ply: int | UnsetType = UNSET
    actions: list[str] | UnsetType = UNSET
    position: PositionDiff | UnsetType = UNSET
    clock: ClockState | UnsetType | None = UNSET
    result: Result | UnsetType | None = UNSET
    offers: tuple[What | None, What | None] | UnsetType = UNSET
    rematch: str | UnsetType | None = UNSET


# --- server to client ------------------------------------------------------------------------


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What the server will not exceed and not let a client exceed. 0: no limit (of a burst: 1)."""

    frame_bytes: int
    rooms_followed: int
    errors: int
    hello_seconds: int
    ping_seconds: int
    connection_rate: int = 0
    connection_burst: int = 0
    user_rate: int = 0
    user_burst: int = 0
    connections_per_user: int = 0
    rooms_per_user: int = 0
    chat_rate: int = 0
    chat_burst: int = 0
    lines_kept: int = 0


class GameOptions(msgspec.Struct, frozen=True):
    """A game that can be played here; `draws` says whether it knows draws."""

    game: str
    sizes: list[int]
    default_size: int
    draws: bool = False


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the answer to hello tells: who one is, and what there is.

    `token` is the user, for any later connection: keep it, and keep it secret.
    """

    protocol: str
    server: str
    user: str
    name: str
    limits: Limits
    games: list[GameOptions]
    features: list[str]
    token: str


class LegalPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of a set-up action: `count` of `what` on `points`, or a number `first` to `last`
    in steps of `step`."""

    what: Literal["komi", "shooter", "stone"]
    count: int = 1
    points: list[str] = []
    first: int | None = None
    last: int | None = None
    step: int | None = None


class Legal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The legal actions with a prefix: how many; the points or words that may come next; the
    actions, if they are no more than 1 000; in set-up phases, the template instead."""

    turn: int
    total: int
    next: list[str] = []
    actions: list[str] | None = None
    template: list[LegalPart] = []


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """Positions of a line of actions: the one at ply `first`, and what each of the actions after
    it changes, of at most 200."""

    position: PositionState
    diffs: list[PositionDiff]


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a room's log, and the digest of the position after it."""

    epoch: int
    seq: int
    chain: int
    at: int
    record: str
    digest: int

    @property
    def place(self) -> Place:
        return Place(self.epoch, self.seq, self.chain)


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A room in a listing."""

    room: str
    game: str
    size: int
    status: Status
    names: tuple[str | None, str | None]
    turn: int
    at: int
    control: ClockOptions | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody said, as a channel numbers it. Of a user whom one has muted there is neither
    `name` nor `text`."""

    seq: int
    at: int
    user: str
    name: str = ""
    text: str | None = None


class Shunned(msgspec.Struct, frozen=True):
    """A user whom one shuns."""

    user: str
    how: Distance


class Reply(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True, gc=False
):
    """A message of the server."""


class Ok(Reply, frozen=True, kw_only=True, tag="ok"):
    """A request was done. Which other fields are set depends on the request."""

    id: int
    room: str | None = None
    seats: list[Seat] | None = None
    place: Place | None = None
    turn: int | None = None
    resumed: bool | None = None
    welcome: Welcome | None = None
    legal: Legal | None = None
    rooms: list[Card] | None = None
    log: list[LogEntry] | None = None
    replay: Replay | None = None
    now: int | None = None
    channel: Channel | None = None
    lines: list[Line] | None = None
    shunned: list[Shunned] | None = None


class Error(Reply, frozen=True, kw_only=True, tag="error"):
    """A request was not done, and nothing has changed. `id` is null when it could not be read."""

    id: int | None
    code: str
    text: str
    field: str | None = None
    rule: str | None = None
    points: list[str] | None = None
    place: Place | None = None
    turn: int | None = None
    late: int | None = None
    retry_ms: int | None = None


class Snapshot(Reply, frozen=True, kw_only=True, tag="snapshot"):
    """A room as it is; what was known of it before is to be forgotten."""

    state: RoomState


class Event(Reply, frozen=True, kw_only=True, tag="event"):
    """One event of a room: its place and time, the record as the log keeps it (JSON text), what
    it changed, and the digest of the position after it."""

    room: str
    epoch: int
    seq: int
    chain: int
    at: int
    record: str
    diff: Diff
    digest: int


class Presence(Reply, frozen=True, kw_only=True, tag="presence"):
    """Who is there: for each seat whether its player is connected, and how many watch."""

    room: str
    players: tuple[bool, bool]
    spectators: int


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """News of the server itself: `draining` (it closes this connection within `seconds`; connect
    again), `store_away` (requests that need the store are refused), `store_back`, or `room_gone`
    (`room` does not exist any more, and is no longer followed), or `announcement` (the operators
    say `text`, about something that is to happen `at` a time)."""

    kind: str
    seconds: int | None = None
    room: str | None = None
    text: str | None = None
    at: int | None = None


class Chat(Reply, frozen=True, kw_only=True, tag="chat"):
    """Lines of a channel that one hears, in order: the latest after joining, then each as it is
    said."""

    room: str
    channel: Channel
    lines: list[Line]


ServerMessage: TypeAlias = Ok | Error | Snapshot | Event | Presence | Notice | Chat

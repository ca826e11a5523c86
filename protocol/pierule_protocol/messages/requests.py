"""The messages that a client sends, as a closed union (SPEC 10).

The server decodes them strictly: it refuses unknown types, unknown fields and values out of range.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, field

from pierule_protocol.log.controls import ClockRequest
from pierule_protocol.log.events import Access, Outcome, Rated, What
from pierule_protocol.messages.request import Request
from pierule_protocol.messages.social_requests import SocialRequest
from pierule_protocol.messages.values import (
    ActionText,
    Cursor,
    Delay,
    FreeSeat,
    LineQuestion,
    ListedStatus,
    Nonce,
    PointText,
    Problem,
    RoomId,
    Secret,
    Since,
    Token,
    Turn,
    Uint32,
    UserName,
)
from pierule_protocol.state.diff import Seat


class Hello(Request, frozen=True, kw_only=True, tag="hello"):
    """The first request, once per connection. Without a token, the server makes you a guest and
    sends your token. Answered with `welcome`."""

    token: Token | None = None
    name: UserName | None = None
    agent: Annotated[str, Meta(max_length=80)] | None = None
    bot: bool = False
    recovery: Annotated[str, Meta(max_length=40)] | None = None


class Create(Request, frozen=True, kw_only=True, tag="create"):
    """Make a room, and take `seat` in it (null: none). `clock` says how the room is timed (null:
    not at all). A private room needs an `invitation`, which its guests show to join. Answered with
    `room`, `seats`, `place` (of the room's first event) and `turn` (0). You do not follow the room
    yet: send `join`."""

    nonce: Nonce
    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    seat: Literal[0, 1, "random"] | None = None
    clock: ClockRequest | None = None
    access: Access = "public"
    invitation: Secret | None = None
    delay: Delay = 0
    rated: Rated = "either"


class Join(Request, frozen=True, kw_only=True, tag="join"):
    """Follow a room, or catch up; with `seat`, also take a seat (`any`: the first free one). With
    `since`, the server sends the events after that place, if the log still knows it. Answered with
    `room`, `seats`, `place`, `turn` and `resumed`; then come the events or the snapshot, and
    `presence` (6.1). With `goto`, the answer may be the error `goto` (1.16)."""

    room: RoomId
    seat: Literal[0, 1, "any"] | None = None
    nonce: Nonce | None = None
    since: Since | None = None
    invitation: Secret | None = None
    goto: bool = False


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """Stop following a room. You keep your seat. The answer is `ok` even if you did not follow
    it."""

    room: RoomId


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Play an action at a turn; with `epoch`, only in that life of the log (3.2). Answered with
    `room`, `place` (of the action's event) and `turn` (after it). Followers of the room, you too,
    also get the event, before or after the answer."""

    room: RoomId
    turn: Turn
    action: ActionText
    epoch: Uint32 | None = None


class Resign(Request, frozen=True, kw_only=True, tag="resign"):
    """Resign a running game. If you hold both seats, name one in `seat`, or resign for the seat
    that is to act. Answered with `room`, `place` and `turn`."""

    room: RoomId
    nonce: Nonce
    seat: Seat | None = None


class Abort(Request, frozen=True, kw_only=True, tag="abort"):
    """End the game before you have acted in it; nobody loses (19.3). Answered with `room`, `place`
    and `turn`."""

    room: RoomId
    nonce: Nonce
    seat: Seat | None = None


class Offer(Request, frozen=True, kw_only=True, tag="offer"):
    """Offer something to the other player. If they already offer the same, this accepts it (19.1).
    Answered with `room`, `place` and `turn`."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


class Accept(Request, frozen=True, kw_only=True, tag="accept"):
    """Accept what the other player offered at this turn. Answered with `room`, `place` (of the
    resulting event) and `turn` (after it)."""

    room: RoomId
    what: What
    turn: Turn
    nonce: Nonce
    seat: Seat | None = None


class Decline(Request, frozen=True, kw_only=True, tag="decline"):
    """Decline the other player's offer. Answered with `room`, `place` and `turn`."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


class Withdraw(Request, frozen=True, kw_only=True, tag="withdraw"):
    """Take your offer back. Answered with `room`, `place` and `turn`."""

    room: RoomId
    what: What
    nonce: Nonce
    seat: Seat | None = None


class Claim(Request, frozen=True, kw_only=True, tag="claim"):
    """End the game because your opponent is gone: you win, or nobody wins (25.3). Answered with
    `room`, `place` and `turn`."""

    room: RoomId
    outcome: Outcome
    nonce: Nonce
    seat: Seat | None = None


Agreeing: TypeAlias = Abort | Offer | Accept | Decline | Withdraw
"""The requests by which players agree on something."""


class LegalQuery(Request, frozen=True, kw_only=True, tag="legal"):
    """Ask for the legal actions that begin with `prefix`. Or ask whether an `action` is legal, or
    one that begins with `points`, and if not, why. With `turn`, only at that turn. Answered with
    `room` and `legal`."""

    room: RoomId
    prefix: ActionText = ""
    turn: Turn | None = None
    action: ActionText = ""
    points: Annotated[list[PointText], Meta(max_length=16)] = field(default_factory=list)


class LogQuery(Request, frozen=True, kw_only=True, tag="log"):
    """Ask for a room's log as the store keeps it, from event `first` on. Answered with `room` and
    `log`: at most 1,000 entries, none if `first` is beyond the end. Ask again from the next number
    on until you get none."""

    room: RoomId
    first: Annotated[int, Meta(ge=1, le=2**31 - 1)] = 1


class ReceiptQuery(Request, frozen=True, kw_only=True, tag="receipt"):
    """Ask the server to sign a room's log from its beginning to event `seq` (null: the last that
    you may see). With the receipt you can prove what it has acknowledged (28.10). Answered with
    `room` and `receipt`."""

    room: RoomId
    seq: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None


class RoomsQuery(Request, frozen=True, kw_only=True, tag="rooms"):
    """Ask for open and running rooms that match all fields that are not null (23.18). `after` is
    the `next` of the previous page. Answered with `rooms`, and with `next` if there may be more."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 50
    game: Annotated[str, Meta(max_length=32)] | None = None
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    status: ListedStatus | None = None
    free_seat: FreeSeat | None = None
    after: Cursor | None = None


class ReplayQuery(Request, frozen=True, kw_only=True, tag="replay"):
    """Ask for the positions that a list of actions leads to, from ply `first` on, and with `legal`
    what may follow. So a client needs no rules. Answered with `replay` (6.11)."""

    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    actions: Annotated[list[ActionText], Meta(max_length=1000)]
    first: Annotated[int, Meta(ge=0, le=1000)] = 0
    account: bool = False
    rules: Annotated[int, Meta(ge=1, le=1000)] | None = None
    legal: LineQuestion | None = None


class GameQuery(Request, frozen=True, kw_only=True, tag="game"):
    """Ask for a game's document, or with `lessons` for its lessons (26.2). Answered with
    `document`."""

    game: Annotated[str, Meta(max_length=32)]
    lessons: bool = False


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask whether the server is there, at any time after `hello`. Answered with `now`, the store's
    time."""


class BoardMismatch(Request, frozen=True, kw_only=True, tag="board_mismatch"):
    """Report that your board differs from the server's after the event at `epoch` and `seq` (6.2):
    `mismatch` the first time, `desync` if it differs again after a fresh snapshot. Answered with
    `room`."""

    room: RoomId
    epoch: Uint32
    seq: Uint32
    problem: Problem


ClientMessage: TypeAlias = (
    Hello | Create | Join | Leave | Act | Resign | LegalQuery | LogQuery | ReceiptQuery
    | RoomsQuery | ReplayQuery | Ping | BoardMismatch | Agreeing | Claim | GameQuery
    | SocialRequest
)  # fmt: skip

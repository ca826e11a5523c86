"""The messages that a server sends, as a closed union (SPEC 10).

Clients ignore message types and fields that they do not know.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Place, Rated
from pierule_protocol.messages.parts import (
    AccountState,
    BlockListEntry,
    Card,
    ChatMessage,
    FreeBots,
    Legal,
    LobbyRoom,
    LogEntry,
    MyRoom,
    Pool,
    ProvenPlace,
    Receipt,
    Replay,
    Welcome,
)
from pierule_protocol.messages.values import Channel
from pierule_protocol.state.diff import Diff, RoomState, Seat


class Reply(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True, gc=False
):
    """A message of the server."""


class Ok(Reply, frozen=True, kw_only=True, tag="ok"):
    """The answer to a request that succeeded. The request decides which other fields are set."""

    id: int
    room: str | None = None
    seats: list[Seat] | None = None
    place: ProvenPlace | None = None
    turn: int | None = None
    resumed: bool | None = None
    welcome: Welcome | None = None
    legal: Legal | None = None
    rooms: list[Card] | None = None
    log: list[LogEntry] | None = None
    replay: Replay | None = None
    now: int | None = None
    channel: Channel | None = None
    messages: list[ChatMessage] | None = None
    block_list: list[BlockListEntry] | None = None
    my_rooms: list[MyRoom] | None = None
    account: AccountState | None = None
    token: str | None = None
    secret: str | None = None
    next: str | None = None
    document: str | None = None
    lines: list[str] | None = None
    receipt: Receipt | None = None


class Error(Reply, frozen=True, kw_only=True, tag="error"):
    """The answer to a request that was refused: nothing has changed, unless section 7 says
    otherwise. Also sent for a frame that is not a request. `id` is null if it could not be read."""

    id: int | None
    code: str
    text: str
    field: str | None = None
    rule: str | None = None
    points: list[str] | None = None
    place: Place | None = None
    turn: int | None = None
    late: int | None = None
    left: int | None = None
    retry_ms: int | None = None


class Snapshot(Reply, frozen=True, kw_only=True, tag="snapshot"):
    """A whole room, after the `ok` of a `join` that was not `resumed`, and when a new epoch begins.
    Forget what you knew of the room before. `proof` belongs to the place of the state."""

    state: RoomState
    proof: str | None = None


class Event(Reply, frozen=True, kw_only=True, tag="event"):
    """An event of a room that you follow. Events come in order. Each has its place and time, the
    record as the log keeps it (JSON text), what it changed, the digest of the position after it,
    and the `proof` of its place."""

    room: str
    epoch: int
    seq: int
    chain: int
    at: int
    record: str
    diff: Diff
    digest: int
    proof: str | None = None


class Presence(Reply, frozen=True, kw_only=True, tag="presence"):
    """Who is there, sent after you join and when it changes (6.5): for each seat, whether its
    player is connected, and how many others watch. While a game runs, for an absent player: when
    they left, and when the opponent may claim the game."""

    room: str
    players: tuple[bool, bool]
    spectators: int
    gone: tuple[int | None, int | None] = (None, None)
    claim: tuple[int | None, int | None] = (None, None)


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """News from the server, at any time (1.5): `draining` (it closes this connection within
    `seconds`; connect again), `store_away` (it refuses requests that need the store; `text` says
    why), `store_back`, `room_gone` (`room` no longer exists, and you no longer follow it),
    `announcement` (`text` from the operators, about something that happens `at` a time),
    `seek_expired` (the seek with this `nonce` found nobody), `challenge_declined` (the challenge
    with this `nonce`), `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`),
    `webhook_off` (your webhook is no longer called), or `rated_from` (you have left rated games and
    can enter new ones from `at` on, 30.7)."""

    kind: str
    seconds: int | None = None
    room: str | None = None
    text: str | None = None
    at: int | None = None
    nonce: str | None = None
    challenge: str | None = None


class Chat(Reply, frozen=True, kw_only=True, tag="chat"):
    """Messages of a channel that you may read, in order (21.4): the latest after you join, then
    each new one."""

    room: str
    channel: Channel
    messages: list[ChatMessage]


class Paired(Reply, frozen=True, kw_only=True, tag="paired"):
    """Your request with this `nonce` has led to a running room in which you hold `seat`. Sent when
    the room begins, and after `hello` (23.4)."""

    nonce: str
    room: str
    seat: Seat


class Challenged(Reply, frozen=True, kw_only=True, tag="challenged"):
    """Another user challenges you to a game. Sent when they do, and after `hello` (23.10). `seat`
    is the seat that you would get (null: seats are drawn by lot)."""

    challenge: str
    user: str
    name: str
    game: str
    size: int
    control: ClockOptions | None
    seat: Seat | None
    bot: bool = False
    rated: Rated = "either"


class LobbyState(Reply, frozen=True, kw_only=True, tag="lobby"):
    """The whole lobby, after the `ok` of a `lobby` (23.6). Forget what you knew of it before."""

    seq: int
    rooms: list[LobbyRoom]
    pools: list[Pool]
    bots: int = 0
    bot_levels: list[FreeBots] = []


class LobbyChange(Reply, frozen=True, kw_only=True, tag="lobby_change"):
    """What has changed in the lobby that you watch (23.7): new or changed rooms, ids of rooms that
    are no longer listed, and new or changed pools. A pool in which nobody waits is gone."""

    seq: int
    rooms: list[LobbyRoom] = []
    gone: list[str] = []
    pools: list[Pool] = []
    bots: int | None = None
    bot_levels: list[FreeBots] | None = None


ServerMessage: TypeAlias = (
    Ok
    | Error
    | Snapshot
    | Event
    | Presence
    | Notice
    | Chat
    | Paired
    | Challenged
    | LobbyState
    | LobbyChange
)

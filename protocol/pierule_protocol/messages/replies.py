"""What a server sends: one closed union (SPEC 10).

It is read tolerantly: clients ignore what they do not know.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Place
from pierule_protocol.messages.parts import (
    AccountState,
    BlockListEntry,
    Card,
    ChatMessage,
    Legal,
    LobbyRoom,
    LogEntry,
    MyRoom,
    Pool,
    ProvenPlace,
    Replay,
    Welcome,
)
from pierule_protocol.messages.requests import Channel
from pierule_protocol.state.diff import Diff, RoomState, Seat


class Reply(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True, gc=False
):
    """A message of the server."""


class Ok(Reply, frozen=True, kw_only=True, tag="ok"):
    """A request was done. Which other fields are set depends on the request."""

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
    secret: str | None = None
    next: str | None = None
    document: str | None = None


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
    left: int | None = None
    retry_ms: int | None = None


class Snapshot(Reply, frozen=True, kw_only=True, tag="snapshot"):
    """A room as it is; what was known of it before is to be forgotten. `proof` is for the place of
    the state."""

    state: RoomState
    proof: str | None = None


class Event(Reply, frozen=True, kw_only=True, tag="event"):
    """One event of a room: its place and time, the record as the log keeps it (JSON text), what
    it changed, the digest of the position after it, and the `proof` of its place."""

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
    """Who is there: for each seat whether its player is connected, and how many watch. While a
    game runs, of a player who is not: since when, and from when on the other one may claim."""

    room: str
    players: tuple[bool, bool]
    spectators: int
    gone: tuple[int | None, int | None] = (None, None)
    claim: tuple[int | None, int | None] = (None, None)


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """News of the server itself: `draining` (it closes this connection within `seconds`; connect
    again), `store_away` (requests that need the store are refused; `text` says why), `store_back`,
    `room_gone` (`room` does not exist any more, and is no longer followed), `announcement` (the
    operators say `text`, about something that is to happen `at` a time), `seek_expired` (the seek
    that `nonce` names was in vain), `challenge_declined` (the one that `nonce` names),
    `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`), or `webhook_off`
    (nobody is called any more)."""

    kind: str
    seconds: int | None = None
    room: str | None = None
    text: str | None = None
    at: int | None = None
    nonce: str | None = None
    challenge: str | None = None


class Chat(Reply, frozen=True, kw_only=True, tag="chat"):
    """Lines of a channel that one hears, in order: the latest after joining, then each as it is
    said."""

    room: str
    channel: Channel
    messages: list[ChatMessage]


class Paired(Reply, frozen=True, kw_only=True, tag="paired"):
    """A room runs in which one holds `seat`: what one's request with this `nonce` was for."""

    nonce: str
    room: str
    seat: Seat


class Challenged(Reply, frozen=True, kw_only=True, tag="challenged"):
    """Another user asks for a game: `seat` is the one that one would have (null: it is drawn)."""

    challenge: str
    user: str
    name: str
    game: str
    size: int
    control: ClockOptions | None
    seat: Seat | None
    bot: bool = False


class LobbyState(Reply, frozen=True, kw_only=True, tag="lobby"):
    """The lobby as it is; what was known of it before is to be forgotten."""

    seq: int
    rooms: list[LobbyRoom]
    pools: list[Pool]
    bots: int = 0


class LobbyChange(Reply, frozen=True, kw_only=True, tag="lobby_change"):
    """What has changed in the lobby: rooms that are new or different, ids of those that are no
    longer listed, and pools that are new or different; one in which nobody waits is gone."""

    seq: int
    rooms: list[LobbyRoom] = []
    gone: list[str] = []
    pools: list[Pool] = []
    bots: int | None = None


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

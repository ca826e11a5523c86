"""What a server sends: one closed union (SPEC 10).

Clients read it tolerantly: they ignore what they do not know.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from pierule_games.description import Account
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Entry, Place
from pierule_protocol.messages.requests import BlockLevel, Channel
from pierule_protocol.state.diff import Diff, PositionDiff, RoomState, Seat, Status
from pierule_protocol.state.position import PositionState


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits that the server keeps and makes clients keep. 0: no limit (for a burst: 1)."""

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
    messages_kept: int = 0
    seeks_per_user: int = 0
    challenges_per_user: int = 0
    address_budget: int = 0
    address_budget_burst: int = 0
    user_budget: int = 0
    user_budget_burst: int = 0
    channel_rate: int = 0
    channel_burst: int = 0


class GameOptions(msgspec.Struct, frozen=True):
    """A game that this server can play; `draws` says whether it knows draws. `hash` names its
    document, which has the rest (26)."""

    game: str
    sizes: list[int]
    default_size: int
    draws: bool = False
    rules: list[int] = []
    hash: str = ""


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `hello`: who you are, and what this server offers.

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

    what: str
    count: int = 1
    points: list[str] = []
    first: int | None = None
    last: int | None = None
    step: int | None = None
    cell: int | None = None


class LegalRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why an action is not legal, or why no action can be put together from points: as in
    `illegal`."""

    rule: str
    points: list[str]
    text: str


class Legal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The legal actions with a prefix: how many there are; the points or words that may come next;
    the actions, if there are at most 1 000; in set-up phases, the template instead. For one action,
    or for points: 1 or 0, and why not."""

    turn: int
    total: int
    next: list[str] = []
    actions: list[str] | None = None
    template: list[LegalPart] = []
    refusal: LegalRefusal | None = None
    preview: list[tuple[int, int]] = []


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """Positions of a list of actions: the position at ply `first`, and what each action after it
    changes, at most 200. On request, also the account of the last position."""

    position: PositionState
    diffs: list[PositionDiff]
    account: Account | None = None


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """A user's name."""

    user: str
    name: str


class LogEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of a room's log, and the digest of the position after it."""

    epoch: int
    seq: int
    chain: int
    at: int
    record: str
    digest: int
    names: list[Named] = []

    @property
    def place(self) -> Place:
        """Where the entry is in the log."""
        return Place(self.epoch, self.seq, self.chain)

    @property
    def entry(self) -> Entry:
        """The entry as the log keeps it."""
        names = {named.user: named.name for named in self.names}
        return Entry(self.epoch, self.seq, self.chain, self.at, self.record, names)

    @classmethod
    def of(cls, entry: Entry, digest: int) -> LogEntry:
        """The entry in the form in which it is sent; `digest` is that of the position after it."""
        return cls(
            epoch=entry.epoch, seq=entry.seq, chain=entry.chain, at=entry.at,
            record=entry.record, digest=digest,
            names=[Named(user=user, name=name) for user, name in entry.names.items()],
        )  # fmt: skip


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
    bots: tuple[bool, bool] = (False, False)
    away: bool = False


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat message, numbered by its channel. If you have muted the user, it has neither `name`
    nor `text`."""

    seq: int
    at: int
    user: str
    name: str = ""
    text: str | None = None


class BlockListEntry(msgspec.Struct, frozen=True):
    """An entry of a block list."""

    user: str
    level: BlockLevel


class AccountState(msgspec.Struct, frozen=True, kw_only=True):
    """Your account: the name, the recovery code, which is shown only this once, and a new token."""

    name: str
    recovery: str
    token: str


class MyRoom(msgspec.Struct, frozen=True, kw_only=True):
    """A room in which you hold `seats`, and the seat whose turn it is."""

    card: Card
    seats: list[Seat]
    to_act: Seat | None


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """Users who wait for the same game, and how many they are."""

    game: str
    size: int
    control: ClockOptions | None
    waiting: int


class LobbyRoom(msgspec.Struct, frozen=True, kw_only=True):
    """A room in the lobby, and how many spectators it has."""

    card: Card
    spectators: int


class ProvenPlace(Place, frozen=True, omit_defaults=True, gc=False):
    """A place, and the server's `proof` that it has told of it. The proof is not part of the place:
    a `ProvenPlace` equals any place with the same epoch, seq and chain."""

    proof: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.place == Place(other.epoch, other.seq, other.chain)

    def __hash__(self) -> int:
        return hash(self.place)

    @property
    def place(self) -> Place:
        """Where the room is after it."""
        return Place(self.epoch, self.seq, self.chain)

    @classmethod
    def of(cls, place: Place, proof: str | None = None) -> ProvenPlace:
        return cls(place.epoch, place.seq, place.chain, proof)


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
    """A request was not done, and nothing has changed. `id` is null if it could not be read."""

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
    """A whole room. Forget what you knew of it before. `proof` is for the place of the state."""

    state: RoomState
    proof: str | None = None


class Event(Reply, frozen=True, kw_only=True, tag="event"):
    """One event of a room: its place and time, the record as the log keeps it (JSON text), what it
    changed, the digest of the position after it, and the `proof` of its place."""

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
    """Who is there: for each seat whether its player is connected, and how many others watch. While
    a game runs, for an absent player: since when, and from when on the opponent may claim the
    game."""

    room: str
    players: tuple[bool, bool]
    spectators: int
    gone: tuple[int | None, int | None] = (None, None)
    claim: tuple[int | None, int | None] = (None, None)


class Notice(Reply, frozen=True, kw_only=True, tag="notice"):
    """News of the server itself: `draining` (it closes this connection within `seconds`; connect
    again), `store_away` (requests that need the store are refused; `text` says why), `store_back`,
    `room_gone` (`room` no longer exists, and you no longer follow it), `announcement` (the
    operators say `text`, about something that happens `at` a time), `seek_expired` (the seek that
    `nonce` names found nobody), `challenge_declined` (the challenge that `nonce` names),
    `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`), or `webhook_off` (your
    webhook is no longer called)."""

    kind: str
    seconds: int | None = None
    room: str | None = None
    text: str | None = None
    at: int | None = None
    nonce: str | None = None
    challenge: str | None = None


class Chat(Reply, frozen=True, kw_only=True, tag="chat"):
    """Messages of a channel, in order: the latest after joining, then each new one."""

    room: str
    channel: Channel
    messages: list[ChatMessage]


class Paired(Reply, frozen=True, kw_only=True, tag="paired"):
    """A room runs in which you hold `seat`: the result of your request with this `nonce`."""

    nonce: str
    room: str
    seat: Seat


class Challenged(Reply, frozen=True, kw_only=True, tag="challenged"):
    """Another user challenges you to a game. `seat` is the seat that you would have (null: it is
    drawn)."""

    challenge: str
    user: str
    name: str
    game: str
    size: int
    control: ClockOptions | None
    seat: Seat | None
    bot: bool = False


class LobbyState(Reply, frozen=True, kw_only=True, tag="lobby"):
    """The whole lobby. Forget what you knew of it before."""

    seq: int
    rooms: list[LobbyRoom]
    pools: list[Pool]
    bots: int = 0


class LobbyChange(Reply, frozen=True, kw_only=True, tag="lobby_change"):
    """What has changed in the lobby: new or changed rooms, ids of rooms that are no longer listed,
    and new or changed pools. A pool in which nobody waits is gone."""

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

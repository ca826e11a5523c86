"""The parts of the server's messages: parts that several messages share, or that need a name."""

from __future__ import annotations

import msgspec

from pierule_games.description import Account
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Entry, Place, Standing
from pierule_protocol.messages.values import BlockLevel
from pierule_protocol.state.diff import PositionDiff, Seat, Status
from pierule_protocol.state.position import PositionState


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of the server, for itself and for clients. 0: no limit (for a burst: 1)."""

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
    """A game that this server can play. `hash` names its document, which tells the rest (26)."""

    game: str
    sizes: list[int]
    default_size: int
    draws: bool = False
    rules: list[int] = []
    hash: str = ""


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `hello`: who you are, and what this server offers.

    Send `token` with every later `hello` to be the same user. Keep it, and keep it secret.
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
    """A part of a set-up action: `count` pieces `what` on `points`, or a number from `first` to
    `last` in steps of `step`."""

    what: str
    count: int = 1
    points: list[str] = []
    first: int | None = None
    last: int | None = None
    step: int | None = None
    cell: int | None = None


class LegalRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why an action is not legal, or why no legal action begins with these points, as in
    `illegal`."""

    rule: str
    points: list[str]
    text: str


class Legal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The legal actions with a prefix: how many there are, the points or words that may come next,
    and the actions, if there are at most 1,000. In set-up phases, the template replaces the
    actions. If you asked about an action or points, `total` is 1 or 0, and `refusal` says why."""

    turn: int
    total: int
    next: list[str] = []
    actions: list[str] | None = None
    template: list[LegalPart] = []
    refusal: LegalRefusal | None = None
    preview: list[tuple[int, int]] = []


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of a list of actions: the position at ply `first`, and what each of at most 200
    further actions changes. On request, also the account of the last position, and what is legal
    there."""

    position: PositionState
    diffs: list[PositionDiff]
    account: Account | None = None
    legal: Legal | None = None


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
        """The entry's place in the log."""
        return Place(self.epoch, self.seq, self.chain)

    @property
    def entry(self) -> Entry:
        """The entry as the log keeps it."""
        names = {named.user: named.name for named in self.names}
        return Entry(self.epoch, self.seq, self.chain, self.at, self.record, names)

    @classmethod
    def of(cls, entry: Entry, digest: int) -> LogEntry:
        """The entry as it is sent. `digest` is that of the position after it."""
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
    rated: bool = False
    standings: tuple[Standing | None, Standing | None] = (None, None)


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chat message, with its number in its channel. If you have muted the user, it has neither
    `name` nor `text`."""

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
    """Your account: the name, a new recovery code, which the server shows only once, and a new
    token."""

    name: str
    recovery: str
    token: str


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The server's signature of a room's log up to a place. It proves that the server acknowledged
    these events (28.10). `log` is their hash (28.1)."""

    epoch: int
    seq: int
    chain: int
    log: str
    key: str
    signature: str


class MyRoom(msgspec.Struct, frozen=True, kw_only=True):
    """A room in which you hold `seats`, and the seat whose turn it is; or that the room is set
    aside, so nobody can play there now."""

    card: Card
    seats: list[Seat]
    to_act: Seat | None
    aside: bool = False


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A pool: how many users wait for the same game, size and clock."""

    game: str
    size: int
    control: ClockOptions | None
    waiting: int


class FreeBots(msgspec.Struct, frozen=True, kw_only=True):
    """A level of house bots that run here, and how many of its bots are free."""

    bot_level: str
    free: int


class LobbyRoom(msgspec.Struct, frozen=True, kw_only=True):
    """A room in the lobby, and how many spectators it has."""

    card: Card
    spectators: int


class ProvenPlace(Place, frozen=True, omit_defaults=True, gc=False):
    """A place, and the server's `proof` that it has told you this place (6.13). The proof is not
    part of the place: a `ProvenPlace` equals any place with the same epoch, seq and chain."""

    proof: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.place == Place(other.epoch, other.seq, other.chain)

    def __hash__(self) -> int:
        return hash(self.place)

    @property
    def place(self) -> Place:
        """The place without its proof."""
        return Place(self.epoch, self.seq, self.chain)

    @classmethod
    def of(cls, place: Place, proof: str | None = None) -> ProvenPlace:
        return cls(place.epoch, place.seq, place.chain, proof)

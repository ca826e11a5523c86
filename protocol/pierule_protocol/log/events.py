"""What a room's log stores: records, their places, and the chain over them (SPEC 3).

A record is JSON text. The node that appends it writes it once. The store keeps and publishes the
very same text, and nodes send it on unchanged. So to check the chain, you check these bytes, and
never need to write canonical JSON.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, Protocol, TypeAlias
from zlib import crc32

import msgspec

from pierule_protocol.log.controls import ClockOptions

What: TypeAlias = Literal["takeback", "draw", "pause", "resume", "rematch"]
"""What players can agree on (SPEC 19)."""

Outcome: TypeAlias = Literal["win", "abort"]
"""What a player may claim when the opponent is gone (SPEC 25)."""

Access: TypeAlias = Literal["public", "unlisted", "private"]
"""Who can find a room: everybody, users who know its id, or invited users."""


Rated: TypeAlias = Literal["yes", "no", "either"]
"""Whether a game is to count for ratings (SPEC 30): it must, it must not, or it may."""

Unrated: TypeAlias = Literal[
    "before",
    "wish",
    "private",
    "same_player",
    "bot",
    "guest",
    "closed",
    "voided",
    "aborted",
    "short",
]
"""Why a game does not count for ratings (SPEC 30.2)."""


class Record(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, gc=False):
    """What happened, without its place and time. Readers ignore fields that they do not know."""


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """The user in a seat. A `bot` has said that it is a bot. A `registered` user had a registered
    name when they sat down (SPEC 30.1). `standing` is their rating at that time, if they had one
    (SPEC 30.6), or the fixed rating of a bot (SPEC 30.9). In a record, `name` is empty."""

    user: str
    name: str
    bot: bool = False
    registered: bool = False
    standing: Standing | None = None


class Standing(msgspec.Struct, frozen=True):
    """A player's rating in a game and its deviation, in whole points. If the deviation exceeds 110,
    the rating is provisional (SPEC 30.5)."""

    rating: int
    deviation: int

    @property
    def interval(self) -> tuple[int, int] | None:
        """The lowest and highest likely value of a provisional rating; None for a settled one."""
        wide = 2 * self.deviation
        return (self.rating - wide, self.rating + wide) if self.deviation > 110 else None


class Created(Record, frozen=True, tag="created"):
    """The room was made. If `seat` is given, its maker sits there from the start. If `players` are
    given, they sit there, and the game starts immediately. The log keeps only a hash of a private
    room's `invitation`. Every `name` is empty (3.9). `rules` is the version of the game's rules,
    which the room keeps to its end. `rated` is what the maker wishes, or what both players agreed
    to. `registered` and `standing` describe the maker, if they sit. Rooms of earlier servers lack
    `rules`, `rated`, `registered` and `standing`."""

    game: str
    size: int
    user: str
    name: str
    nonce: str
    seat: Literal[0, 1] | None = None
    clock: ClockOptions | None = None
    access: Access = "public"
    invitation: str | None = None
    delay: int = 0
    players: tuple[Holder, Holder] | None = None
    rematch_of: str | None = None
    bot: bool = False
    rules: int = 1
    rated: Rated | None = None
    registered: bool = False
    standing: Standing | None = None


class Seated(Record, frozen=True, tag="seated"):
    """A user took a free seat. With the second seat the game starts. The `name` is empty."""

    seat: Literal[0, 1]
    user: str
    name: str
    nonce: str
    bot: bool = False
    registered: bool = False
    standing: Standing | None = None


class Acted(Record, frozen=True, tag="acted"):
    """The player of a seat played an action.

    In a room with clocks, `lag` is the round trip in milliseconds that the server measured in this
    turn, and `given` is the part of it that the player's quota covered.
    """

    seat: Literal[0, 1]
    action: str
    lag: int = 0
    given: int = 0


class Resigned(Record, frozen=True, tag="resigned"):
    """The player of a seat resigned."""

    seat: Literal[0, 1]
    nonce: str


class Flagged(Record, frozen=True, tag="flagged"):
    """The time of a seat ran out."""

    seat: Literal[0, 1]


class Aborted(Record, frozen=True, tag="aborted"):
    """The game did not begin in time, or was abandoned, or a player who had not acted yet aborted
    it. Nobody loses."""

    seat: Literal[0, 1] | None = None
    nonce: str | None = None


class Offered(Record, frozen=True, tag="offered"):
    """The player of a seat offered something."""

    seat: Literal[0, 1]
    what: What
    nonce: str


class Declined(Record, frozen=True, tag="declined"):
    """The player of a seat declined the opponent's offer."""

    seat: Literal[0, 1]
    what: What
    nonce: str


class Withdrawn(Record, frozen=True, tag="withdrawn"):
    """The player of a seat took an offer back."""

    seat: Literal[0, 1]
    what: What
    nonce: str


class TakenBack(Record, frozen=True, tag="taken_back"):
    """The player of a seat let the opponent take back the latest action."""

    seat: Literal[0, 1]
    nonce: str


class Drawn(Record, frozen=True, tag="drawn"):
    """The player of a seat accepted a draw."""

    seat: Literal[0, 1]
    nonce: str


class Paused(Record, frozen=True, tag="paused"):
    """The player of a seat accepted a pause: the clocks stand still."""

    seat: Literal[0, 1]
    nonce: str


class Resumed(Record, frozen=True, tag="resumed"):
    """The clocks go on, because the player of a seat accepted that, or because the pause reached
    its longest time (no seat)."""

    seat: Literal[0, 1] | None = None
    nonce: str | None = None


class Rematching(Record, frozen=True, tag="rematching"):
    """The player of a seat accepted a rematch: its room is about to be made."""

    seat: Literal[0, 1]
    nonce: str


class Rematched(Record, frozen=True, tag="rematched"):
    """The room of the rematch exists now. `seat` is that of the player who accepted."""

    seat: Literal[0, 1]
    nonce: str
    room: str


class Claimed(Record, frozen=True, tag="claimed"):
    """The player of a seat ended the game, as a win or without a winner, because the opponent had
    been gone for at least `bound` ms, since `gone` by the store's time."""

    seat: Literal[0, 1]
    outcome: Outcome
    gone: int
    bound: int
    nonce: str


class Closed(Record, frozen=True, tag="closed"):
    """The operators ended the room, or voided the result of a room that was over; or the server
    ended it, because an address had too many unfinished games (SPEC 9.11). `by` says which, and
    `text` tells everybody why."""

    text: str
    by: str = "operators"


class Credited(Record, frozen=True, tag="credited"):
    """The store or all nodes were away from `lost_from` to `lost_to`. The running clock gets the
    part back that fell into the present turn."""

    lost_from: int
    lost_to: int


class Renewed(Record, frozen=True, tag="renewed"):
    """The store lost the end of the log. A new epoch begins with what is left (SPEC 3.2)."""


Agreement: TypeAlias = TakenBack | Drawn | Paused | Resumed | Rematching
"""What an accepted offer leads to."""

AGREEMENTS: dict[What, type[Agreement]] = {
    "takeback": TakenBack,
    "draw": Drawn,
    "pause": Paused,
    "resume": Resumed,
    "rematch": Rematching,
}

AgreementRecord: TypeAlias = Offered | Declined | Withdrawn | Agreement | Rematched
"""Records of offers and agreements between the players."""

AnyRecord: TypeAlias = (
    Created
    | Seated
    | Acted
    | Resigned
    | Flagged
    | Aborted
    | Claimed
    | Closed
    | Credited
    | Renewed
    | AgreementRecord
)

encode_record = msgspec.json.Encoder().encode
_records: msgspec.json.Decoder[AnyRecord] = msgspec.json.Decoder(AnyRecord)


def without_names(record: AnyRecord) -> tuple[AnyRecord, dict[str, str]]:
    """The record as logs keep it, without names, and the names to keep beside it (see `Entry`)."""
    replace = msgspec.structs.replace
    match record:
        case Created(players=(first, second)):
            holders = replace(first, name=""), replace(second, name="")
            names = {first.user: first.name, second.user: second.name}
            return replace(record, name="", players=holders), names
        case Created(seat=None):
            return replace(record, name=""), {}
        case Created() | Seated():
            return replace(record, name=""), {record.user: record.name}
    return record, {}


def decode_record(text: str) -> AnyRecord:
    """The record in `text`. Raises `msgspec.DecodeError` if it is not a known record."""
    return _records.decode(text)


class Place(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where a log is after an event: `epoch` names the life of the log, `seq` counts its events
    from 1, and `chain` is the CRC over all of them."""

    epoch: int
    seq: int
    chain: int


EMPTY = Place(0, 0, 0)
"""The place of a log that does not exist yet."""

EPOCH = 1
"""The first epoch of every log."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event as the log keeps it: its place, its time in the store's milliseconds since 1970, and
    its record as JSON text.

    `names` has the names of the users that the entry seats. The chain does not cover them, so a
    server can forget a user's name without changing the log (SPEC 24.4). If `names` lacks a user,
    the record has the name, as in logs of earlier servers.
    """

    epoch: int
    seq: int
    chain: int
    at: int
    record: str
    names: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def place(self) -> Place:
        return Place(self.epoch, self.seq, self.chain)


class Linked(Protocol):
    """Anything that carries an entry's place, time and record: an entry of a log, or an event on
    the wire."""

    @property
    def epoch(self) -> int: ...
    @property
    def seq(self) -> int: ...
    @property
    def chain(self) -> int: ...
    @property
    def at(self) -> int: ...
    @property
    def record(self) -> str: ...


def chain_record(previous: int, epoch: int, seq: int, record: bytes) -> int:
    """The first part of `chain`: all but the time, which the store adds."""
    return crc32(b"%d %d %b " % (epoch, seq, record), previous)


def chain(previous: int, epoch: int, seq: int, record: bytes, at: int) -> int:
    """The chain after an event: the CRC-32, continued from `previous`, of the bytes
    `EPOCH SEQ RECORD AT` (decimal numbers, single spaces; SPEC 3.4)."""
    return crc32(b"%d %d %b %d" % (epoch, seq, record, at), previous)


def line_of(event: Linked) -> bytes:
    """The bytes that the chain covers for an event: `EPOCH SEQ RECORD AT` (SPEC 3.4)."""
    return f"{event.epoch} {event.seq} {event.record} {event.at}".encode()


class Step(Enum):
    """How an event relates to the place that the reader knows (law 6)."""

    NEXT = "next"
    DUPLICATE = "duplicate"
    HOLE = "hole"
    FORK = "fork"
    """It follows a past that differs from the known one."""


def step(known: Place, entry: Linked) -> Step:
    """Whether an event follows `known`, is a duplicate, comes after a hole, or forks off."""
    if entry.epoch < known.epoch:
        return Step.DUPLICATE
    if entry.seq > known.seq + 1:
        return Step.HOLE
    if entry.seq <= known.seq:
        same = entry.epoch == known.epoch and (entry.seq < known.seq or entry.chain == known.chain)
        return Step.DUPLICATE if same else Step.FORK
    expected = chain(known.chain, entry.epoch, entry.seq, entry.record.encode(), entry.at)
    return Step.NEXT if entry.chain == expected else Step.FORK

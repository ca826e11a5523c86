"""What a room's log stores: records, their places, and the chain over them (SPEC 3).

A record is JSON text. The node that appends it writes it once; it is kept, published and sent on as
the very same text. To check the chain, you check the bytes that were kept, and never need to write
JSON in a canonical way.
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
"""What a player may claim whose opponent is gone (SPEC 25)."""

Access: TypeAlias = Literal["public", "unlisted", "private"]
"""Who finds a room: everybody, users who know its id, or users who were invited."""


Rated: TypeAlias = Literal["yes", "no", "either"]
"""Whether a game is to count for ratings (SPEC 30): it must, it must not, or it does if it can."""

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
    """The user in a seat. A `bot` has said that it is a bot. A `registered` user had a name of
    their own when they sat down (SPEC 30.1); `standing` is their rating at that time, if they had
    one (SPEC 30.6), or the fixed one of a bot (SPEC 30.9). In a record the `name` is empty."""

    user: str
    name: str
    bot: bool = False
    registered: bool = False
    standing: Standing | None = None


class Standing(msgspec.Struct, frozen=True):
    """A player's rating in a game and its deviation, in whole points. With a deviation of more than
    110 the rating is provisional (SPEC 30.5)."""

    rating: int
    deviation: int

    @property
    def interval(self) -> tuple[int, int] | None:
        """Between which numbers a provisional rating lies; None if it is not provisional."""
        wide = 2 * self.deviation
        return (self.rating - wide, self.rating + wide) if self.deviation > 110 else None


class Created(Record, frozen=True, tag="created"):
    """The room was made. If `seat` is given, its maker sits there from the start; if `players` are
    given, both of them do, and the game starts at once. The secret that a private room's guests
    need is kept only as a hash. Every `name` is empty: see `Entry`. `rules` is the version of the
    game's rules by which the room is played to its end. `rated` is the maker's wish, or what both
    players agree with; `registered` and `standing` are the maker's if they sit. Rooms of earlier
    servers have none of these."""

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

    On a clock, `lag` is the round trip that the server measured in this turn, in milliseconds,
    and `given` the part of it that the player's quota covered.
    """

    seat: Literal[0, 1]
    action: str
    lag: int = 0
    given: int = 0


class Resigned(Record, frozen=True, tag="resigned"):
    """The player of a seat gave the game up."""

    seat: Literal[0, 1]
    nonce: str


class Flagged(Record, frozen=True, tag="flagged"):
    """The time of a seat was up."""

    seat: Literal[0, 1]


class Aborted(Record, frozen=True, tag="aborted"):
    """The game did not begin in time, or was abandoned, or a player who had not acted yet aborted
    it. Nobody has lost."""

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
    """The clocks go on, because the player of a seat accepted that, or because the pause was over
    (no seat)."""

    seat: Literal[0, 1] | None = None
    nonce: str | None = None


class Rematching(Record, frozen=True, tag="rematching"):
    """The player of a seat accepted a rematch: its room is about to be made."""

    seat: Literal[0, 1]
    nonce: str


class Rematched(Record, frozen=True, tag="rematched"):
    """The room of the rematch that the player of a seat accepted exists now."""

    seat: Literal[0, 1]
    nonce: str
    room: str


class Claimed(Record, frozen=True, tag="claimed"):
    """The player of a seat ended the game, as a win or without a winner, because the opponent had
    been gone since `gone` (the store's ms) and for `bound` ms."""

    seat: Literal[0, 1]
    outcome: Outcome
    gone: int
    bound: int
    nonce: str


class Closed(Record, frozen=True, tag="closed"):
    """The operators have ended the room, or voided the result of a room that had ended. `text`
    tells everybody why."""

    text: str


class Credited(Record, frozen=True, tag="credited"):
    """The store or all nodes were away between two times of the store. The running clock gets back
    the part that fell into the present turn."""

    lost_from: int
    lost_to: int


class Renewed(Record, frozen=True, tag="renewed"):
    """The store lost the end of the log; a new epoch begins with what was left (SPEC 3.2)."""


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
"""What happens between the players."""

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
    """The record as logs keep it, and the names that are kept beside it (see `Entry`)."""
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
    """The record that `text` holds. Raises `msgspec.DecodeError` if it holds no known record."""
    return _records.decode(text)


class Place(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where a log is after an event: `epoch` names its life, `seq` counts its events from 1 and
    `chain` is the CRC over all of them."""

    epoch: int
    seq: int
    chain: int


EMPTY = Place(0, 0, 0)
"""The place of a log that does not exist yet."""

EPOCH = 1
"""The first epoch of every log."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event as the log keeps it: its place, its time in the store's milliseconds since 1970,
    and its record as JSON text.

    `names` gives the names of the users whom the entry seats. The chain does not cover them, so
    that a user's name can be forgotten while the log stays the same (SPEC 24.4). If `names` lacks a
    user, the record has the name: logs of earlier servers are like that.
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
    """The first half of `chain`: all but the time, which only the store knows."""
    return crc32(b"%d %d %b " % (epoch, seq, record), previous)


def chain(previous: int, epoch: int, seq: int, record: bytes, at: int) -> int:
    """The chain after an event: CRC-32, carried on from `previous`, over the bytes
    `EPOCH SEQ RECORD AT` (decimal numbers, single spaces; SPEC 3)."""
    return crc32(b"%d %d %b %d" % (epoch, seq, record, at), previous)


def line_of(event: Linked) -> bytes:
    """The bytes that the chain covers for an event: `EPOCH SEQ RECORD AT` (SPEC 3.4)."""
    return f"{event.epoch} {event.seq} {event.record} {event.at}".encode()


class Step(Enum):
    """How an event relates to the place that is known (law 6)."""

    NEXT = "next"
    DUPLICATE = "duplicate"
    HOLE = "hole"
    FORK = "fork"
    """It belongs to another past than the known one."""


def step(known: Place, entry: Linked) -> Step:
    """Whether an event follows `known`, was seen already, or shows that something is missing."""
    if entry.epoch < known.epoch:
        return Step.DUPLICATE
    if entry.seq > known.seq + 1:
        return Step.HOLE
    if entry.seq <= known.seq:
        same = entry.epoch == known.epoch and (entry.seq < known.seq or entry.chain == known.chain)
        return Step.DUPLICATE if same else Step.FORK
    expected = chain(known.chain, entry.epoch, entry.seq, entry.record.encode(), entry.at)
    return Step.NEXT if entry.chain == expected else Step.FORK

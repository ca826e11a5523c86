"""A whole room as a JSON record. `pierule export` writes it, and `pierule verify` reads it.

Only the room's id and the events count. `verify` checks that the rest follows from them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Holder, Place, Unrated
from pierule_protocol.messages import (
    ClockState,
    LogEntry,
    Result,
    RoomState,
    Status,
)
from pierule_protocol.state.position import position_text

FORMAT: Literal["pierule.room"] = "pierule.room"
VERSION: Literal[1] = 1

Hash: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Signature: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{128}$(?!\n)")]
KeyId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$(?!\n)")]

_T = TypeVar("_T")

RECORD_BYTES = 1 << 26
"""The largest record that `read_as` accepts. A game of thousands of turns is far smaller."""


class RoomOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The choices made when the room was created; `control` is null in a room without clocks."""

    game: str
    size: int
    control: ClockOptions | None


class FinalState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The room after the last event: the event's place, which shows if the last events are missing;
    the status; the result (null: none yet); the position's text (SPEC 5.3); the clocks (SPEC 9.7;
    null: none); and why the game does not count for ratings (SPEC 30.2). Records of earlier servers
    lack `unrated`."""

    place: Place
    status: Status
    result: Result | None
    position: str
    clock: ClockState | None
    unrated: Unrated | msgspec.UnsetType | None = msgspec.UNSET


class Proof(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signature of a server that archived a game or acknowledged its events, and the id of its
    key (SPEC 28)."""

    key: KeyId
    signature: Signature


class RoomRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A room, running or over: its options, the players, all events as the log keeps them (times in
    the store's milliseconds since 1970), and the final state. A record from an archive also has its
    number and a proof. A record may have a receipt, if you asked the server for one."""

    format: Literal["pierule.room"]
    version: Literal[1]
    room: str
    options: RoomOptions
    seats: tuple[Holder | None, Holder | None]
    events: list[LogEntry]
    final: FinalState
    feed: int | msgspec.UnsetType = msgspec.UNSET
    proof: Proof | msgspec.UnsetType = msgspec.UNSET
    receipt: Proof | msgspec.UnsetType = msgspec.UNSET


class Amendment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about an archived game after its end: its result is void. `log` names the game
    (SPEC 28.2). `text` tells why, and no signature covers it."""

    format: Literal["pierule.amendment"]
    version: Literal[1]
    room: str
    log: Hash
    kind: Literal["void"]
    at: int
    text: str
    feed: int | msgspec.UnsetType = msgspec.UNSET
    proof: Proof | msgspec.UnsetType = msgspec.UNSET


class BadRecord(Exception):
    """The bytes are not a record; the text says why."""


def record_of(state: RoomState, log: list[LogEntry]) -> RoomRecord:
    """The record of a room whose state is `state` after the last event of `log`."""
    position = state.position
    return RoomRecord(
        format=FORMAT,
        version=VERSION,
        room=state.room,
        options=RoomOptions(game=position.game, size=position.size, control=state.control),
        seats=state.seats,
        events=log,
        final=FinalState(
            place=state.place,
            status=state.status,
            result=state.result,
            position=position_text(position),
            clock=state.clock,
            unrated=state.unrated,
        ),
    )


def write_record(record: RoomRecord) -> bytes:
    """The record as indented JSON. Equal records give equal bytes."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def read_record(data: bytes) -> RoomRecord:
    """The record in these bytes. Raises BadRecord."""
    return read_as(data, RoomRecord)


def read_amendment(data: bytes) -> Amendment:
    """The amendment in these bytes. Raises BadRecord."""
    return read_as(data, Amendment)


def read_as(data: bytes, kind: type[_T]) -> _T:
    """The value of this type in these bytes of JSON. Raises BadRecord."""
    if len(data) > RECORD_BYTES:
        raise BadRecord(f"it has more than {RECORD_BYTES} bytes")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadRecord(str(error)) from None

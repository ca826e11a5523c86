"""A whole room as one JSON record: `pierule export` writes it and `pierule verify` reads it.

Only the events count. The rest of the record follows from them, except for the room's id, and
`verify` checks that it does.
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
"""The largest record that is read. Thousands of turns come nowhere near it."""


class RoomOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The choices made when the room was created; `control` is null in a room without clocks."""

    game: str
    size: int
    control: ClockOptions | None


class FinalState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The room after the last event: the place of that event, so that a missing last event is
    noticed like any other; the status, the result (null while there is none), the position's text
    (SPEC 5.3), the clocks (SPEC 9.7; null without), and why the game does not count for ratings
    (SPEC 30.2). Records of earlier servers leave the last out."""

    place: Place
    status: Status
    result: Result | None
    position: str
    clock: ClockState | None
    unrated: Unrated | msgspec.UnsetType | None = msgspec.UNSET


class Proof(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signature of the server that archived a game, or acknowledged its events, and the id of
    its key (SPEC 28)."""

    key: KeyId
    signature: Signature


class RoomRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A room, running or over: its options, the players, all events as the log keeps them (times in
    the store's milliseconds since 1970), and the final state; from an archive also its number and a
    proof; with a receipt, if the server was asked for one."""

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
    """What was decided about an archived game after its end: its result is void. `log` names the
    game (SPEC 28.2). No signature covers `text`, which tells why."""

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
    """The bytes are no record; the text says why."""


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
    """The record as JSON for people and programs; equal records give equal bytes."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def read_record(data: bytes) -> RoomRecord:
    """The record that the bytes hold. Raises BadRecord."""
    return read_as(data, RoomRecord)


def read_amendment(data: bytes) -> Amendment:
    """The amendment that the bytes hold. Raises BadRecord."""
    return read_as(data, Amendment)


def read_as(data: bytes, kind: type[_T]) -> _T:
    """What the bytes hold, which is to be of this kind. Raises BadRecord."""
    if len(data) > RECORD_BYTES:
        raise BadRecord(f"longer than {RECORD_BYTES} bytes")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadRecord(str(error)) from None

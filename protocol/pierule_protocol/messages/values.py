"""Types of the values in requests. Every text and every number has a bound (law 10)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

RequestId: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
# Python's `$` also matches before a line break at the end; the lookahead forbids that.
RoomId: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z]{1,32}$(?!\n)")]
Nonce: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$(?!\n)")]
UserId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
UserName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=24)]
Delay: TypeAlias = Annotated[int, Meta(ge=0, le=50)]
Secret: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{16,64}$(?!\n)")]
Token: TypeAlias = Annotated[str, Meta(max_length=8192)]
Turn: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Uint32: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
MOST_PROOF = 64
"""The most characters of a proof."""
Proof: TypeAlias = Annotated[str, Meta(max_length=MOST_PROOF)]
ActionText: TypeAlias = Annotated[str, Meta(max_length=64)]
PointText: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z][0-9]{1,2}$(?!\n)")]
MessageText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=300)]
MessageNumber: TypeAlias = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Channel: TypeAlias = Literal["players", "spectators"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
BlockLevel: TypeAlias = Literal["mute", "block"]
ListedStatus: TypeAlias = Literal["open", "running"]
FreeSeat: TypeAlias = Literal[0, 1, "any"]
BotLevel: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,23}$(?!\n)")]
Cursor: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
Problem: TypeAlias = Literal["mismatch", "desync"]
REPORTED: tuple[Problem, ...] = get_args(Problem)


class Since(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The last event that the client has. It wants to go on from there. `proof` is the proof that
    came with that place."""

    epoch: Uint32
    seq: Uint32
    chain: Uint32
    proof: Proof | None = None


class LineQuestion(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What you want to know about the position after the last action, as with `legal` about a
    room."""

    prefix: ActionText = ""
    action: ActionText = ""
    points: Annotated[list[PointText], Meta(max_length=16)] = []


class RatingRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many points weaker or stronger an opponent may be (null: any number; 23.22)."""

    below: Annotated[int, Meta(ge=0, le=2_000)] | None
    above: Annotated[int, Meta(ge=0, le=2_000)] | None

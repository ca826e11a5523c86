"""A room's state as clients see it, and what an event changes in it (SPEC 4)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from pierule_games.game import Winner
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Access, Holder, Place, Rated, Unrated, What
from pierule_protocol.state.position import PositionState

Seat: TypeAlias = Literal[0, 1]
Status: TypeAlias = Literal["open", "running", "over"]


class Result(msgspec.Struct, frozen=True):
    """How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a
    draw), `left` (a player was gone, and the opponent claimed the game), `aborted` (by a player, or
    because it did not begin in time or was abandoned), `closed` (by the operators, or by the
    server as in SPEC 9.11), or `voided` (by the operators, after its end). The last three have no
    winner."""

    winner: Winner | None
    reason: str


class HandState(msgspec.Struct, frozen=True):
    """What a seat had left when its last turn ended: main time and lag quota in milliseconds, and
    the number of periods."""

    main: int
    periods: int
    quota: int


class ClockState(msgspec.Struct, frozen=True, kw_only=True):
    """Both clocks: the seat whose turn it is, when its turn began, its deadline, and since when the
    clocks are paused. All times are the store's, in milliseconds since 1970."""

    hands: tuple[HandState, HandState]
    running: Seat | None
    started: int
    deadline: int | None
    paused: int | None = None


class RoomState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a client sees of a room. `ply` is the length of `actions`."""

    room: str
    epoch: int
    seq: int
    chain: int
    at: int
    digest: int
    status: Status
    seats: tuple[Holder | None, Holder | None]
    turn: int
    ply: int
    actions: list[str]
    position: PositionState
    control: ClockOptions | None = None
    clock: ClockState | None = None
    result: Result | None = None
    offers: tuple[What | None, What | None] = (None, None)
    access: Access = "public"
    delay: int = 0
    rematch_of: str | None = None
    rematch: str | None = None
    rules: int = 1
    rated: Rated | None = None
    unrated: Unrated | None = None

    @property
    def place(self) -> Place:
        """The place of the latest event in this state."""
        return Place(self.epoch, self.seq, self.chain)


class PositionDiff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The fields of a position that an event changed. `cells` has (index, value) pairs."""

    phase: str | UnsetType = UNSET
    to_act: Seat | UnsetType | None = UNSET
    black: Seat | UnsetType | None = UNSET
    komi: int | UnsetType | None = UNSET
    passes: int | UnsetType = UNSET
    score: tuple[int, int] | UnsetType = UNSET
    winner: Winner | UnsetType | None = UNSET
    cells: list[tuple[int, int]] | UnsetType = UNSET


class Diff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What an event changed. New `actions` end at the new `ply`: keep the first
    `ply - len(actions)` old actions, and append the new ones."""

    status: Status | UnsetType = UNSET
    seats: tuple[Holder | None, Holder | None] | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    ply: int | UnsetType = UNSET
    actions: list[str] | UnsetType = UNSET
    position: PositionDiff | UnsetType = UNSET
    clock: ClockState | UnsetType | None = UNSET
    result: Result | UnsetType | None = UNSET
    offers: tuple[What | None, What | None] | UnsetType = UNSET
    rematch: str | UnsetType | None = UNSET
    unrated: Unrated | UnsetType | None = UNSET

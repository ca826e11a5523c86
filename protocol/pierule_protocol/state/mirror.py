"""How a client without rules follows a room: by a snapshot, then diff by diff (laws 6 and 13).

Pure: the caller decides what to do about a hole or a fork (SPEC 6).
"""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec import UNSET

from pierule_games.clock import Clock, Hand, Left
from pierule_protocol.log.controls import control
from pierule_protocol.log.events import Step, step
from pierule_protocol.messages import Diff, Event, PositionDiff, RoomState, Seat
from pierule_protocol.state.position import PositionState, digest, position_text


class Trouble(Enum):
    """Why an event was not applied."""

    DUPLICATE = "duplicate"
    """The state includes it already: ignore it."""
    HOLE = "hole"
    """Events before it are missing: ask for them."""
    FORK = "fork"
    """It does not continue the known log: ask for a snapshot."""
    MISMATCH = "mismatch"
    """The position after it differs from the server's: ask for a snapshot."""


_TROUBLES = {
    Step.DUPLICATE: Trouble.DUPLICATE,
    Step.HOLE: Trouble.HOLE,
    Step.FORK: Trouble.FORK,
}


def advance(state: RoomState, event: Event) -> RoomState | Trouble:
    """The room's state after an event, or why the event cannot be applied to `state`."""
    trouble = _TROUBLES.get(step(state.place, event))
    if trouble is not None:
        return trouble
    try:
        after = apply_diff(state, event.diff)
        found = digest(position_text(after.position))
    except (IndexError, ValueError):  # a cell or value that no board has
        return Trouble.MISMATCH
    if found != event.digest:
        return Trouble.MISMATCH
    return msgspec.structs.replace(
        after,
        epoch=event.epoch,
        seq=event.seq,
        chain=event.chain,
        at=event.at,
        digest=event.digest,
    )


def apply_diff(state: RoomState, diff: Diff) -> RoomState:
    """The state after the changes in `diff`. It keeps the place of `state`. Raises IndexError for a
    cell that the board lacks."""
    changes = _carried(diff)
    if diff.actions is not UNSET:
        ply = state.ply if diff.ply is UNSET else diff.ply
        changes["actions"] = state.actions[: ply - len(diff.actions)] + diff.actions
    elif diff.ply is not UNSET:
        changes["actions"] = state.actions[: diff.ply]
    if diff.position is not UNSET:
        changes["position"] = apply_position(state.position, diff.position)
    return msgspec.structs.replace(state, **changes)


def apply_position(position: PositionState, diff: PositionDiff) -> PositionState:
    """The position after the changes in `diff`. Raises IndexError if the board lacks a cell."""
    changes = _carried(diff)
    if diff.cells is not UNSET:
        cells = position.cells.copy()
        for index, value in diff.cells:
            if index < 0:  # Python would count from the end
                raise IndexError(f"no board has a cell {index}")
            cells[index] = value
        changes["cells"] = cells
    return msgspec.structs.replace(position, **changes)


def _carried(diff: Diff | PositionDiff) -> dict[str, object]:
    return {
        name: value
        for name in diff.__struct_fields__
        if (value := getattr(diff, name)) is not UNSET
    }


def consistent(state: RoomState) -> bool:
    """Whether a snapshot's digest is that of its position."""
    return digest(position_text(state.position)) == state.digest


def time_left(state: RoomState, seat: Seat, now: int) -> Left | None:
    """What a seat's clock shows at `now`, in the store's milliseconds (SPEC 9.7); None in a room
    without clocks."""
    if state.control is None or state.clock is None:
        return None
    first, second = (Hand(hand.main, hand.periods, hand.quota) for hand in state.clock.hands)
    clock = Clock(
        control(state.control), (first, second), state.clock.running, state.clock.started,
        paused=state.clock.paused,
    )  # fmt: skip
    return clock.left(seat, now)

"""The terms on which the store appends an entry. A decision makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from pierule_protocol.messages import Seat


@dataclass(frozen=True, slots=True)
class Deadline:
    """What the entry does to the room's deadline: `keep` leaves it, `in` sets it `ms` milliseconds
    after the entry's time, `by` moves it by `ms`. `idle` is like `in`, but no clock runs, so an
    outage gives nothing back. `none` takes it away: the room is over and waits for the archive.
    `void` is like `keep`, in a room that is over, and tells the archive of the room again."""

    rule: Literal["none", "keep", "in", "by", "idle", "void"]
    ms: int = 0


KEEP_CARD = b"="
"""Stands in place of a card: listings go on showing the room as they do."""


NO_DEADLINE = Deadline("none")


KEEP_DEADLINE = Deadline("keep")


VOID_RESULT = Deadline("void")


Timing = Literal["any", "in_time", "due"]
"""When an entry may be appended: at any time, up to the room's deadline, or after it."""


@dataclass(frozen=True, slots=True)
class Absence:
    """The player of a seat was last seen at `seen`, and the opponent waits until `until`; both in
    the store's milliseconds."""

    seat: Seat
    seen: int
    until: int


@dataclass(frozen=True, slots=True)
class Outage:
    """Time during which no node served a room, in the store's milliseconds."""

    lost_from: int
    lost_to: int


class AppendOptions(msgspec.Struct, frozen=True, gc=False):
    """Conditions for an append, and its effects outside the log.

    `card` is what listings show of the room from now on; None takes the room out of them,
    `KEEP_CARD` changes nothing. `deadline` says what happens to the room's deadline; `timing` says
    whether the entry must come before or after it. With `epoch` the entry begins that epoch, which
    must be later than the log's. With `credit` the entry gives back exactly that outage. With
    `absence` the store appends only if that absence still holds. `names` are kept beside the record
    (`Entry.names`).
    """

    card: bytes | None = None
    deadline: Deadline = KEEP_DEADLINE
    timing: Timing = "any"
    epoch: int | None = None
    names: dict[str, str] = msgspec.field(default_factory=dict)
    credit: Outage | None = None
    absence: Absence | None = None

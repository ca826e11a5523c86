"""On what terms an entry is appended: decisions say it, the store keeps to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from pierule_protocol.messages import Seat


@dataclass(frozen=True, slots=True)
class Deadline:
    """What becomes of a room's deadline: `keep`, `in` so many milliseconds from the entry's time,
    moved `by` so many; `idle`: in so many, but not on a clock, so that no outage is given back;
    `none`: the room is over, and waits for the archive; `void`: as `keep`, in a room that is over,
    of which the archive is to learn once more."""

    rule: Literal["none", "keep", "in", "by", "idle", "void"]
    ms: int = 0


KEEP_CARD = b"="
"""Instead of a card: listings show the room as they did, where they did."""


NO_DEADLINE = Deadline("none")


KEEP_DEADLINE = Deadline("keep")


VOID_RESULT = Deadline("void")


Timing = Literal["any", "in_time", "due"]
"""When an entry may be appended: at any time, up to the room's deadline, or after it."""


@dataclass(frozen=True, slots=True)
class Absence:
    """That the player of a seat was last seen at `seen`, and is awaited until `until`, in the
    store's milliseconds."""

    seat: Seat
    seen: int
    until: int


@dataclass(frozen=True, slots=True)
class Outage:
    """Time that was lost to a room, from and to, in the store's milliseconds."""

    lost_from: int
    lost_to: int


class AppendOptions(msgspec.Struct, frozen=True, gc=False):
    """On what terms an entry is appended, and what follows from it.

    `card` is what listings show of the room from now on; None takes it out of them, `KEEP_CARD`
    changes nothing there. `deadline` says what becomes of the room's deadline, `timing` how the
    entry must stand to the one that it has. With `epoch` the entry begins that one, which must be
    later than the log's; with `credit` it gives back just that; with `absence` it is kept only if
    that holds in the same moment. `names` are kept beside the record (`Entry.names`).
    """

    card: bytes | None = None
    deadline: Deadline = KEEP_DEADLINE
    timing: Timing = "any"
    epoch: int | None = None
    names: dict[str, str] = msgspec.field(default_factory=dict)
    credit: Outage | None = None
    absence: Absence | None = None

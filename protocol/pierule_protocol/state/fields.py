"""What every field of a room's state and of its changes means, in words (SPEC 4)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "RoomState": {
        "seq": "the number of the latest event in this state",
        "at": "the time of that event, in ms since 1970",
        "actions": "the actions that stand, in order",
        "position": "the position (5.1)",
    },
    "PositionState": {"cells": "the board, `size * size` values (5.2)"},
    "ClockState": {
        "hands": "what seat 0 and seat 1 had left when their last turns ended",
        "running": "the seat whose turn it is; null if no clock runs",
        "started": "when that turn began, in ms since 1970",
        "deadline": "the last moment at which its action counts, in ms since 1970; in a pause, the "
        "moment when the clocks go on by themselves; null: no clock runs",
        "paused": "since when the clocks stand still (19.6), in ms since 1970; null: no pause",
    },
    "HandState": {
        "main": "main time, in ms",
        "periods": "periods left",
        "quota": "lag quota, in ms (9.5)",
    },
    "Result": {
        "reason": "`played`, `resigned`, `flagged`, `agreed`, `left`, `aborted`, `closed`, "
        "`voided`; later versions may have more",
    },
    "Diff": {
        "actions": "new actions, which end at the new `ply` (4.2)",
        "position": "the changed fields of the position",
    },
    "PositionDiff": {"cells": "changed cells, as pairs of index and value"},
}

"""What the players of a room offer each other, in words."""

from __future__ import annotations

from collections.abc import Collection

from pierule.terminal.scene import called
from pierule_protocol.events import (
    AnyRecord,
    Declined,
    Offered,
    Paused,
    Resumed,
    TakenBack,
    What,
    Withdrawn,
)
from pierule_protocol.messages import RoomState, Seat

WORDS: dict[What, str] = {
    "takeback": "to take back the latest action",
    "draw": "a draw",
    "pause": "a pause",
    "resume": "to go on",
    "rematch": "a rematch",
}


def tell_offer(record: AnyRecord | None, state: RoomState, mine: Collection[Seat]) -> list[str]:
    """What has happened between the players; nothing for records of other kinds."""
    match record:
        case Offered(seat=seat, what=what):
            answer = "" if seat in mine else "; type accept or decline"
            return [f"-- {called(state, seat)} offers {WORDS[what]}{answer}"]
        case Declined(seat=seat, what=what):
            return [f"-- {called(state, seat)} declines {WORDS[what]}"]
        case Withdrawn(seat=seat, what=what):
            return [f"-- {called(state, seat)} no longer offers {WORDS[what]}"]
        case TakenBack():
            return [f"-- taken back: ply {state.ply} again"]
        case Paused():
            return ["-- the clocks stand still; type resume to ask to go on"]
        case Resumed():
            return ["-- the clocks go on"]
    return []

"""Messages about offers between the players of a room, and answers to offers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

import pierule
from pierule_protocol.log.events import (
    AnyRecord,
    Closed,
    Declined,
    Offered,
    Paused,
    Resumed,
    TakenBack,
    What,
    Withdrawn,
)
from pierule_protocol.messages import RoomState, Seat
from pierule_terminal.scene import called
from pierule_terminal.screen import clean

Answer: TypeAlias = Literal["accept", "decline", "withdraw"]

WORDS: dict[What, str] = {
    "takeback": "to take back the latest action",
    "draw": "a draw",
    "pause": "a pause",
    "resume": "to go on",
    "rematch": "a rematch",
}

NO_OFFER = "there is no such offer"


def tell_offer(
    record: AnyRecord | None,
    state: RoomState,
    mine: Collection[Seat],
    how: str = "type accept or decline",
) -> list[str]:
    """Messages about a record of an offer, an agreement or the operators; none for other kinds.
    `how` tells the player who gets an offer what to do."""
    match record:
        case Offered(seat=seat, what=what):
            return [_offered(state, seat, what, mine, how)]
        case Declined(seat=seat, what=what):
            return [f"-- {called(state, seat)} declines {WORDS[what]}"]
        case Withdrawn(seat=seat, what=what):
            return [f"-- {called(state, seat)} no longer offers {WORDS[what]}"]
        case TakenBack():
            return [f"-- taken back: the game is at ply {state.ply} again"]
        case Paused():
            return ["-- the clocks are paused; type resume to offer to go on"]
        case Resumed():
            return ["-- the clocks go on"]
        case Closed(text=text):
            return [f"-- the operators: {clean(text)}"]
    return []


def tell_standing(
    state: RoomState, mine: Collection[Seat], how: str = "type accept or decline"
) -> list[str]:
    """Messages about other players' offers that stand, for a user who has not seen the events that
    led to this state."""
    seats: tuple[Seat, Seat] = (0, 1)
    standing = ((seat, state.offers[seat]) for seat in seats if seat not in mine)
    return [_offered(state, seat, what, mine, how) for seat, what in standing if what]


def _offered(state: RoomState, seat: Seat, what: What, mine: Collection[Seat], how: str) -> str:
    asked = f"; {how}" if mine and seat not in mine else ""
    return f"-- {called(state, seat)} offers {WORDS[what]}{asked}"


async def answer(room: pierule.Room, word: Answer) -> bool:
    """Answer the other player's offer, or withdraw your own. Returns whether there is one."""
    own = [what for seat in room.seats if (what := room.state.offers[seat])]
    standing = own if word == "withdraw" else room.offered
    for what in standing[:1]:
        if word == "accept":
            await room.accept(what)
        elif word == "decline":
            await room.decline(what)
        else:
            await room.withdraw(what)
    return bool(standing)

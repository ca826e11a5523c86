"""Decides a player's claim that the other player is gone (SPEC 25).

Pure, like `decide`. Any node can ask the store since when a player is gone. At the append, the
store decides whether that is still true, and whether it is long enough (law 3).
"""

from __future__ import annotations

from pierule_games.game import OTHER
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import absence_bound
from pierule_protocol.log.events import Claimed
from pierule_protocol.messages import Claim, Seat
from pierule_protocol.state.room import Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Append, Decision, Refused, reused
from pierule_server.terms import NO_DEADLINE, Absence


def gone_since(room: Room, seat: Seat, seen: int) -> int:
    """Since when a player is gone, in the store's ms since 1970: since they were last `seen`, or
    since their last event, whichever is later."""
    return max(seen, room.heard[seat])


def claim(room: Room, user: User, request: Claim, seen: tuple[int, int]) -> Decision:
    """End the game because the other player has been gone long enough. `seen` is when the player of
    each seat was last there."""
    done = room.effects.get((user.id, request.nonce))
    if done is not None:
        match done.record:
            case Claimed(seat=by, outcome=outcome) if (
                outcome == request.outcome and request.seat in (by, None)
            ):
                return done
        return reused()
    mine = room.seats_of(user.id)
    if not mine or request.seat not in (*mine, None):
        return Refused(Code.NOT_SEATED, field=None if request.seat is None else "seat")
    if room.status == "over":
        return Refused(Code.FINISHED)
    if room.status == "open":
        return Refused(Code.NOT_STARTED)
    bound = absence_bound(room.created.clock)
    if bound is None:
        return Refused(Code.NOT_NOW, "in a correspondence game, players do not need to be present")
    if room.clock is not None and room.clock.paused is not None:
        return Refused(Code.NOT_NOW, "the game is paused")
    seat = mine[0] if request.seat is None else request.seat
    by = OTHER[seat]
    gone = gone_since(room, by, seen[by])
    record = Claimed(seat, request.outcome, gone, bound, request.nonce)
    absence = Absence(by, seen[by], gone + bound)
    return Append(record, None, room.turn, NO_DEADLINE, "in_time", absence)

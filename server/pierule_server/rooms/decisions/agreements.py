"""Decides requests between players: abort, offers and their answers (SPEC 19).

Pure, like `decide`, and with the same kinds of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pierule_games.clock import PAUSE_TIME
from pierule_games.game import OTHER
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ABANDONED_TIME, REMATCH_TIME
from pierule_protocol.log.events import (
    AGREEMENTS,
    Aborted,
    AnyRecord,
    Declined,
    Offered,
    Rematched,
    What,
    Withdrawn,
)
from pierule_protocol.messages import Abort, Accept, Agreeing, Decline, Offer, Seat, Withdraw
from pierule_protocol.state.room import Done, Room, room_card
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import (
    Append,
    Decision,
    Refused,
    after_pause,
    card,
    reused,
)
from pierule_server.terms import KEEP_DEADLINE, NO_DEADLINE, Deadline, Timing


def abort(room: Room, user: User, request: Abort) -> Decision:
    """End a game in which the player has not acted yet."""
    done = room.effects.get((user.id, request.nonce))
    if done is not None:
        match done.record:
            case Aborted(seat=by) if request.seat in (by, None):
                return done
        return reused()
    mine = room.seats_of(user.id)
    if not mine or request.seat not in (*mine, None):
        return _not_seated(request.seat)
    if room.status == "over":
        return Refused(Code.FINISHED)
    guess = next((seat for seat in mine if not room.acted(seat)), mine[0])
    seat = guess if request.seat is None else request.seat
    if room.acted(seat):
        return Refused(Code.NOT_NOW, "you have acted in this game; you can only resign")
    return Append(Aborted(seat, request.nonce), None, room.turn, NO_DEADLINE, "in_time")


def offer(room: Room, user: User, request: Offer) -> Decision:
    """Offer something. If the other player offers the same, both agree."""
    what, nonce = request.what, request.nonce
    done = room.effects.get((user.id, nonce))
    if done is not None:
        match done.record:
            case Offered(seat=by, what=offered) if offered == what and request.seat in (by, None):
                return done
        return done if _is_agreement(done.record, what, request.seat) else reused()
    mine = room.seats_of(user.id)
    refused = _unfit(mine, request.seat) or _unready(room, what)
    if refused is not None:
        return refused
    to_act = room.position.to_act
    guess = to_act if to_act is not None and to_act in mine else mine[0]
    seat = guess if request.seat is None else request.seat
    if what != "takeback" and room.offers.standing[OTHER[seat]] == what:
        return _agreed(room, seat, what, nonce)
    why = room.offers.hindrance(seat, what) or room.hindrance(seat, what)
    if why is not None:
        return Refused(Code.NOT_NOW, why)
    return _kept(room, Offered(seat, what, nonce))


def accept(room: Room, user: User, request: Accept) -> Decision:
    """Accept what the other player offers at this turn."""
    what, nonce = request.what, request.nonce
    done = room.effects.get((user.id, nonce))
    if done is not None:
        return done if _is_agreement(done.record, what, request.seat) else reused()
    mine = room.seats_of(user.id)
    refused = _unfit(mine, request.seat)
    if refused is not None:
        return refused
    if request.turn != room.turn:
        return Refused(Code.STALE, place=room.place, turn=room.turn)
    refused = _unready(room, what)
    if refused is not None:
        return refused
    for seat in mine if request.seat is None else [request.seat]:
        if room.offers.standing[OTHER[seat]] == what:
            return _agreed(room, seat, what, nonce)
    return _no_offer()


def end_offer(room: Room, user: User, request: Decline | Withdraw) -> Decision:
    """Decline the other player's offer, or take your own offer back."""
    kind = Declined if isinstance(request, Decline) else Withdrawn
    done = room.effects.get((user.id, request.nonce))
    if done is not None:
        match done.record:
            case Declined(seat=by, what=what) | Withdrawn(seat=by, what=what) if (
                type(done.record) is kind and what == request.what and request.seat in (by, None)
            ):
                return done
        return reused()
    mine = room.seats_of(user.id)
    refused = _unfit(mine, request.seat)
    if refused is not None:
        return refused
    for seat in mine if request.seat is None else [request.seat]:
        by = OTHER[seat] if kind is Declined else seat
        if room.offers.standing[by] == request.what:
            return _kept(room, kind(seat, request.what, request.nonce))
    return _no_offer()


DECISIONS: dict[type[Agreeing], Callable[[Room, User, Any], Decision]] = {
    Abort: abort,
    Offer: offer,
    Accept: accept,
    Decline: end_offer,
    Withdraw: end_offer,
}


def rematchers(room: Room) -> list[tuple[Seat, str]]:
    """The seats that have agreed on a rematch, each with the nonce of its agreement. Empty if there
    is none."""
    agreed = room.rematching
    if agreed is None:
        return []
    other = OTHER[agreed.seat]
    offers = [
        nonce for (_, nonce), done in room.effects.items()
        if isinstance(done.record, Offered) and (done.record.seat, done.record.what)
        == (other, "rematch")
    ]  # fmt: skip
    return [(agreed.seat, agreed.nonce), (other, offers[-1])]


def lead_on(room: Room, rematch: str) -> Decision:
    """Record in a room that the room of its rematch exists."""
    agreed = room.rematching
    if agreed is None:
        return Done(room.created, room.place, room.turn)
    record = Rematched(agreed.seat, agreed.nonce, rematch)
    return Append(record, None, room.turn, NO_DEADLINE, "any")


def _unfit(mine: Sequence[Seat], seat: Seat | None) -> Refused | None:
    """Why this user may not speak for this seat, if so."""
    return _not_seated(seat) if not mine or seat not in (*mine, None) else None


def _not_seated(seat: Seat | None) -> Refused:
    return Refused(Code.NOT_SEATED, field=None if seat is None else "seat")


def _unready(room: Room, what: What) -> Refused | None:
    """Why players cannot agree on this in this room now, if so."""
    if room.status == "over" and what != "rematch":
        return Refused(Code.FINISHED)
    if room.status == "open":
        return Refused(Code.NOT_STARTED)
    if not room.knows(what):
        why = "this game has no draws" if what == "draw" else "this game has no clock to pause"
        return Refused(Code.BAD_FIELD, why, field="what")
    return None


def _no_offer() -> Refused:
    return Refused(Code.NO_OFFER, field="what")


def _is_agreement(record: AnyRecord, what: What, seat: Seat | None) -> bool:
    """Whether a record is an agreement on `what`, by this seat (None: by any)."""
    if not isinstance(record, AGREEMENTS[what]) and (what, type(record)) != ("rematch", Rematched):
        return False
    return seat in (record.seat, None)  # type: ignore[union-attr]


def _kept(room: Room, record: Offered | Declined | Withdrawn) -> Append:
    """Append a record that does not change the game."""
    timing: Timing = "any" if room.status == "over" else "in_time"
    return Append(record, room_card(room), room.turn, KEEP_DEADLINE, timing)


def _agreed(room: Room, seat: Seat, what: What, nonce: str) -> Append:
    """Append the agreement that a seat accepts, with its effects."""
    record, turn = AGREEMENTS[what](seat, nonce), room.turn
    match what:
        case "takeback":
            after = card(room, turn=turn + 1)
            return Append(record, after, turn + 1, _restored(room, OTHER[seat]), "in_time")
        case "draw":
            return Append(record, None, turn, NO_DEADLINE, "in_time")
        case "pause":
            return Append(record, room_card(room), turn, Deadline("in", PAUSE_TIME), "in_time")
        case "resume":
            assert room.clock is not None
            return Append(record, room_card(room), turn, after_pause(room.clock), "in_time")
        case "rematch":
            return Append(record, None, turn, Deadline("idle", REMATCH_TIME), "any")


def _restored(room: Room, by: Seat) -> Deadline:
    """The deadline after a takeback: the player has as much time as when the position arose."""
    ply = room.before(by)
    assert ply is not None
    then = room.past[ply]
    if then.clock is None:
        return Deadline("idle", ABANDONED_TIME)
    return Deadline("in", (then.clock.deadline or 0) - then.at)

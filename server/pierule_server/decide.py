"""What a request comes to, given the room as it is known: append a record, done already, or no.

Pure, and the whole of "may this user do this now". Because an effect that the log already holds
is found again here, deciding anew after a conflict or a time-out is what makes retries safe
(laws 3 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.events import Acted, AnyRecord, Resigned, Seated
from pierule_protocol.messages import Card, Seat
from pierule_protocol.room import Done, Foreseen, Room, room_card
from pierule_rules.refusal import Refusal
from pierule_server.identity import User


class Refused(Exception):
    """A request that is not done: its code, its words, and further fields of the error."""

    def __init__(self, code: Code, text: str | None = None, **fields: Any) -> None:
        super().__init__(text or MEANINGS[code].text)
        self.code = code
        self.text = text or MEANINGS[code].text
        self.fields = fields


@dataclass(frozen=True, slots=True)
class Append:
    """A record to append. `card` is the room's afterwards, None if it leaves the listings."""

    record: AnyRecord
    card: Card | None
    turn: int
    foreseen: Foreseen | None = field(default=None, compare=False)


Decision: TypeAlias = Append | Done | Refused


def act(room: Room, user: User, turn: int, action: str) -> Decision:
    """Play `action` at `turn` for the seat that is to act (SPEC, Acting)."""
    mine = room.seats_of(user.id)
    if not mine:
        return Refused(Code.NOT_SEATED)
    if turn < room.turn:
        done = room.turns[turn]
        match done.record:
            case Acted(seat=by, action=played) if by in mine and played == action:
                return done
    if turn != room.turn:
        return Refused(Code.STALE, place=room.place, turn=room.turn)
    if room.status == "over":
        return Refused(Code.FINISHED)
    if room.status == "open":
        return Refused(Code.NOT_STARTED)
    seat = room.position.to_act
    if seat is None or seat not in mine:
        return Refused(Code.NOT_YOUR_TURN)
    position = room.position.play(action)
    if isinstance(position, Refusal):
        return Refused(
            Code.ILLEGAL, str(position), rule=position.rule, points=list(position.points)
        )
    return Append(
        Acted(seat, action),
        None if position.winner is not None else _card(room, turn=turn + 1),
        turn + 1,
        Foreseen(turn, action, position),
    )


def take_seat(room: Room, user: User, seat: Seat | Literal["any"], nonce: str) -> Decision:
    """Take a free seat. Who holds the seat already, or asks for `any` and holds one, has it."""
    done = room.effects.get((user.id, nonce))
    if done is not None:
        match done.record:
            case Seated(seat=taken) if seat in (taken, "any"):
                return done
        return _reused()
    mine = room.seats_of(user.id)
    if seat in mine or (seat == "any" and mine):
        return Done(room.created, room.place, room.turn)
    if room.status == "over":
        return Refused(Code.FINISHED)
    free = [number for number, holder in enumerate(room.seats) if holder is None]
    chosen = seat if seat != "any" else free[0] if free else None
    if chosen not in free:
        return Refused(Code.SEAT_TAKEN, field="seat")
    names = [holder.name if holder else None for holder in room.seats]
    names[chosen] = user.name
    status = "open" if None in names else "running"
    return Append(
        Seated(chosen, user.id, user.name, nonce),  # type: ignore[arg-type]
        _card(room, names=(names[0], names[1]), status=status),
        room.turn,
    )


def resign(room: Room, user: User, seat: Seat | None, nonce: str) -> Decision:
    """Give the game up, for a seat that the user holds."""
    done = room.effects.get((user.id, nonce))
    if done is not None:
        match done.record:
            case Resigned(seat=given) if seat in (given, None):
                return done
        return _reused()
    mine = room.seats_of(user.id)
    if not mine or (seat is not None and seat not in mine):
        return Refused(Code.NOT_SEATED, field=None if seat is None else "seat")
    if room.status == "over":
        return Refused(Code.FINISHED)
    if room.status == "open":
        return Refused(Code.NOT_STARTED)
    if seat is None:
        to_act = room.position.to_act
        seat = to_act if to_act in mine else mine[0]
    assert seat is not None
    return Append(Resigned(seat, nonce), None, room.turn)


def _card(room: Room, **changes: Any) -> Card:
    return msgspec.structs.replace(room_card(room), **changes)


def _reused() -> Refused:
    return Refused(
        Code.BAD_FIELD, "this nonce was used for another request; take a fresh one", field="nonce"
    )

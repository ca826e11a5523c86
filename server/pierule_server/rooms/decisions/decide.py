"""Decides a request: append a record, already done, or refused.

Pure, and the only place that answers "may this user do this now". It finds an effect that the log
already has, so it is safe to decide again after a conflict or a time-out (laws 3 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal, TypeAlias

import msgspec

from pierule_games import GAMES
from pierule_games.clock import Clock
from pierule_games.refusal import Refusal
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.controls import ABANDONED_TIME
from pierule_protocol.log.events import (
    Aborted,
    Acted,
    AnyRecord,
    Closed,
    Created,
    Credited,
    Entry,
    Flagged,
    Holder,
    Resigned,
    Resumed,
    Seated,
    Standing,
    chain,
    encode_record,
)
from pierule_protocol.log.fold import Precomputed, fold
from pierule_protocol.messages import Card, Seat
from pierule_protocol.state.room import (
    Done,
    Room,
    room_card,
)
from pierule_protocol.state.unrated import WORDS, why_unrated
from pierule_server.identity.tokens import User
from pierule_server.terms import (
    KEEP_CARD,
    KEEP_DEADLINE,
    NO_DEADLINE,
    VOID_RESULT,
    Absence,
    Deadline,
    Outage,
    Timing,
)


class Refused(Exception):
    """A refused request: the error's code, its text (by default the code's meaning), and further
    fields."""

    def __init__(self, code: Code, text: str | None = None, **fields: Any) -> None:
        super().__init__(text or MEANINGS[code].text)
        self.code = code
        self.text = text or MEANINGS[code].text
        self.fields = fields


def too_soon(seconds: float) -> Refused:
    """The refusal of a request that may be sent again after this time."""
    return Refused(Code.RATE, retry_ms=ceil(seconds * 1_000))


@dataclass(slots=True)  # `frozen` would take four times as long to make
class Append:
    """A record to append. `card` and `turn` are the room's after that (a card of None: listings do
    not show it). `deadline`, `timing` and `absence` are terms for the store
    (`terms.AppendOptions`)."""

    record: AnyRecord
    card: Card | None
    turn: int
    deadline: Deadline
    timing: Timing
    absence: Absence | None = None
    precomputed: Precomputed | None = field(default=None, compare=False)


Decision: TypeAlias = Append | Done | Refused


def create(room_id: str, record: Created) -> Append:
    """Make a room."""
    text = encode_record(record)
    entry = Entry(1, 1, chain(0, 1, 1, text, 0), 0, text.decode())
    room = fold(None, room_id, entry)
    timed = room.clock is not None and room.status == "running"
    deadline = Deadline("in" if timed else "idle", room.deadline or room.open_time)
    return Append(record, room_card(room), 0, deadline, "any")


def act(
    room: Room, user: User, turn: int, action: str, lag: int = 0, epoch: int | None = None
) -> Decision:
    """Play `action` at `turn` (of `epoch`, if given) for the seat whose turn it is (SPEC 6.3).
    `lag` is the measured round trip, in milliseconds."""
    mine = room.seats_of(user.id)
    if not mine:
        return Refused(Code.NOT_SEATED)
    if turn < room.turn:
        done = room.turns[turn]
        match done.record:
            case Acted(seat=by, action=played) if by in mine and played == action:
                return done
    if turn != room.turn or epoch not in (None, room.place.epoch):
        return Refused(Code.STALE, place=room.place, turn=room.turn)
    if room.status == "over":
        return Refused(Code.FINISHED)
    if room.status == "open":
        return Refused(Code.NOT_STARTED)
    seat = room.position.to_act
    if seat is None or seat not in mine:
        return Refused(Code.NOT_YOUR_TURN)
    if room.clock is not None and room.clock.paused is not None:
        return Refused(Code.NOT_NOW, "the game is paused")
    position = room.position.play(action)
    if isinstance(position, Refusal):
        text = GAMES[room.created.game].sentence(position)
        return Refused(Code.ILLEGAL, text, rule=position.rule, points=list(position.points))
    clock = room.clock
    over = position.winner is not None
    return Append(
        Acted(seat, action, lag, clock.compensation(lag)) if clock else Acted(seat, action),
        None if over else card(room, turn=turn + 1),
        turn + 1,
        _next_deadline(clock, position.to_act),
        "in_time",
        precomputed=Precomputed(turn, action, position),
    )


def take_seat(
    room: Room,
    user: User,
    seat: Seat | Literal["any"],
    nonce: str,
    *,
    registered: bool = False,
    standing: Standing | None = None,
) -> Decision:
    """Take a free seat. It is done already if the user has that seat, or asks for `any` and has
    one."""
    done = room.effects.get((user.id, nonce))
    if done is not None:
        match done.record:
            case Seated(seat=taken) if seat in (taken, "any"):
                return done
        return reused()
    mine = room.seats_of(user.id)
    if seat in mine or (seat == "any" and mine):
        return Done(room.created, room.place, room.turn)
    if room.status == "over":
        return Refused(Code.FINISHED)
    free = [number for number, holder in enumerate(room.seats) if holder is None]
    chosen = seat if seat != "any" else free[0] if free else None
    if chosen not in free:
        return Refused(Code.SEAT_TAKEN, field="seat")
    seats = room.seats.copy()
    seats[chosen] = Holder(user.id, user.name, user.bot, registered, standing)
    why = why_unrated(room.created.rated, room.created.access, seats)
    if room.created.rated == "yes" and why is not None:
        return Refused(Code.UNRATED, f"this game is rated, but {WORDS[why]}", field="seat")
    return Append(
        Seated(chosen, user.id, user.name, nonce, user.bot, registered, standing),  # type: ignore[arg-type]
        _seated_card(room, seats, rated=why is None),
        room.turn,
        KEEP_DEADLINE if None in seats else _next_deadline(room.clock, 0),
        "any",
    )


def _seated_card(room: Room, seats: list[Holder | None], *, rated: bool) -> Card | None:
    """The room's card with these players."""
    return card(
        room,
        names=tuple(holder and holder.name for holder in seats),
        bots=tuple(holder is not None and holder.bot for holder in seats),
        standings=tuple(holder and holder.standing for holder in seats),
        status="open" if None in seats else "running",
        rated=rated,
    )


def resign(room: Room, user: User, seat: Seat | None, nonce: str) -> Decision:
    """Resign the game, for a seat that the user holds."""
    done = room.effects.get((user.id, nonce))
    if done is not None:
        match done.record:
            case Resigned(seat=given) if seat in (given, None):
                return done
        return reused()
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
    return Append(Resigned(seat, nonce), None, room.turn, NO_DEADLINE, "in_time")


def time_out(room: Room) -> Decision:
    """Do what is due in a room: end it, or resume it after a pause. The store decides whether its
    deadline has passed."""
    clock = room.clock
    if room.status == "open":
        return give_up(room, "due")
    if room.deadline is None or room.status == "over":
        return Done(room.created, room.place, room.turn)
    if clock is not None and clock.paused is not None:
        return Append(Resumed(), room_card(room), room.turn, after_pause(clock), "due")
    if room.turns and clock is not None and clock.running is not None:
        record: AnyRecord = Flagged(clock.running)
    else:
        record = Aborted()
    return Append(record, None, room.turn, NO_DEADLINE, "due")


def give_up(room: Room, timing: Timing = "any") -> Decision:
    """End a room in which a seat is still free."""
    if room.status != "open":
        return Done(room.created, room.place, room.turn)
    return Append(Aborted(), None, room.turn, NO_DEADLINE, timing)


def close(room: Room, text: str, by: str = "operators") -> Decision:
    """End a room for the operators, or void the result of a room that is over. `text` says why,
    and `by` who ends it, if not the operators: see `Closed`."""
    if room.closed:
        return Done(room.created, room.place, room.turn)
    # In a room that is over, the deadline stays: a rematch may still have to be made.
    deadline = VOID_RESULT if room.status == "over" else NO_DEADLINE
    return Append(Closed(text, by), None, room.turn, deadline, "any")


def credit(room: Room, outage: Outage) -> Append:
    """Give back the time that an outage took from the running clock."""
    deadline = KEEP_DEADLINE
    if room.clock is not None and room.clock.deadline is not None:
        after = room.clock.credit(outage.lost_from, outage.lost_to).deadline
        deadline = Deadline("by", (after or 0) - room.clock.deadline)
    return Append(
        Credited(outage.lost_from, outage.lost_to),
        room_card(room),
        room.turn,
        deadline,
        "any",
    )


def _next_deadline(clock: Clock | None, following: Seat | None) -> Deadline:
    """The deadline when `following` acts next (None: the game is over)."""
    if following is None:
        return NO_DEADLINE
    if clock is None:
        return Deadline("idle", ABANDONED_TIME)
    if clock.running == following:
        return KEEP_DEADLINE
    return Deadline("in", clock.allowance(following))


def after_pause(clock: Clock) -> Deadline:
    """The deadline when paused clocks go on: each has the time that it had before the pause."""
    assert clock.paused is not None
    return Deadline("in", (clock.resume(clock.paused).deadline or 0) - clock.paused)


def card(room: Room, **changes: Any) -> Card | None:
    """The room's card with these changes; None if listings do not show the room."""
    shown = room_card(room)
    return None if shown is None else msgspec.structs.replace(shown, **changes)


def listed(room: Room, card: Card | None) -> bytes | None:
    """The card for the store. While its game runs, listings show a room with a delay as it was when
    the game began."""
    if card is None:
        return None
    if room.created.delay and room.status == "running":
        return KEEP_CARD
    return msgspec.json.encode(card)


def reused() -> Refused:
    """The refusal of a nonce that belongs to another request."""
    return Refused(
        Code.BAD_FIELD, "this nonce was used for another request; take a fresh one", field="nonce"
    )

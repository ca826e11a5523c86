"""A room is the fold of its log's entries. Every node uses this function (law 2).

Only `fold` makes and changes rooms.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import DecodeError, Struct

from pierule_games import GAMES
from pierule_games.clock import Clock
from pierule_games.game import OTHER, Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import absence_bound, control
from pierule_protocol.log.events import (
    AGREEMENTS,
    EMPTY,
    EPOCH,
    Aborted,
    Acted,
    Agreement,
    AgreementRecord,
    AnyRecord,
    Claimed,
    Closed,
    Created,
    Credited,
    Declined,
    Drawn,
    Entry,
    Flagged,
    Holder,
    Offered,
    Paused,
    Rematched,
    Rematching,
    Renewed,
    Resigned,
    Resumed,
    Seated,
    Step,
    TakenBack,
    Withdrawn,
    decode_record,
    step,
)
from pierule_protocol.messages import Result, Seat
from pierule_protocol.state.room import STRIDE, CorruptLog, Done, Moment, Room, UnknownGame
from pierule_protocol.state.unrated import why_unrated

# Built once here: a union written inside `isinstance` would be built at every call.
_AFTER_THE_END: TypeAlias = Offered | Declined | Withdrawn | Rematching | Rematched
_TIMED: TypeAlias = Flagged | Aborted | Resumed


class Precomputed(Struct, frozen=True, gc=False):
    """The position after an action that was already played, for the fold to reuse."""

    turn: int
    action: str
    position: Position


def fold(
    room: Room | None, room_id: str, entry: Entry, precomputed: Precomputed | None = None
) -> Room:
    """The room after the next entry. Changes `room` in place and returns it.

    Raises CorruptLog if the entry does not follow the room's last one, or if no room can have it.
    Raises UnknownGame for the first entry of a room whose game is not installed here.
    """
    if step(room.place if room else EMPTY, entry) is not Step.NEXT:
        raise CorruptLog(room_id, entry.seq, "does not follow the entry before it")
    try:
        record = decode_record(entry.record)
    except (DecodeError, RecursionError) as error:
        raise CorruptLog(room_id, entry.seq, f"is not a record: {error}") from error
    if not _may_be_of(room, record, entry.epoch):
        raise CorruptLog(room_id, entry.seq, f"cannot be of epoch {entry.epoch}")
    if room is None:
        room = _create(room_id, entry, record)
    else:
        _change(room, record, entry, precomputed)
        if room.result is not None or isinstance(record, Seated):
            made, plies = room.created, len(room.actions)
            room.unrated = why_unrated(made.rated, made.access, room.seats, room.result, plies)
    room.place, room.at = entry.place, entry.at
    return room


def _may_be_of(room: Room | None, record: AnyRecord, epoch: int) -> bool:
    if room is None:
        return epoch == EPOCH
    if isinstance(record, Renewed):
        return epoch > room.place.epoch
    return epoch == room.place.epoch


def _create(room_id: str, entry: Entry, record: AnyRecord) -> Room:
    if not isinstance(record, Created):
        raise CorruptLog(room_id, entry.seq, "comes first, but does not make the room")
    game = GAMES.get(record.game)
    rules = game and game.rules.get(record.rules)
    if rules is None or record.size not in rules.sizes:
        raise UnknownGame(room_id, record.game, record.rules)
    seats: list[Holder | None] = [None, None]
    if record.players is not None:
        seats = [_holder(entry, each) for each in record.players]
    if record.seat is not None:
        seats[record.seat] = _holder(entry, record)
    opening = rules.opening(record.size)
    room = Room(
        id=room_id,
        place=entry.place,
        at=entry.at,
        created=record,
        position=opening,
        seats=seats,
        clock=None if record.clock is None else Clock.fresh(control(record.clock)),
        effects={(record.user, record.nonce): Done(record, entry.place, 0)},
        kept=[opening],
        unrated=why_unrated(record.rated, record.access, seats),
    )
    _begin(room, entry.at)
    return room


def _holder(entry: Entry, who: Holder | Created | Seated) -> Holder:
    name = entry.names.get(who.user, who.name)
    return Holder(who.user, name, who.bot, who.registered, who.standing)


def _begin(room: Room, at: int) -> None:
    """Start the game if both seats are taken."""
    if room.status == "running":
        room.clock = room.clock and room.clock.begin(0, at)
        room.past = [Moment(at, room.position.to_act, room.clock)]
        room.heard = [at, at]


def _change(room: Room, record: AnyRecord, entry: Entry, precomputed: Precomputed | None) -> None:
    _check_time(room, record, entry)
    match record:
        case Seated():
            _sit(room, record, entry)
        case Acted():
            _act(room, record, entry, precomputed)
        case Resigned():
            _resign(room, record, entry)
        case Flagged() | Aborted():
            _break_off(room, record, entry)
        case Claimed():
            _claim(room, record, entry)
        case Closed():
            _close(room, entry.at)
        case Credited():
            _credit(room, record, entry)
        case Renewed():
            pass
        case Created():
            raise CorruptLog(room.id, entry.seq, "makes the room a second time")
        case _:
            _deal(room, record, entry)
    _hear(room, record, entry.at)


def _hear(room: Room, record: AnyRecord, at: int) -> None:
    """Note who was there: a player who did something, and both players after an outage, a loss or a
    pause, because nobody counts as gone during these."""
    match record:
        case Resumed() | Credited() | Renewed():
            room.heard = [at, at]
        case Created() | Seated() | Flagged() | Aborted() | Closed():
            pass
        case _:
            room.heard[record.seat] = at


def _deal(room: Room, record: AgreementRecord, entry: Entry) -> None:
    """Apply what happens between the players (SPEC 19)."""
    match record:
        case Offered():
            _offer(room, record, entry)
        case Declined() | Withdrawn():
            _end_offer(room, record, entry)
        case Resumed(seat=None):
            _go_on(room, entry)
        case Rematched():
            _lead_on(room, record, entry)
        case _:
            _agree(room, record, entry)


def _check_time(room: Room, record: AnyRecord, entry: Entry) -> None:
    """Check that an entry comes at a time when it may come: a player's by the deadline, a time-out
    after it. After the game, only records that lead to a rematch may come, and once the operators'
    voiding of the result."""
    if entry.at < room.at:
        raise CorruptLog(
            room.id, entry.seq, f"is {room.at - entry.at} ms older than the one before"
        )
    if isinstance(record, Renewed) or (isinstance(record, Closed) and not room.closed):
        return
    if room.status == "over":
        if not isinstance(record, _AFTER_THE_END):
            raise CorruptLog(room.id, entry.seq, "comes after the end of the game")
        return
    deadline = room.deadline
    if isinstance(record, Credited) or room.status == "open":
        return
    if isinstance(record, _TIMED) and _by_itself(record):
        if deadline is None or entry.at <= deadline:
            raise CorruptLog(room.id, entry.seq, "is a time-out before the deadline")
    elif deadline is not None and entry.at > deadline:
        raise CorruptLog(room.id, entry.seq, f"comes {entry.at - deadline} ms after the deadline")


def _by_itself(record: _TIMED) -> bool:
    """Whether this happened because time ran out, and not by a player."""
    return isinstance(record, Flagged) or record.seat is None


def _act(room: Room, record: Acted, entry: Entry, precomputed: Precomputed | None) -> None:
    if precomputed and (precomputed.turn, precomputed.action) == (room.turn, record.action):
        position: Position | Refusal = precomputed.position
    else:
        position = room.position.play(record.action)
    if isinstance(position, Refusal):
        raise CorruptLog(room.id, entry.seq, f"is not a legal action: {position.rule}")
    if room.position.to_act != record.seat or room.status != "running":
        raise CorruptLog(room.id, entry.seq, "is an action of a seat that is not to act")
    clock = room.clock
    if clock and clock.paused is not None:
        raise CorruptLog(room.id, entry.seq, "is an action during a pause")
    given = clock.compensation(record.lag) if clock else 0
    if record.lag < 0:
        raise CorruptLog(room.id, entry.seq, "has a lag below 0")
    if record.given != given:
        why = f"compensates {record.given} ms of {record.lag} ms lag instead of {given} ms"
        raise CorruptLog(room.id, entry.seq, why)
    room.position = position
    room.actions.append(record.action)
    if len(room.actions) % STRIDE == 0:
        room.kept.append(position)
    room.turns.append(Done(record, entry.place, room.turn + 1))
    room.clock = clock and clock.act(entry.at, record.given, position.to_act)
    room.past.append(Moment(entry.at, position.to_act, room.clock))
    room.offers = room.offers.lapsed()
    if position.winner is not None:
        room.result = Result(position.winner, "played")


def _sit(room: Room, record: Seated, entry: Entry) -> None:
    if room.seats[record.seat] is not None:
        raise CorruptLog(room.id, entry.seq, "takes a seat that is already taken")
    room.seats[record.seat] = _holder(entry, record)
    room.effects[record.user, record.nonce] = Done(record, entry.place, room.turn)
    _begin(room, entry.at)


def _note(room: Room, record: AnyRecord, seat: Seat, nonce: str | None, entry: Entry) -> None:
    """Keep what a player's request has caused, so that a retry gets the same answer (law 7)."""
    holder = room.seats[seat]
    if holder is None or nonce is None:
        raise CorruptLog(room.id, entry.seq, "names a seat without a player, or has no nonce")
    room.effects[holder.user, nonce] = Done(record, entry.place, room.turn)


def _resign(room: Room, record: Resigned, entry: Entry) -> None:
    if room.status != "running":
        raise CorruptLog(room.id, entry.seq, "resigns a game that is not running")
    _note(room, record, record.seat, record.nonce, entry)
    _end(room, Result(OTHER[record.seat], "resigned"), entry.at)


def _claim(room: Room, record: Claimed, entry: Entry) -> None:
    if room.status != "running" or (room.clock is not None and room.clock.paused is not None):
        raise CorruptLog(room.id, entry.seq, "claims a game that is not running")
    bound = absence_bound(room.created.clock)
    if record.bound != bound:
        why = f"claims the game after {record.bound} ms instead of {bound} ms"
        raise CorruptLog(room.id, entry.seq, why)
    if record.gone < room.heard[OTHER[record.seat]]:
        raise CorruptLog(room.id, entry.seq, "claims the game, but the opponent was there")
    if entry.at < record.gone + bound:
        early = record.gone + bound - entry.at
        raise CorruptLog(room.id, entry.seq, f"claims the game {early} ms too early")
    _note(room, record, record.seat, record.nonce, entry)
    _end(room, Result(record.seat if record.outcome == "win" else None, "left"), entry.at)


def _credit(room: Room, record: Credited, entry: Entry) -> None:
    if not record.lost_from < record.lost_to <= entry.at:
        raise CorruptLog(room.id, entry.seq, "credits time that was not lost")
    room.clock = room.clock and room.clock.credit(record.lost_from, record.lost_to)


def _break_off(room: Room, record: Flagged | Aborted, entry: Entry) -> None:
    begun = bool(room.turns)
    if isinstance(record, Aborted):
        if record.seat is not None:
            if room.acted(record.seat):
                raise CorruptLog(room.id, entry.seq, "is by a player who has already acted")
            _note(room, record, record.seat, record.nonce, entry)
        elif begun and room.clock is not None:
            raise CorruptLog(room.id, entry.seq, "aborts a game that has begun")
        _end(room, Result(None, "aborted"), entry.at)
        return
    if not begun or room.clock is None or room.clock.running != record.seat:
        raise CorruptLog(room.id, entry.seq, "flags a seat whose clock is not running")
    _end(room, Result(OTHER[record.seat], "flagged"), entry.at)


def _close(room: Room, at: int) -> None:
    if room.status == "over":
        room.result = Result(None, "voided")
    else:
        _end(room, Result(None, "closed"), at)


def _end(room: Room, result: Result, at: int) -> None:
    room.result = result
    room.clock = room.clock and room.clock.stop(at)
    room.offers = room.offers.settled()


def _offer(room: Room, record: Offered, entry: Entry) -> None:
    seat, what = record.seat, record.what
    if room.status == "open" or not room.knows(what):
        raise CorruptLog(room.id, entry.seq, f"offers {what}, which this room does not have")
    why = room.offers.hindrance(seat, what) or room.hindrance(seat, what)
    if why is not None:
        raise CorruptLog(room.id, entry.seq, f"makes an offer that is not possible: {why}")
    room.offers = room.offers.make(seat, what)
    _note(room, record, seat, record.nonce, entry)


def _end_offer(room: Room, record: Declined | Withdrawn, entry: Entry) -> None:
    by = record.seat if isinstance(record, Withdrawn) else OTHER[record.seat]
    if room.offers.standing[by] != record.what:
        raise CorruptLog(room.id, entry.seq, "ends an offer that does not stand")
    room.offers = room.offers.without(by)
    _note(room, record, record.seat, record.nonce, entry)


def _agree(room: Room, record: Agreement, entry: Entry) -> None:
    assert record.seat is not None
    by = OTHER[record.seat]
    what = room.offers.standing[by]
    if what is None or AGREEMENTS[what] is not type(record):
        raise CorruptLog(room.id, entry.seq, "accepts an offer that does not stand")
    if (why := room.hindrance(by, what)) is not None:
        raise CorruptLog(room.id, entry.seq, f"accepts an offer that is not possible: {why}")
    room.offers = room.offers.settled()
    match record:
        case TakenBack():
            _take_back(room, record, entry, by)
        case Drawn():
            _end(room, Result("draw", "agreed"), entry.at)
        case Paused():
            room.clock = room.clock and room.clock.pause(entry.at)
        case Resumed():
            room.clock = room.clock and room.clock.resume(entry.at)
        case Rematching():
            room.rematching, room.agreed = record, entry.at
    _note(room, record, record.seat, record.nonce, entry)


def _take_back(room: Room, record: TakenBack, entry: Entry, by: Seat) -> None:
    """Go back to where the seat `by` was last to act. The clocks show what they showed when that
    position arose, as if it had arisen now (SPEC 19)."""
    ply = room.before(by)
    assert ply is not None
    then = room.past[ply]
    room.position = room.position_at(ply)
    room.clock = then.clock and then.clock.restored(then.at, entry.at)
    room.actions = room.actions[:ply]
    del room.kept[ply // STRIDE + 1 :]
    room.past = [*room.past[:ply], Moment(entry.at, then.to_act, room.clock)]
    room.turns.append(Done(record, entry.place, room.turn + 1))
    room.offers = room.offers.lapsed()


def _go_on(room: Room, entry: Entry) -> None:
    """End a pause that has reached its longest time."""
    if room.clock is None or room.clock.paused is None:
        raise CorruptLog(room.id, entry.seq, "ends a pause, but there is none")
    room.clock = room.clock.resume(entry.at)
    room.offers = room.offers.settled()


def _lead_on(room: Room, record: Rematched, entry: Entry) -> None:
    agreed = room.rematching
    if agreed is None or (agreed.seat, agreed.nonce) != (record.seat, record.nonce):
        raise CorruptLog(room.id, entry.seq, "makes a rematch that the players did not agree on")
    room.rematching, room.rematch = None, record.room
    _note(room, record, record.seat, record.nonce, entry)

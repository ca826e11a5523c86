"""A room is the fold of its log's entries, by this one function on every node (law 2).

`Room` is what the fold keeps, with the rules' position inside. `fold` is the only function that
changes one. What a client without rules does with the diffs stands in `mirror`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import UNSET, DecodeError

from pierule_protocol.controls import ABANDONED_TIME, OPEN_TIME, control
from pierule_protocol.events import (
    EMPTY,
    Aborted,
    Acted,
    AnyRecord,
    Created,
    Credited,
    Entry,
    Flagged,
    Place,
    Renewed,
    Resigned,
    Seated,
    Step,
    decode_record,
    step,
)
from pierule_protocol.messages import (
    Card,
    ClockState,
    Diff,
    HandState,
    Holder,
    PositionDiff,
    Result,
    RoomState,
    Seat,
    Status,
)
from pierule_protocol.position import digest, position_state, position_text
from pierule_rules import GAMES
from pierule_rules.clock import Clock
from pierule_rules.game import OTHER, Position
from pierule_rules.refusal import Refusal


class CorruptLog(Exception):
    """A log whose entries no room could have had: which entry of which room, and why."""

    def __init__(self, room: str, seq: int, why: str) -> None:
        super().__init__(f"{room}: entry {seq} {why}")
        self.room = room
        self.seq = seq
        self.why = why


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, at which place of the log, and the turn after it."""

    record: AnyRecord
    place: Place
    turn: int


@dataclass(slots=True)
class Room:
    """One match as its log tells it. Made and changed by `fold` alone.

    `turns` holds what was done at each turn; its length is the room's turn. `effects` maps
    (user, nonce) to what a request with this nonce made happen (law 7). `moved` is when the
    latest seat was taken or action played.
    """

    id: str
    place: Place
    at: int
    opened: int
    moved: int
    created: Created
    position: Position
    seats: list[Holder | None]
    clock: Clock | None
    actions: list[str] = field(default_factory=list)
    turns: list[Done] = field(default_factory=list)
    effects: dict[tuple[str, str], Done] = field(default_factory=dict)
    result: Result | None = None

    @property
    def turn(self) -> int:
        return len(self.turns)

    @property
    def status(self) -> Status:
        if self.result is not None:
            return "over"
        return "open" if None in self.seats else "running"

    @property
    def deadline(self) -> int | None:
        """The last moment, in the store's milliseconds, at which a player's event may come."""
        if self.status == "open":
            return self.opened + OPEN_TIME
        if self.clock is None and self.status == "running":
            return self.moved + ABANDONED_TIME
        return self.clock.deadline if self.clock else None

    def seats_of(self, user: str) -> list[Seat]:
        """The seats that a user holds, in order."""
        seats: tuple[Seat, Seat] = (0, 1)
        return [seat for seat in seats if (held := self.seats[seat]) and held.user == user]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A position that was computed already, so that the fold need not play the action again."""

    turn: int
    action: str
    position: Position


def fold(room: Room | None, room_id: str, entry: Entry, foreseen: Foreseen | None = None) -> Room:
    """The room after one more entry, which must be the next one. `room` is changed in place.

    Raises CorruptLog for an entry that does not follow or that no room could have had.
    """
    if step(room.place if room else EMPTY, entry) is not Step.NEXT:
        raise CorruptLog(room_id, entry.seq, "does not follow")
    try:
        record = decode_record(entry.record)
    except (DecodeError, RecursionError) as error:
        raise CorruptLog(room_id, entry.seq, f"is no record: {error}") from error
    begins = room is None or isinstance(record, Renewed)
    if entry.epoch != (room.place.epoch if room else 0) + begins:
        raise CorruptLog(room_id, entry.seq, f"cannot be of epoch {entry.epoch}")
    if room is None:
        room = _create(room_id, entry, record)
    else:
        _change(room, record, entry, foreseen)
    room.place, room.at = entry.place, entry.at
    return room


def _create(room_id: str, entry: Entry, record: AnyRecord) -> Room:
    if not isinstance(record, Created) or record.game not in GAMES:
        raise CorruptLog(room_id, entry.seq, "does not make a room, and comes first")
    if record.size not in GAMES[record.game].sizes:
        raise CorruptLog(room_id, entry.seq, f"makes {record.game} of a size it has not")
    seats: list[Holder | None] = [None, None]
    if record.seat is not None:
        seats[record.seat] = Holder(record.user, record.name)
    opening = GAMES[record.game].opening(record.size)
    return Room(
        id=room_id,
        place=entry.place,
        at=entry.at,
        opened=entry.at,
        moved=entry.at,
        created=record,
        position=opening,
        seats=seats,
        clock=None if record.clock is None else Clock.fresh(control(record.clock)),
        effects={(record.user, record.nonce): Done(record, entry.place, 0)},
    )


def _change(room: Room, record: AnyRecord, entry: Entry, foreseen: Foreseen | None) -> None:
    _check_time(room, record, entry)
    match record:
        case Seated():
            _sit(room, record, entry)
        case Acted():
            _act(room, record, entry, foreseen)
        case Resigned():
            _resign(room, record, entry)
        case Flagged() | Aborted():
            _time_out(room, record, entry)
        case Credited(lost_from=lost_from, lost_to=lost_to):
            if not lost_from < lost_to <= entry.at:
                raise CorruptLog(room.id, entry.seq, "credits time that was not lost")
            room.clock = room.clock and room.clock.credit(lost_from, lost_to)
        case Renewed():
            pass
        case Created():
            raise CorruptLog(room.id, entry.seq, "makes the room again")


def _check_time(room: Room, record: AnyRecord, entry: Entry) -> None:
    """Players' events come up to the deadline, time-outs after it; none once the game is over."""
    if entry.at < room.at:
        raise CorruptLog(
            room.id, entry.seq, f"is {room.at - entry.at} ms older than the one before"
        )
    if isinstance(record, Renewed):
        return
    if room.status == "over":
        raise CorruptLog(room.id, entry.seq, "comes after the game's end")
    deadline = room.deadline
    if isinstance(record, Flagged | Aborted):
        if deadline is None or entry.at <= deadline:
            raise CorruptLog(room.id, entry.seq, "times a seat out before its deadline")
    elif isinstance(record, Acted | Resigned) and deadline is not None and entry.at > deadline:
        raise CorruptLog(room.id, entry.seq, f"comes {entry.at - deadline} ms after the deadline")


def _act(room: Room, record: Acted, entry: Entry, foreseen: Foreseen | None) -> None:
    if foreseen and (foreseen.turn, foreseen.action) == (room.turn, record.action):
        position: Position | Refusal = foreseen.position
    else:
        position = room.position.play(record.action)
    if isinstance(position, Refusal):
        raise CorruptLog(room.id, entry.seq, f"is no legal action: {position}")
    if room.position.to_act != record.seat or room.status != "running":
        raise CorruptLog(room.id, entry.seq, "is by a seat that is not to act")
    clock = room.clock
    given = clock.compensation(record.lag) if clock else 0
    if record.lag < 0:
        raise CorruptLog(room.id, entry.seq, "has a lag below 0")
    if record.given != given:
        why = f"compensates {record.given} ms of {record.lag} ms lag; {given} ms were due"
        raise CorruptLog(room.id, entry.seq, why)
    room.position = position
    room.moved = entry.at
    room.actions.append(record.action)
    room.turns.append(Done(record, entry.place, room.turn + 1))
    room.clock = clock and clock.act(entry.at, record.given, position.to_act)
    if position.winner is not None:
        room.result = Result(position.winner, "played")


def _sit(room: Room, record: Seated, entry: Entry) -> None:
    if room.seats[record.seat] is not None:
        raise CorruptLog(room.id, entry.seq, "takes a seat that is taken")
    room.seats[record.seat] = Holder(record.user, record.name)
    room.moved = entry.at
    room.effects[record.user, record.nonce] = Done(record, entry.place, room.turn)
    if room.clock and room.status == "running":
        room.clock = room.clock.begin(0, entry.at)


def _resign(room: Room, record: Resigned, entry: Entry) -> None:
    holder = room.seats[record.seat]
    if holder is None or room.status != "running":
        raise CorruptLog(room.id, entry.seq, "resigns a game that does not run")
    room.effects[holder.user, record.nonce] = Done(record, entry.place, room.turn)
    _end(room, Result(OTHER[record.seat], "resigned"), entry.at)


def _time_out(room: Room, record: Flagged | Aborted, entry: Entry) -> None:
    begun = bool(room.turns)
    if isinstance(record, Aborted):
        if begun and room.clock is not None:
            raise CorruptLog(room.id, entry.seq, "aborts a game that was begun")
        _end(room, Result(None, "aborted"), entry.at)
        return
    if not begun or room.clock is None or room.clock.running != record.seat:
        raise CorruptLog(room.id, entry.seq, "flags a clock that does not run")
    _end(room, Result(OTHER[record.seat], "flagged"), entry.at)


def _end(room: Room, result: Result, at: int) -> None:
    room.result = result
    room.clock = room.clock and room.clock.stop(at)


@dataclass(frozen=True, slots=True)
class Before:
    """What `diff` needs to know of a room as it was before an event."""

    status: Status
    seats: tuple[Holder | None, ...]
    turn: int
    position: Position
    clock: Clock | None


def before(room: Room) -> Before:
    """Note a room's state ahead of `fold`."""
    return Before(room.status, tuple(room.seats), room.turn, room.position, room.clock)


def diff(old: Before, room: Room) -> Diff:
    """What has changed in a room since `old`: exactly that, and nothing else."""
    acted = room.turn != old.turn
    position = _position_diff(old.position, room.position) if acted else UNSET
    seats = _both(room.seats)
    clock = _clock_state(room.clock)
    return Diff(
        status=room.status if room.status != old.status else UNSET,
        seats=seats if seats != old.seats else UNSET,
        turn=room.turn if acted else UNSET,
        ply=len(room.actions) if acted else UNSET,
        actions=room.actions[-1:] if acted else UNSET,
        position=position,
        clock=clock if clock != _clock_state(old.clock) else UNSET,
        result=room.result if room.status != old.status and room.result else UNSET,
    )


_SCALARS = ("phase", "to_act", "black", "komi", "passes", "score", "winner")


def _position_diff(old: Position, new: Position) -> PositionDiff:
    changed = {
        name: value for name in _SCALARS if (value := getattr(new, name)) != getattr(old, name)
    }
    if new.cells != old.cells:
        pairs = zip(old.cells, new.cells, strict=True)
        changed["cells"] = [(i, value) for i, (was, value) in enumerate(pairs) if was != value]
    return PositionDiff(**changed)


def room_state(room: Room) -> RoomState:
    """The whole room as a snapshot carries it."""
    return RoomState(
        room=room.id,
        epoch=room.place.epoch,
        seq=room.place.seq,
        chain=room.place.chain,
        at=room.at,
        digest=room_digest(room),
        status=room.status,
        seats=_both(room.seats),
        turn=room.turn,
        ply=len(room.actions),
        actions=list(room.actions),
        position=position_state(room.position),
        control=room.created.clock,
        clock=_clock_state(room.clock),
        result=room.result,
    )


def room_digest(room: Room) -> int:
    """The digest of the room's position."""
    return digest(position_text(room.position))


def room_card(room: Room) -> Card:
    """The room as listings show it."""
    first, second = room.seats
    return Card(
        room=room.id,
        game=room.created.game,
        size=room.created.size,
        status=room.status,
        names=(first.name if first else None, second.name if second else None),
        turn=room.turn,
        at=room.at,
        control=room.created.clock,
    )


def _clock_state(clock: Clock | None) -> ClockState | None:
    if clock is None:
        return None
    first, second = (HandState(hand.main, hand.periods, hand.quota) for hand in clock.hands)
    return ClockState(
        hands=(first, second),
        running=clock.running,
        started=clock.started,
        deadline=clock.deadline,
    )


def _both(seats: list[Holder | None]) -> tuple[Holder | None, Holder | None]:
    first, second = seats
    return first, second

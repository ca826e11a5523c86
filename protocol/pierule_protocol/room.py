"""A room is the fold of its log's entries, by this one function on every node (law 2).

`Room` is what the fold keeps, with the rules' position inside. `fold` is the only function that
changes one. What a client without rules does with the diffs stands in `mirror`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import UNSET, DecodeError

from pierule_protocol.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
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
    Diff,
    Holder,
    PositionDiff,
    Result,
    RoomState,
    Seat,
    Status,
)
from pierule_protocol.position import digest, position_state, position_text
from pierule_rules import GAMES
from pierule_rules.game import Position
from pierule_rules.refusal import Refusal


class CorruptLog(Exception):
    """A log whose entries no room could have had."""


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
    (user, nonce) to what a request with this nonce made happen (law 7).
    """

    id: str
    place: Place
    at: int
    created: Created
    position: Position
    seats: list[Holder | None]
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
        raise CorruptLog(f"{room_id}: entry {entry.seq} does not follow")
    try:
        record = decode_record(entry.record)
    except (DecodeError, RecursionError) as error:
        raise CorruptLog(f"{room_id}: entry {entry.seq} is no record: {error}") from error
    if room is None:
        room = _create(room_id, entry, record)
    else:
        _change(room, record, entry, foreseen)
    room.place, room.at = entry.place, entry.at
    return room


def _create(room_id: str, entry: Entry, record: AnyRecord) -> Room:
    if not isinstance(record, Created) or record.game not in GAMES:
        raise CorruptLog(f"{room_id}: the log does not begin with the making of a room")
    if record.size not in GAMES[record.game].sizes:
        raise CorruptLog(f"{room_id}: {record.game} has no size {record.size}")
    seats: list[Holder | None] = [None, None]
    if record.seat is not None:
        seats[record.seat] = Holder(record.user, record.name)
    opening = GAMES[record.game].opening(record.size)
    return Room(
        id=room_id,
        place=entry.place,
        at=entry.at,
        created=record,
        position=opening,
        seats=seats,
        effects={(record.user, record.nonce): Done(record, entry.place, 0)},
    )


def _change(room: Room, record: AnyRecord, entry: Entry, foreseen: Foreseen | None) -> None:
    if isinstance(record, Acted | Resigned) and room.status != "running":
        raise CorruptLog(f"{room.id}: entry {entry.seq} comes while no game is running")
    match record:
        case Seated(seat=seat, user=user, name=name, nonce=nonce):
            if room.seats[seat] is not None:
                raise CorruptLog(f"{room.id}: entry {entry.seq} takes a seat that is taken")
            room.seats[seat] = Holder(user, name)
            room.effects[user, nonce] = Done(record, entry.place, room.turn)
        case Acted(seat=seat, action=action):
            position = _played(room, action, foreseen)
            if isinstance(position, Refusal) or room.position.to_act != seat:
                raise CorruptLog(f"{room.id}: entry {entry.seq} is not a legal action")
            room.position = position
            room.actions.append(action)
            room.turns.append(Done(record, entry.place, room.turn + 1))
            if position.winner is not None:
                room.result = Result(position.winner, "played")
        case Resigned(seat=seat, nonce=nonce):
            holder = room.seats[seat]
            assert holder is not None  # the game is running
            room.effects[holder.user, nonce] = Done(record, entry.place, room.turn)
            room.result = Result(1 if seat == 0 else 0, "resigned")
        case Renewed():
            pass
        case Created():
            raise CorruptLog(f"{room.id}: entry {entry.seq} makes the room again")


def _played(room: Room, action: str, foreseen: Foreseen | None) -> Position | Refusal:
    if foreseen and (foreseen.turn, foreseen.action) == (room.turn, action):
        return foreseen.position
    return room.position.play(action)


@dataclass(frozen=True, slots=True)
class Before:
    """What `diff` needs to know of a room as it was before an event."""

    status: Status
    seats: tuple[Holder | None, ...]
    turn: int
    position: Position


def before(room: Room) -> Before:
    """Note a room's state ahead of `fold`."""
    return Before(room.status, tuple(room.seats), room.turn, room.position)


def diff(old: Before, room: Room) -> Diff:
    """What has changed in a room since `old`: exactly that, and nothing else."""
    acted = room.turn != old.turn
    position = _position_diff(old.position, room.position) if acted else UNSET
    seats = _both(room.seats)
    return Diff(
        status=room.status if room.status != old.status else UNSET,
        seats=seats if seats != old.seats else UNSET,
        turn=room.turn if acted else UNSET,
        ply=len(room.actions) if acted else UNSET,
        actions=room.actions[-1:] if acted else UNSET,
        position=position,
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
    )


def _both(seats: list[Holder | None]) -> tuple[Holder | None, Holder | None]:
    first, second = seats
    return first, second

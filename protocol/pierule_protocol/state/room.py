"""A room as its log tells it, and what others see of it: state, diff, digest, card.

`Room` is what the fold keeps, with a position of the rules inside. `mirror` has what a client
without rules does with diffs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, Struct

from pierule_games import GAMES
from pierule_games.clock import Clock
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import (
    ABANDONED_TIME,
    OPEN_TIME,
    PUBLIC_OPEN_TIME,
    REMATCH_TIME,
    Correspondence,
)
from pierule_protocol.log.events import (
    Acted,
    AnyRecord,
    Created,
    Holder,
    Place,
    Rematching,
    Unrated,
    What,
)
from pierule_protocol.messages import (
    Card,
    ClockState,
    Diff,
    HandState,
    PositionDiff,
    Result,
    RoomState,
    Seat,
    Status,
)
from pierule_protocol.state.offers import Offers
from pierule_protocol.state.position import (
    FIELDS,
    PlainFields,
    digest,
    plain_fields,
    position_state,
    text_of,
)

STRIDE = 64
"""A room keeps a position each time this many plies have been played, so a takeback replays fewer
actions."""


class CorruptLog(Exception):
    """A log with an entry that no room can have. `why` completes the sentence "entry `seq` …"."""

    def __init__(self, room: str, seq: int, why: str) -> None:
        super().__init__(f"{room}: entry {seq} {why}")
        self.room = room
        self.seq = seq
        self.why = why


class UnknownGame(Exception):
    """The log of a room whose game, or version of the rules, is not installed here. The log may be
    valid."""

    def __init__(self, room: str, game: str, rules: int) -> None:
        self.game, self.rules = game, rules
        self.why = f"needs {game} rules {rules}"
        super().__init__(f"{room}: the room {self.why}, which are not installed here")
        self.room = room


class Done(Struct, frozen=True, gc=False):
    """A record, its place in the log, and the turn after it."""

    record: AnyRecord
    place: Place
    turn: int


class Moment(Struct, frozen=True, gc=False):
    """When a position arose, which seat was to act, and the clocks at that time."""

    at: int
    to_act: Seat | None
    clock: Clock | None


@dataclass(slots=True)
class Room:
    """A match as its log tells it. Only `fold` makes and changes it.

    `turns` has the action or takeback of each turn; its length is the room's turn. `effects` maps
    (user, nonce) to what a request with this nonce has caused (law 7). Once the game has begun,
    `past` has the moment of every ply that stands, from 0 to the present. `rematching` is set from
    the time `agreed` at which the players agreed on a rematch, until its room `rematch` exists.
    `heard` has for each seat the last time at which, by the log alone, its player was there. `kept`
    has the position of every `STRIDE` plies that stand. `unrated` says why the game does not count
    for ratings; None if there is no reason so far.
    """

    id: str
    place: Place
    at: int
    created: Created
    position: Position
    seats: list[Holder | None]
    clock: Clock | None
    actions: list[str] = field(default_factory=list)
    turns: list[Done] = field(default_factory=list)
    effects: dict[tuple[str, str], Done] = field(default_factory=dict)
    past: list[Moment] = field(default_factory=list)
    offers: Offers = field(default_factory=Offers)
    result: Result | None = None
    rematching: Rematching | None = None
    agreed: int = 0
    rematch: str | None = None
    unrated: Unrated | None = None
    heard: list[int] = field(default_factory=lambda: [0, 0])
    kept: list[Position] = field(default_factory=list)
    _plain: tuple[Position, PlainFields] | None = field(default=None, compare=False, repr=False)

    @property
    def fields(self) -> PlainFields:
        """The position's fields. They are computed once, because the digest and two diffs need
        them."""
        if self._plain is None or self._plain[0] is not self.position:
            self._plain = self.position, plain_fields(self.position)
        return self._plain[1]

    @property
    def turn(self) -> int:
        return len(self.turns)

    @property
    def status(self) -> Status:
        if self.result is not None:
            return "over"
        return "open" if None in self.seats else "running"

    @property
    def closed(self) -> bool:
        """Whether the operators have closed the room, or voided its result."""
        return self.result is not None and self.result.reason in ("closed", "voided")

    @property
    def open_time(self) -> int:
        """How many milliseconds the room stays open when nobody waits in it (SPEC 9.3)."""
        created = self.created
        at_once = created.access == "public" and not isinstance(created.clock, Correspondence)
        return PUBLIC_OPEN_TIME if at_once else OPEN_TIME

    @property
    def waiting(self) -> set[str]:
        """The users who keep an open room alive: the maker, and anyone who sits in it."""
        return {self.created.user, *(holder.user for holder in self.seats if holder)}

    @property
    def deadline(self) -> int | None:
        """The last moment, in the store's milliseconds, at which a player's event may come. After
        an agreed rematch: the last moment at which only the node that began it makes its room. None
        while the room is open, because that depends on who waits in it (`open_time`)."""
        if self.rematching is not None:
            return self.agreed + REMATCH_TIME
        if self.clock is None and self.status == "running":
            return self.past[-1].at + ABANDONED_TIME
        return self.clock.deadline if self.clock else None

    def position_at(self, ply: int) -> Position:
        """The position after the first `ply` actions that stand."""
        position = self.kept[ply // STRIDE]
        for action in self.actions[ply - ply % STRIDE : ply]:
            played = position.play(action)
            assert not isinstance(played, Refusal)
            position = played
        return position

    def seats_of(self, user: str) -> list[Seat]:
        """The seats that a user holds, in order."""
        seats: tuple[Seat, Seat] = (0, 1)
        return [seat for seat in seats if (held := self.seats[seat]) and held.user == user]

    @property
    def solo(self) -> bool:
        """Whether one user holds both seats."""
        first, second = self.seats
        return first is not None and second is not None and first.user == second.user

    def acted(self, seat: Seat) -> bool:
        """Whether the player of a seat has played an action in this room, taken back or not."""
        return any(isinstance(d.record, Acted) and d.record.seat == seat for d in self.turns)

    def knows(self, what: What) -> bool:
        """Whether players can offer this in this room at all: draws depend on the game, and pauses
        are only for clocks other than correspondence."""
        match what:
            case "draw":
                return GAMES[self.created.game].rules[self.created.rules].draws
            case "pause" | "resume":
                return not isinstance(self.created.clock, Correspondence | None)
        return True

    def before(self, seat: Seat) -> int | None:
        """The latest earlier ply at which a seat was to act, to which its takeback leads; None if
        there is none."""
        plies = range(len(self.actions) - 1, -1, -1)
        return next((ply for ply in plies if self.past[ply].to_act == seat), None)

    def hindrance(self, seat: Seat, what: What) -> str | None:
        """Why the players cannot now agree on what a seat offers, in words; None if they can."""
        paused = self.clock is not None and self.clock.paused is not None
        match what:
            case "rematch" if self.status != "over":
                return "the game is not over"
            case "rematch" if None in self.seats:
                return "there was no opponent"
            case "rematch" if self.rematching or self.rematch:
                return "there is already a rematch"
            case "resume" if not paused:
                return "the game is not paused"
            case "takeback" if self.before(seat) is None:
                return "there is no action of yours to take back"
            case "takeback" | "draw" | "pause" if paused:
                return "the game is paused"
        return None


class Before(Struct, frozen=True, gc=False):
    """What `diff` needs to know about a room before an event."""

    status: Status
    seats: tuple[Holder | None, ...]
    turn: int
    ply: int
    fields: PlainFields
    clock: Clock | None
    result: Result | None
    offers: Offers
    rematch: str | None
    unrated: Unrated | None


def before(room: Room) -> Before:
    """Take down what `diff` needs before `fold` changes the room."""
    return Before(
        room.status, tuple(room.seats), room.turn, len(room.actions), room.fields, room.clock,
        room.result, room.offers, room.rematch, room.unrated,
    )  # fmt: skip


def diff(old: Before, room: Room) -> Diff:
    """What has changed in a room since `old` (SPEC 4.2)."""
    status, turn, ply = room.status, room.turn, len(room.actions)
    moved = turn != old.turn
    seats, clock, offers = _both(room.seats), room.clock, room.offers
    # Usually most objects are identical, and comparing identities is faster.
    wound = clock is not old.clock and _clock_state(clock) != _clock_state(old.clock)
    asked = offers is not old.offers and offers.standing != old.offers.standing
    return Diff(
        status=status if status != old.status else UNSET,
        seats=seats if seats != old.seats else UNSET,
        turn=turn if moved else UNSET,
        ply=ply if moved else UNSET,
        actions=room.actions[old.ply :] if ply > old.ply else UNSET,
        position=_fields_diff(old.fields, room.fields) if moved else UNSET,
        clock=_clock_state(clock) if wound else UNSET,
        result=room.result if room.result != old.result else UNSET,
        offers=offers.standing if asked else UNSET,
        rematch=room.rematch if room.rematch != old.rematch else UNSET,
        unrated=room.unrated if room.unrated != old.unrated else UNSET,
    )


def position_diff(old: Position, new: Position) -> PositionDiff:
    """The fields of a position that have changed (SPEC 4.2)."""
    return _fields_diff(plain_fields(old), plain_fields(new))


def _fields_diff(old: PlainFields, new: PlainFields) -> PositionDiff:
    changed: dict[str, Any] = {
        name: after
        for name, before, after in zip(FIELDS, old, new, strict=True)
        if after is not before and after != before
    }
    if "cells" in changed:
        changed["cells"] = _changed_cells(bytes(old[-1]), bytes(new[-1]))
    return PositionDiff(**changed)


def _changed_cells(old: bytes, new: bytes) -> list[tuple[int, int]]:
    """The indices at which the cells differ, ascending, and the new values. Usually only one or two
    of a hundred cells differ, so it looks for nonzero bytes in a big integer."""
    found = []
    rest = int.from_bytes(old, "little") ^ int.from_bytes(new, "little")
    while rest:
        index = ((rest & -rest).bit_length() - 1) >> 3
        found.append((index, new[index]))
        rest = rest >> 8 * (index + 1) << 8 * (index + 1)
    return found


def room_state(room: Room) -> RoomState:
    """The whole room, as a snapshot carries it (SPEC 4.1)."""
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
        offers=room.offers.standing,
        access=room.created.access,
        delay=room.created.delay,
        rematch_of=room.created.rematch_of,
        rematch=room.rematch,
        rules=room.created.rules,
        rated=room.created.rated,
        unrated=room.unrated,
    )


def room_digest(room: Room) -> int:
    """The digest of the room's position."""
    return digest(text_of(room.fields))


def room_card(room: Room) -> Card | None:
    """The room as listings show it; None if it is over or not public."""
    listed = room.status != "over" and room.created.access == "public"
    return own_card(room) if listed else None


def own_card(room: Room) -> Card:
    """The room as its players see it in their own lists, whatever its access."""
    first, second = room.seats
    return Card(
        room=room.id,
        game=room.created.game,
        size=room.created.size,
        status=room.status,
        names=(first.name if first else None, second.name if second else None),
        bots=(first is not None and first.bot, second is not None and second.bot),
        standings=(first.standing if first else None, second.standing if second else None),
        turn=room.turn,
        at=room.at,
        control=room.created.clock,
        rated=room.unrated is None,
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
        paused=clock.paused,
    )


def _both(seats: list[Holder | None]) -> tuple[Holder | None, Holder | None]:
    first, second = seats
    return first, second
